import type { Config } from "../desired/config/config.ts";
import { watchDesired } from "../desired/load/watch-zone-files.ts";
import type { Host } from "../host/host.ts";
import type { Stopping } from "../host/stopping.ts";
import { every } from "../host/timers.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import { startWatchdog, type Watchdog } from "../web/health.ts";
import { startServer } from "../web/server.ts";
import { reloader } from "./config-reload.ts";
import { daemonStatusOf, startFacts, workersCheck } from "./daemon-facts.ts";
import { createInventoryRounds, heldPlans } from "./daemon-inventory.ts";
import type { DaemonParts } from "./daemon-parts.ts";
import { createReconciler } from "./daemon-reconciler.ts";
import { reconcileEndpointOf } from "./reconcile-endpoint.ts";
import { RunningConfig } from "./running-config.ts";
import { paceWatcher, sweepCost, type SweepCost } from "./sweep-forecast.ts";
import { SweepSchedule } from "./sweep-schedule.ts";
import { isAnyTokenReplaced } from "./tokens.ts";

/** Beside the watchers, in case they should be deaf (a swap that was missed, a network file system). */
const pollMs = 30_000;

/** Puts the parts together and keeps the zones until a signal ends it. Rejects where the server cannot listen. */
export async function runDaemon(parts: DaemonParts, host: Host, stopping: Stopping): Promise<void> {
  const { config, service, metrics, logger, fleet } = parts;
  const { stop } = stopping.signals;
  stop.addEventListener("abort", () => logger.info({ signal: stopping.asked }, "stopping"));
  const startedAt = host.clock.now();
  const live = new RunningConfig(config);
  let cost: SweepCost = new Map();
  using timetable = new SweepSchedule(config.schedule, {
    due: () => reconciler.requestSweep("schedule"),
    missed: () => metrics.recordMissedRun("paused"),
  });
  const rounds = createInventoryRounds(parts, host);
  const subscribers = [...parts.subscribers, heldPlans(rounds)];
  const watchPace = paceWatcher(service.credentials, timetable, logger);
  const reconciler: Reconciler = createReconciler({ ...parts, subscribers }, host, {
    nextSweep: () => timetable.nextRun(),
    configProblems: () => live.diagnostics,
    loaded: ({ fleet: { zones } }) => {
      const declared = [...zones.values()].map(({ desired }) => desired);
      cost = sweepCost(declared, (zone) => service.credentialOf(zone));
      watchPace(cost);
      rounds.declare(declared);
    },
  });
  using watchdog = watchdogOn(host);
  const facts = (): ReturnType<typeof daemonStatusOf> =>
    daemonStatusOf(parts, { startedAt, live, timetable, reconciler, cost });
  await using server = await startServer({
    listen: config.server.listen,
    fleet,
    history: parts.history,
    live: parts.pages,
    asking: reconcileEndpointOf(parts, reconciler, host),
    facts,
    metrics: { contentType: metrics.contentType, render: () => metrics.render(fleet, facts()) },
    health: {
      live: [...watchdog.checks, workersCheck(reconciler, host.clock)],
      ready: [{ name: "shutdown", failure: () => (stopping.asked ? "stopping" : undefined) }],
    },
    clock: host.clock,
    onError: (error) => {
      logInternalError(logger, error, undefined);
    },
  });
  logger.info(startFacts(parts, server.url, timetable), "zonewarden started");

  const reload = reloader(parts, { live, timetable, reconciler, rounds }, host, stop);
  await using _attention = await payAttention(parts, host, reconciler, reload);
  reconciler.requestSweep("startup");
  await Promise.all([reconciler.runUntil(stopping.signals), rounds.runUntil(stop)]);
  logger.info({ reason: stop.aborted ? "signal" : "end" }, "zonewarden stopped");
}

function watchdogOn({ clock }: Host): Watchdog {
  return startWatchdog({
    now: () => clock.now(),
    monotonic: () => clock.uptime(),
    every: (ms, run) => every(ms, run, clock),
  });
}

/** Looks again when files change, when a signal asks for it, and now and then in case nobody said so. */
async function payAttention(
  { config, configFile, service }: DaemonParts,
  host: Host,
  reconciler: Reconciler,
  reload: () => Promise<void>,
): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const onChange = (): void => reconciler.filesChanged();
  started.use(await watch(config.desired.path, config, host, onChange));
  started.use(await watch(configFile, config, host, () => void reload()));
  started.use(
    host.onSignal("SIGHUP", () => {
      void reload();
      reconciler.requestSweep("signal");
    }),
  );
  const poll = async (): Promise<void> => {
    reconciler.filesChanged();
    await reload();
    if (await isAnyTokenReplaced(service.credentials)) reconciler.requestSweep("retry");
  };
  started.use(every(pollMs, () => void poll(), host.clock));
  return started.move();
}

/** Calls back on changes of the files below a path, where the configuration wants that. */
async function watch(
  path: string,
  { schedule }: Config,
  { clock, files }: Host,
  onChange: () => void,
): Promise<AsyncDisposable> {
  if (!schedule.onChange) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  return watchDesired(path, onChange, { debounceMs: schedule.debounceMs, clock, files });
}
