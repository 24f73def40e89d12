import type { Config } from "../desired/config.ts";
import { DesiredFiles } from "../desired/desired-files.ts";
import { selectZones } from "../desired/select.ts";
import { watchDesired } from "../desired/watch.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import { type Schedule, startSchedule } from "../reconcile/schedule.ts";
import { windowsOf } from "../reconcile/windows.ts";
import type { DaemonFacts } from "../report/daemon.ts";
import type { Fleet } from "../report/fleet.ts";
import type { createLogger } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { startWatchdog } from "../web/health.ts";
import { startServer } from "../web/server.ts";
import type { Connected } from "./connect.ts";
import type { Machine } from "./machine.ts";
import { startStopping } from "./stopping.ts";
import { tellerOf } from "./teller.ts";
import { version } from "./version.ts";

/** The parts of the daemon. */
export interface DaemonParts {
  readonly config: Config;
  readonly service: Connected;
  readonly metrics: Metrics;
  readonly logger: ReturnType<typeof createLogger>;
  readonly fleet: Fleet;
  /** Address of the embedded emulator, where there is one. */
  readonly emulator: string | undefined;
}

/** Beside the watcher, in case it should be deaf (a swap it missed, a network file system). */
const pollMs = 30_000;

/** Puts the parts together and keeps the zones until a signal ends it. Rejects where the server cannot listen. */
export async function keep(parts: DaemonParts, machine: Machine): Promise<void> {
  const { config, metrics, logger, fleet } = parts;
  const { clock } = machine;
  using stopping = startStopping(machine, (signal) => logger.info({ signal }, "stopping"));
  const { stop } = stopping.signals;
  const reconciler = createReconciler(parts, machine, () => schedule.nextRun());
  using schedule = startSchedule(config.schedule, {
    wake: () => reconciler.wake("schedule"),
    missed: () => metrics.recordMissedRun("paused"),
  });
  using watchdog = startWatchdog({
    now: () => clock.now(),
    monotonic: () => clock.uptime(),
    every: (ms, run) => every(ms, run, machine),
  });
  const startedAt = clock.now();
  await using server = await startServer({
    listen: config.server.listen,
    fleet,
    facts: () => factsOf(parts, reconciler, schedule, startedAt),
    metrics: {
      contentType: metrics.contentType,
      render: () => metrics.render(fleet, factsOf(parts, reconciler, schedule, startedAt)),
    },
    health: {
      live: watchdog.checks,
      ready: [{ name: "shutdown", failure: () => (stopping.isStopping ? "stopping" : undefined) }],
    },
    clock,
    onError: (error) => logger.error({ err: error }, "fault of the program itself"),
  });
  logger.info(startFacts(parts, server.url, schedule), "zonewarden started");
  using _hangup = machine.onSignal("SIGHUP", () => reconciler.wake("signal"));
  await using _watch = await watchFiles(config, machine, () => reconciler.wake("file"));
  using _poll = every(pollMs, () => reconciler.wake("file"), machine);
  reconciler.wake("startup");
  await reconciler.runUntil(stopping.signals);
  logger.info({ reason: stop.aborted ? "signal" : "end" }, "zonewarden stopped");
}

function createReconciler(
  parts: DaemonParts,
  machine: Machine,
  nextSweep: () => Date | undefined,
): Reconciler {
  const { config, service, metrics, logger, fleet } = parts;
  const { clock, random, uniqueId, files } = machine;
  const { path, owner } = config.desired;
  const { limits, mode } = config;
  const desired = new DesiredFiles({ path, owner, files });
  return new Reconciler(
    {
      mode,
      owner,
      limits,
      contention: { rounds: limits.contendedRounds, windowMs: limits.contendedWindowMs },
      fleetLimits: limits,
      windows: windowsOf(config.windows),
      concurrency: config.api.concurrency,
    },
    {
      desired: { load: (signal) => desired.load(signal), select: selectZones },
      listZones: (signal) => service.reader.listZones(signal),
      reader: service.reader,
      writer: service.writer,
      clock,
      random,
      runId: uniqueId,
      nextSweep,
      overlapped: () => metrics.recordMissedRun("overlap"),
      ...tellerOf({
        fleet,
        metrics,
        logger,
        source: path,
        now: () => clock.now(),
        credentialOf: (zone) => service.credentialOf(zone),
      }),
    },
  );
}

async function watchFiles(
  { desired, schedule }: Config,
  machine: Machine,
  onChange: () => void,
): Promise<AsyncDisposable> {
  if (!schedule.onChange) return { [Symbol.asyncDispose]: () => Promise.resolve() };
  return watchDesired(desired.path, onChange, {
    debounceMs: schedule.debounceMs,
    clock: machine.clock,
    files: machine.files,
  });
}

/** Calls once after a while, unless it is disposed before. */
function after(ms: number, run: () => void, { clock }: Machine): Disposable {
  const ended = new AbortController();
  const wait = async (): Promise<void> => {
    try {
      await clock.sleep(ms, ended.signal);
    } catch {
      return;
    }
    run();
  };
  void wait();
  return { [Symbol.dispose]: () => ended.abort() };
}

/** Calls again and again, until it is disposed. */
function every(ms: number, run: () => void, machine: Machine): Disposable {
  let next: Disposable;
  const again = (): void => {
    next = after(ms, again, machine);
    run();
  };
  next = after(ms, again, machine);
  return { [Symbol.dispose]: () => next[Symbol.dispose]() };
}

function factsOf(
  { config, service }: DaemonParts,
  reconciler: Reconciler,
  schedule: Schedule,
  startedAt: Date,
): DaemonFacts {
  return {
    version,
    startedAt,
    mode: config.mode,
    schedule: {
      expressions: config.schedule.cron,
      timezone: config.schedule.timezone,
      nextAt: schedule.nextRun(),
      longestGapMs: schedule.intervalSeconds * 1_000,
    },
    queue: { waiting: reconciler.waiting, running: [...reconciler.running.keys()] },
    credentials: service.credentials.map(({ state }) => state),
    leases: [],
  };
}

/** What a newcomer wants to know first. */
function startFacts(
  { config, emulator }: DaemonParts,
  url: string,
  schedule: Schedule,
): Readonly<Record<string, unknown>> {
  return {
    version,
    mode: config.mode,
    page: `${url}/`,
    metrics: `${url}/metrics`,
    ...(emulator === undefined ? {} : { emulator: `${emulator}/_emulator/` }),
    files: config.desired.path,
    next_sweep: schedule.nextRun()?.toISOString(),
  };
}
