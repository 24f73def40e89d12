import type { Cluster } from "../cluster/cluster.ts";
import { every } from "../host/clock.ts";
import type { Host } from "../host/host.ts";
import { readSecret } from "../host/secrets.ts";
import type { Shutdown } from "../host/shutdown.ts";
import { version } from "../host/version.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { stuckAfterMs } from "../reconcile/run/deadline.ts";
import { joinAudits } from "../state/audit-status.ts";
import {
  type ClusterStatus,
  type DaemonStatus,
  joinStates,
  type StateStatus,
} from "../state/daemon-status.ts";
import type { FleetView } from "../state/fleet.ts";
import type { HistoryView } from "../state/history.ts";
import type { StateStore } from "../store/state-store.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import type { EventStream } from "../web/event-stream.ts";
import { type HealthCheck, startWatchdog } from "../web/health.ts";
import type { ReconcileEndpoint } from "../web/reconcile-request.ts";
import { startServer } from "../web/server.ts";
import type { RunningConfig } from "./config-reload.ts";
import type { CurrentTerms, Term } from "./current-term.ts";
import type { SweepSchedule } from "./sweep-schedule.ts";
import type { DaemonParts } from "./wiring.ts";

/** What the HTTP endpoints show, and what they can ask for. */
export interface EndpointContext {
  readonly terms: CurrentTerms;
  /** The zones of all terms. */
  readonly fleet: FleetView;
  readonly history: HistoryView;
  readonly pages: EventStream;
  readonly runningConfig: RunningConfig;
  readonly schedule: SweepSchedule;
  readonly shutdown: Shutdown;
}

/** Serves health, metrics, status page and JSON until it is disposed. Rejects if the server cannot listen. */
export async function startEndpoints(
  parts: DaemonParts,
  context: EndpointContext,
  host: Host,
): Promise<AsyncDisposable> {
  const { config, metrics, logger } = parts;
  const { terms, fleet, shutdown } = context;
  const work = {
    get running() {
      return runningOf(terms.all);
    },
  };
  const { clock } = host;
  const startedAt = clock.now();
  const status = (): DaemonStatus => daemonStatus(parts, context, startedAt);
  await using started = new AsyncDisposableStack();
  const watchdog = started.use(
    startWatchdog({
      now: () => clock.now(),
      monotonic: () => clock.monotonicMs(),
      every: (ms, run) => every(ms, run, clock),
    }),
  );
  const server = started.use(
    await startServer({
      listen: config.server.listen,
      hosts: [config.server.listen.host, ...config.server.hosts],
      fleet,
      history: context.history,
      events: context.pages,
      reconcile: reconcileEndpoint(parts, terms, host),
      facts: status,
      metrics: { contentType: metrics.contentType, render: () => metrics.render(fleet, status()) },
      health: {
        live: [...watchdog.checks, workersCheck(work, clock)],
        ready: [
          { name: "shutdown", failure: () => (shutdown.receivedSignal ? "stopping" : undefined) },
        ],
      },
      clock,
      onError: (error) => logInternalError(logger, error, undefined),
    }),
  );
  logger.info(startFacts(parts, server.url, context.schedule), "zonewarden started");
  return started.move();
}

function daemonStatus(
  { service, cluster }: DaemonParts,
  { schedule, terms: { all: terms }, runningConfig: { current: config } }: EndpointContext,
  startedAt: Date,
): DaemonStatus {
  const beginnings = terms.map(({ beganAt }) => beganAt).toSorted((a, b) => Number(a) - Number(b));
  const isShown = (name: string): boolean =>
    terms.every(({ credential }) => credential === undefined) ||
    terms.some(({ credential }) => credential === name);
  return {
    version,
    startedAt,
    workingSince: beginnings[0],
    mode: config.mode,
    schedule: {
      expressions: schedule.options.cron,
      timezone: schedule.options.timezone,
      nextAt: schedule.nextRun(),
      longestGapMs: schedule.longestGapMs,
      sweepMs: schedule.sweepMs,
    },
    inventoryEveryMs: config.inventory?.everyMs,
    audit: joinAudits(terms.map(({ auditFeed }) => auditFeed.status)),
    queue: {
      waiting: terms.reduce((sum, { reconciler }) => sum + reconciler.waiting, 0),
      running: [...runningOf(terms).keys()],
    },
    credentials: service.credentials.map(({ state }) => state).filter(({ name }) => isShown(name)),
    state: joinStates(terms.map(({ store }) => stateStatus(store))),
    cluster: cluster && clusterStatus(cluster, terms),
  };
}

function clusterStatus(cluster: Cluster, terms: readonly Term[]): ClusterStatus {
  const { lease, identity, failure, shards } = cluster;
  const worked = new Set(terms.map(({ credential }) => credential));
  return {
    lease,
    identity,
    failure,
    shards: shards.map((shard) => {
      const { credential, view } = shard;
      return { ...view, lease: shard.lease, credential, works: worked.has(credential) };
    }),
  };
}

function runningOf(terms: readonly Term[]): Reconciler["running"] {
  return new Map(terms.flatMap(({ reconciler }) => [...reconciler.running]));
}

function stateStatus({ isDurable, status, opened }: StateStore): StateStatus {
  const lost = opened.result === "lost" ? opened.reason : undefined;
  return { status: isDurable ? status.status : "none", lost };
}

/** The fields of the first log line. */
function startFacts(
  { config, emulator }: DaemonParts,
  url: string,
  schedule: SweepSchedule,
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

/** Fails if a worker runs a zone for longer than any run can take: only a restart helps. */
export function workersCheck(
  work: Pick<Reconciler, "running">,
  clock: { monotonicMs(): number },
): HealthCheck {
  return {
    name: "workers",
    failure: () => {
      const since = clock.monotonicMs() - stuckAfterMs;
      const stuck = [...work.running].filter(([, at]) => at < since).map(([zone]) => zone);
      return stuck.length === 0 ? undefined : `stuck with ${stuck.join(", ")}`;
    },
  };
}

/** The endpoint that starts runs on request; `undefined`: no token for it is configured. */
function reconcileEndpoint(
  { config, logger }: DaemonParts,
  terms: CurrentTerms,
  host: Host,
): ReconcileEndpoint | undefined {
  const source = config.server.reconcileToken;
  if (source === undefined) return undefined;
  return {
    token: () => readSecret(source, host),
    works: () => terms.all.length > 0,
    request: (zone) => {
      const owners = terms.all.filter(({ fleet }) => fleet.zone(zone) !== undefined);
      for (const { reconciler } of owners.length === 0 ? terms.all : owners) {
        if (zone === "") reconciler.requestSweep("manual");
        else reconciler.requestZone(zone, "manual");
      }
    },
    audit: ({ zone, ...request }) => {
      const facts = { audit: true, ...request, ...(zone === "" ? {} : { zone }) };
      logger[request.result === "accepted" ? "info" : "warn"](facts, "reconcile requested");
    },
  };
}
