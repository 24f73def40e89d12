import { isDeepStrictEqual } from "node:util";

import type { AuditFeed } from "../audit/audit-feed.ts";
import type { Config } from "../desired/config/config.ts";
import type { LoadedConfig } from "../desired/config/load-config.ts";
import type { Host } from "../host/host.ts";
import { readConfig } from "../host/load.ts";
import type { Collector } from "../measure/collector.ts";
import type {
  InventoryPoller,
  InventoryPollerOptions,
} from "../reconcile/inventory/inventory-poller.ts";
import type { Reconciler, ReconcilerOptions } from "../reconcile/reconciler.ts";
import { windowsOf } from "../reconcile/schedule/windows.ts";
import type { Fleet } from "../state/fleet.ts";
import { logInternalError, logDiagnostics } from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { changedOnly } from "./reporter.ts";
import type { SweepSchedule } from "./sweep-schedule.ts";

export function reconcilerOptions({
  mode,
  desired,
  limits,
  rollout,
  impact,
  windows,
  schedule,
  api,
}: Config): ReconcilerOptions {
  return {
    mode,
    owner: desired.owner,
    adopt: desired.adopt === "on_first_apply",
    limits,
    impact,
    contention: { rounds: limits.contendedRounds, windowMs: limits.contendedWindowMs },
    fleetLimits: limits,
    rollout,
    onChange: schedule.onChange,
    windows: windowsOf(windows),
    concurrency: api.concurrency,
    rulesetVersions: api.rulesetVersions,
  };
}

/** The options of the inventory poller that a configuration sets; `undefined`: no inventory is read. */
export function inventoryOptions({
  inventory,
  impact,
  desired,
}: Config): InventoryPollerOptions | undefined {
  if (inventory === undefined) return undefined;
  const { maliciousBelow } = impact;
  return { ...inventory, maliciousBelow, owner: desired.owner };
}

/** The keys that take effect while the program runs; all other keys need a restart. */
export const liveKeys = [
  "mode",
  "limits",
  "windows",
  "inventory",
  "audit",
  "measurements",
  "schedule.cron",
  "schedule.timezone",
  "log.level",
] as const;

export interface ConfigChange {
  /** Keys that have changed now. */
  readonly applied: readonly string[];
  /** Keys that differ from those at the start, and need a restart. */
  readonly waiting: readonly string[];
}

/** The active configuration: the start configuration, with the keys that can change while the program runs. */
export class RunningConfig {
  #current: Config;
  #diagnostics: readonly Diagnostic[] = [];

  constructor(config: Config) {
    this.#current = config;
  }

  get current(): Config {
    return this.#current;
  }

  /** What is wrong in the file now; while it has errors, its last good version stays active. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#diagnostics;
  }

  /** Applies a new version of the file; `undefined`: it has errors and changes nothing. */
  update({ config, diagnostics }: LoadedConfig): ConfigChange | undefined {
    this.#diagnostics = diagnostics;
    if (config === undefined) return undefined;
    const changed = changedKeys(this.#current, config);
    const { schedule, log } = this.#current;
    this.#current = {
      ...this.#current,
      mode: config.mode,
      limits: config.limits,
      windows: config.windows,
      inventory: config.inventory,
      audit: config.audit,
      measurements: config.measurements,
      schedule: { ...schedule, cron: config.schedule.cron, timezone: config.schedule.timezone },
      log: { ...log, level: config.log.level },
    };
    return {
      applied: changed.filter(isLive),
      waiting: changed.filter((key) => !isLive(key)),
    };
  }
}

/** Whether a key can change while the program runs. */
function isLive(key: string): boolean {
  return liveKeys.some((each) => each === key);
}

function changedKeys(before: Config, after: Config): readonly string[] {
  const values = valuesByKey(before);
  return Object.entries(valuesByKey(after)).flatMap(([key, value]) =>
    isDeepStrictEqual(values[key], value) ? [] : [key],
  );
}

