import type { Host } from "../host/host.ts";
import { readConfig } from "../host/load.ts";
import type { InventoryRounds } from "../reconcile/inventory-rounds.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { logInternalError, logDiagnostics } from "../telemetry/log/log-reports.ts";
import { inventoryOptions } from "./daemon-inventory.ts";
import type { DaemonParts } from "./daemon-parts.ts";
import { optionsOf } from "./daemon-reconciler.ts";
import { changedOnly } from "./news-filter.ts";
import type { RunningConfig } from "./running-config.ts";
import type { SweepSchedule } from "./sweep-schedule.ts";

/** What a new configuration is brought to. */
export interface Reloaded {
  readonly live: RunningConfig;
  readonly timetable: SweepSchedule;
  readonly reconciler: Reconciler;
  readonly rounds: InventoryRounds;
}

/** Keys by which zones are judged: where one changes, every zone is looked at again, if changes do not wait for a sweep. */
const judging: ReadonlySet<string> = new Set(["mode", "limits", "windows"]);

/**
 * Gives what reads the configuration anew: what can change does, what cannot is told, and a broken one changes
 * nothing. What was told once is not told again until it is something else.
 */
export function reloader(
  { configFile, logger, fleet }: DaemonParts,
  { live, timetable, reconciler, rounds }: Reloaded,
  host: Host,
  stop: AbortSignal,
): () => Promise<void> {
  const isNews = changedOnly();
  const take = async (): Promise<void> => {
    const change = live.take(await readConfig(configFile, host, stop));
    const { current, diagnostics } = live;
    if (isNews([diagnostics, change?.waiting])) {
      logDiagnostics(logger, diagnostics);
      if (change === undefined) logger.error("configuration not taken over: it stays as it was");
      else if (change.waiting.length > 0) {
        logger.warn({ keys: change.waiting }, "configuration changed where only a restart helps");
      }
      // Problems of the configuration stand beside those of the files.
      reconciler.filesChanged();
    }
    if (change === undefined || change.applied.length === 0) return;
    logger.info({ keys: change.applied }, "configuration changed");
    logger.level = current.log.level;
    if (change.applied.some((key) => key.startsWith("schedule."))) {
      timetable.exchange(current.schedule);
    }
    if (change.applied.includes("inventory")) {
      fleet.followInventory(current.inventory !== undefined);
      rounds.reconfigure(inventoryOptions(current));
    }
    if (!change.applied.some((key) => judging.has(key))) return;
    reconciler.reconfigure(optionsOf(current));
    if (current.schedule.onChange) reconciler.requestSweep("signal");
  };
  return async () => {
    try {
      await take();
    } catch (error) {
      if (!stop.aborted) logInternalError(logger, error, undefined);
    }
  };
}
