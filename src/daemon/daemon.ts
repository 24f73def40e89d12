import { watchZoneFiles } from "../desired/load/watch-zone-files.ts";
import { every } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import type { Shutdown } from "../host/shutdown.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { Fleet } from "../state/fleet.ts";
import { EventStream } from "../web/event-stream.ts";
import type { Zone } from "../zone/zone.ts";
import { configReloader, RunningConfig } from "./config-reload.ts";
import { startEndpoints } from "./endpoints.ts";
import { startNotifier } from "./notifications.ts";
import { createReporter } from "./reporter.ts";
import { startHistory } from "./run-history.ts";
import { StoredRevision } from "./stored-revision.ts";
import { StoredRuns } from "./stored-runs.ts";
import { openState } from "./stored-state.ts";
import { sweepRequests, SweepSchedule } from "./sweep-schedule.ts";
import {
  createInventoryPoller,
  createReconciler,
  type DaemonParts,
  heldPlanSubscriber,
} from "./wiring.ts";

/** Files and tokens are also polled: file watchers miss changes on network file systems and swapped links. */
const pollMs = 30_000;

/** Reconciles the declared zones until a signal stops it. Rejects if the server cannot listen. */
export async function runDaemon(parts: DaemonParts, host: Host, shutdown: Shutdown): Promise<void> {
  const { config, configFile, service, metrics, logger } = parts;
  const { stop } = shutdown.signals;
  stop.addEventListener("abort", () =>
    logger.info({ signal: shutdown.receivedSignal }, "stopping"),
  );

  await using store = await openState(config, host, logger);
  const runs = new StoredRuns(store);
  await using revision = new StoredRevision(store, config.desired.path, host.files);
  const fleet = new Fleet((zone) => runs.driftedSince(zone));
  const runningConfig = new RunningConfig(config);
  await using history = await startHistory(config.history, logger, host, (zone) =>
    fleet.zone(zone),
  );
  await using notifier = startNotifier(config.notifications, metrics, logger, host);
  const pages = new EventStream(host.clock);
  using schedule = new SweepSchedule(config.schedule, {
    due: () => reconciler.requestSweep("schedule"),
    missed: () => metrics.recordMissedRun("paused"),
    budgets: () => service.credentials.map(({ state }) => state),
    logger,
  });
  const poller = createInventoryPoller(parts, host, fleet);
  const credentialOf = (zone: Zone): string => service.credentialOf(zone);
  const reporter = createReporter({
    fleet,
    metrics,
    logger,
    subscribers: [history.subscriber, pages, notifier, runs.subscriber, heldPlanSubscriber(poller)],
    source: config.desired.path,
    now: () => host.clock.now(),
    credentialOf,
    undeclared: history.recordUndeclared,
    configDiagnostics: () => runningConfig.diagnostics,
    declared: (zones) => {
      schedule.expectRequests(sweepRequests(zones, credentialOf));
      poller.declare(zones);
    },
  });
  const reconciler: Reconciler = createReconciler(parts, host, schedule, reporter, {
    runs,
    revision,
    recordBeforeWrite: history.recordBeforeWrite,
  });

  const running = { fleet, runningConfig, schedule, reconciler };
  const shown = { ...running, history: history.view, pages, shutdown, store };
  await using _endpoints = await startEndpoints(parts, shown, host);
  const targets = { ...running, poller, logger };
  const reload = configReloader(configFile, targets, host, stop);
  await using _triggers = await startTriggers(parts, host, reconciler, reload);
  reconciler.requestSweep("startup");
  await Promise.all([reconciler.runUntil(shutdown.signals), poller.runUntil(stop)]);
  logger.info({ reason: stop.aborted ? "signal" : "end" }, "zonewarden stopped");
}

/** Wakes the reconciler and reloads the configuration after file changes, on SIGHUP and at each poll. */
async function startTriggers(
  { config, configFile, service }: DaemonParts,
  host: Host,
  reconciler: Reconciler,
  reload: () => Promise<void>,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const { onChange, debounceMs } = config.schedule;
  if (onChange) {
    const options = { debounceMs, clock: host.clock, files: host.files };
    const { path } = config.desired;
    started.use(await watchZoneFiles(path, () => reconciler.filesChanged(), options));
    started.use(await watchZoneFiles(configFile, () => void reload(), options));
  }
  started.use(
    host.onSignal("SIGHUP", () => {
      void reload();
      reconciler.requestSweep("signal");
    }),
  );
  const poll = async (): Promise<void> => {
    reconciler.filesChanged();
    await reload();
    // What failed with a token that the service refused may succeed with a new one.
    const replaced = await Promise.all(service.credentials.map((each) => each.isReplaced()));
    if (replaced.includes(true)) reconciler.requestSweep("retry");
  };
  started.use(every(pollMs, () => void poll(), host.clock));
  return started.move();
}