/** The values of a configuration, by the keys that change together. */
function valuesByKey({
  schedule,
  log,
  canaries: _places,
  rollout,
  rolloutToken,
  ...sections
}: Config): Readonly<Record<string, unknown>> {
  return {
    ...sections,
    rollout: { rollout, rolloutToken },
    "schedule.cron": schedule.cron,
    "schedule.timezone": schedule.timezone,
    "schedule.on_change": schedule.onChange,
    "schedule.debounce": schedule.debounceMs,
    "log.level": log.level,
    "log.format": log.format,
  };
}

interface ReloadedWork {
  readonly fleet: Pick<Fleet, "followInventory">;
  readonly reconciler: Pick<Reconciler, "filesChanged" | "reconfigure" | "requestSweep">;
  readonly poller: Pick<InventoryPoller, "reconfigure">;
  readonly auditFeed: Pick<AuditFeed, "reconfigure">;
  readonly collector: Pick<Collector, "reconfigure">;
  readonly logger: Logger;
}

export interface ReloadTargets {
  readonly logger: Logger;
  readonly runningConfig: RunningConfig;
  readonly schedule: Pick<SweepSchedule, "replace">;
  /** No term while another process works: a later term begins with the configuration at that time. */
  readonly current: { readonly term: ReloadedWork | undefined };
}

/**
 * Returns a function that reads the configuration again and applies it: one read after the other, so that an older one never
 * undoes a newer one. Nothing changes while the file has errors.
 * Diagnostics and keys that need a restart are logged once, not at each read.
 */
export function configReloader(
  configFile: string,
  targets: ReloadTargets,
  host: Pick<Host, "files" | "directory">,
  stop: AbortSignal,
): () => Promise<void> {
  const { logger, runningConfig } = targets;
  const isNew = changedOnly();
  const reload = async (): Promise<void> => {
    const change = runningConfig.update(await readConfig(configFile, host, stop));
    const { diagnostics } = runningConfig;
    if (isNew([diagnostics, change?.waiting])) {
      logDiagnostics(logger, diagnostics);
      if (change === undefined) logger.error("configuration rejected: it stays as before");
      else if (change.waiting.length > 0) {
        logger.warn({ keys: change.waiting }, "configuration change needs a restart");
      }
      // Errors of the configuration are part of the result of the next load.
      targets.current.term?.reconciler.filesChanged();
    }
    if (change !== undefined && change.applied.length > 0) applyKeys(change.applied, targets);
  };
  const reloadOrLog = async (): Promise<void> => {
    try {
      await reload();
    } catch (error) {
      if (!stop.aborted) logInternalError(logger, error, undefined);
    }
  };
  let latest = Promise.resolve();
  /** The reload that has not begun to read. */
  let next: Promise<void> | undefined;
  return () => {
    next ??= latest.then(() => {
      next = undefined;
      return reloadOrLog();
    });
    latest = next;
    return next;
  };
}

/** Keys whose change makes every zone reconcile, unless changes wait for a sweep. */
const zoneKeys: ReadonlySet<string> = new Set(["mode", "limits", "windows"]);

function applyKeys(keys: readonly string[], targets: ReloadTargets): void {
  const { logger, schedule } = targets;
  const { current } = targets.runningConfig;
  logger.info({ keys }, "configuration applied");
  logger.level = current.log.level;
  if (keys.some((key) => key.startsWith("schedule."))) schedule.replace(current.schedule);
  const { term } = targets.current;
  if (term !== undefined) applyTo(term, keys, current);
}

function applyTo(work: ReloadedWork, keys: readonly string[], current: Config): void {
  work.logger.level = current.log.level;
  if (keys.includes("inventory")) {
    work.fleet.followInventory(current.inventory !== undefined);
    work.poller.reconfigure(inventoryOptions(current));
  }
  if (keys.includes("audit")) work.auditFeed.reconfigure(current.audit.follow);
  if (keys.includes("measurements")) work.collector.reconfigure(current.measurements);
  if (!keys.some((key) => zoneKeys.has(key))) return;
  work.reconciler.reconfigure(reconcilerOptions(current));
  if (current.schedule.onChange) work.reconciler.requestSweep("signal");
}
