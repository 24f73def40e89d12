import type { Election } from "../cluster/election.ts";
import { databaseOf } from "../host/configured-database.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import { readSecret } from "../host/secrets.ts";
import type { Shutdown } from "../host/shutdown.ts";
import { version } from "../host/version.ts";
import { readSeries } from "../measure/measured-series.ts";
import { identityOf, type StateStore } from "../memory/state-store.ts";
import { putMessage, storeMessageIn, zonesOfMessage } from "../memory/store-message.ts";
import type { Reconciler } from "../reconcile/reconciler.ts";
import { stuckAfterMs } from "../reconcile/run/deadline.ts";
import type { Steps } from "../reconcile/steps/steps.ts";
import type { RolloutAnswer } from "../state/asked-of-rollout.ts";
import type { ClusterStatus, DaemonStatus, StateStatus } from "../state/daemon-status.ts";
import type { Fleet } from "../state/fleet.ts";
import { countSteps } from "../state/steps-status.ts";
import { logInternalError } from "../telemetry/log/log-reports.ts";
import type { EventStream } from "../web/event-stream.ts";
import { type HealthCheck, startWatchdog } from "../web/health.ts";
import type { ReconcileEndpoint } from "../web/reconcile-request.ts";
import type { RolloutEndpoint } from "../web/rollout-request.ts";
import { startServer } from "../web/server.ts";
import { every } from "../zone/signals.ts";
import type { RunningConfig } from "./config-reload.ts";
import type { CurrentTerm, Term } from "./current-term.ts";
import { storedFleetReader } from "./stored-fleet-reader.ts";
import type { SweepSchedule } from "./sweep-schedule.ts";
import type { DaemonParts } from "./wiring.ts";
import { writeAnswers } from "./zone-answers.ts";

/** What the HTTP endpoints show, and what they can ask for. */
export interface EndpointContext {
  readonly current: CurrentTerm;
  readonly pages: EventStream;
  readonly runningConfig: RunningConfig;
  readonly schedule: Pick<SweepSchedule, "options" | "nextRun" | "longestGapMs" | "sweepMs">;
  readonly shutdown: Pick<Shutdown, "receivedSignal">;
}

/** What they show of what the daemon was started with. */
export interface EndpointParts extends Pick<
  DaemonParts,
  "config" | "metrics" | "logger" | "emulator"
> {
  readonly service: Pick<ServiceClient, "credentials" | "credentialOf">;
  readonly shared: { readonly election: ShownElection } | undefined;
}

type ShownElection = Pick<Election, "lease" | "identity" | "fence" | "view">;

/** Serves health, metrics, status page and JSON until it is disposed. Rejects if the server cannot listen. */
export async function startEndpoints(
  parts: EndpointParts,
  context: EndpointContext,
  host: Host,
): Promise<AsyncDisposable> {
  const { config, metrics, logger } = parts;
  const { current, shutdown } = context;
  const { clock } = host;
  const startedAt = clock.now();
  const readStored = storedFleetReader(() => databaseOf(config, host), identityOf(config), clock);
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
      fleet: () => current.fleet,
      history: { of: (zone) => current.history.of(zone) },
      storedFleet: async () => (current.term === undefined ? readStored() : undefined),
      seriesOf: async (zone, since) => {
        const { measurements } = context.runningConfig.current;
        const { term } = current;
        if (term === undefined || measurements === undefined) return undefined;
        const now = clock.now();
        const oldest = Math.max(Number(since), Number(now) - measurements.maxAgeMs);
        return readSeries(term.measurements, zone, new Date(oldest), now);
      },
      events: context.pages,
      reconcile: reconcileEndpoint(parts, current, host),
      waves: () => current.reconciler.waves,
      rollout: rolloutEndpoint(parts, current, host),
      facts: status,
      stepsOf: (zone) => stepsIn(current).view(zone),
      answersOf: (state) =>
        writeAnswers(state, {
          config: context.runningConfig.current,
          service: parts.service,
          election: parts.shared?.election,
          reconciler: current.reconciler,
          now: clock.now(),
        }),
      metrics: {
        contentType: metrics.contentType,
        render: () => metrics.render(current.fleet, status(), current.term?.collector.judged),
      },
      health: {
        live: [...watchdog.checks, workersCheck(current, clock)],
        ready: [
          { name: "shutdown", failure: () => (shutdown.receivedSignal ? "stopping" : undefined) },
          { name: "leader", failure: () => whyNoLeader(current, parts.shared) },
        ],
      },
      clock,
      onError: (error) => logInternalError(logger, error, undefined),
    }),
  );
  logger.info(startFacts(parts, server.url, context.schedule), "zonewarden started");
  return started.move();
}

function stepsIn({ reconciler }: CurrentTerm): Pick<Steps, "view" | "views"> {
  return reconciler.steps ?? noSteps;
}

const noSteps: Pick<Steps, "view" | "views"> = { view: () => undefined, views: [] };

function daemonStatus(
  { service, shared }: EndpointParts,
  { schedule, current, runningConfig: { current: config } }: EndpointContext,
  startedAt: Date,
): DaemonStatus {
  const { term } = current;
  return {
    version,
    startedAt,
    workingSince: term?.beganAt,
    mode: config.mode,
    schedule: {
      expressions: schedule.options.cron,
      timezone: schedule.options.timezone,
      nextAt: schedule.nextRun(),
      longestGapMs: schedule.longestGapMs,
      sweepMs: schedule.sweepMs,
    },
    inventoryEveryMs: config.inventory?.everyMs,
    audit: term?.auditFeed.status,
    measurements: term?.collector.status,
    steps: countSteps(stepsIn(current).views),
    queue: {
      waiting: current.reconciler.waiting,
      running: [...current.reconciler.running.keys()],
    },
    credentials: service.credentials.map(({ state }) => state),
    state: term === undefined ? stateWithout(shared) : stateStatus(term),
    cluster: shared && clusterStatus(shared.election, term !== undefined),
  };
}

function clusterStatus({ lease, identity, view }: ShownElection, works: boolean): ClusterStatus {
  return { ...view, lease, identity, works };
}

/** The state without a term: who works alone waits for its store. */
function stateWithout(shared: EndpointParts["shared"]): StateStatus {
  return { status: shared === undefined ? "failing" : "none", lost: undefined };
}

function stateStatus({ store, history }: Pick<Term, "store" | "history">): StateStatus {
  const { opened, status } = store;
  const lost = opened.result === "lost" ? opened.reason : undefined;
  return { status: history.isFailing ? "failing" : status.status, lost };
}

function startFacts(
  { config, emulator }: EndpointParts,
  url: string,
  schedule: EndpointContext["schedule"],
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

/**
 * Why nobody reconciles, as far as this process knows; `undefined`: it does, or another one does. To stand for the Lease, a
 * process has to find the store usable: a new version for which it is not never seems ready.
 */
function whyNoLeader({ term }: CurrentTerm, shared: EndpointParts["shared"]): string | undefined {
  if (term !== undefined) return undefined;
  if (shared === undefined) return "the store cannot be opened";
  return shared.election.view.isLed ? undefined : "no leader is known";
}

/** Fails if a worker runs a zone for longer than any run can take: only a restart helps. */
export function workersCheck(
  work: { readonly reconciler: Pick<Reconciler, "running"> },
  clock: { monotonicMs(): number },
): HealthCheck {
  return {
    name: "workers",
    failure: () => {
      const since = clock.monotonicMs() - stuckAfterMs;
      const stuck = [...work.reconciler.running]
        .filter(([, at]) => at < since)
        .map(([zone]) => zone);
      return stuck.length === 0 ? undefined : `stuck with ${stuck.join(", ")}`;
    },
  };
}

/** The endpoint that starts runs on request; `undefined`: no token for it is configured. */
function reconcileEndpoint(
  { config, logger }: EndpointParts,
  current: CurrentTerm,
  host: Host,
): ReconcileEndpoint | undefined {
  const source = config.server.reconcileToken;
  if (source === undefined) return undefined;
  return {
    token: () => readSecret(source, host),
    works: () => current.term !== undefined,
    request: (zone) => current.reconciler.requestZone(zone, "manual"),
    audit: ({ zone, ...request }) => {
      const facts = { audit: true, ...request, ...(zone === "" ? {} : { zone }) };
      logger[request.result === "accepted" ? "info" : "warn"](facts, "reconcile requested");
    },
    store: (message) => storeFor(message, current, host),
    auditStore: (request) => {
      const facts = { audit: true, ...request };
      logger[request.result === "stored" ? "info" : "warn"](facts, "a command asked to store");
    },
  };
}

/** The endpoint for what people ask of a rollout; `undefined`: no token for it is configured. */
function rolloutEndpoint(
  { config, logger }: EndpointParts,
  current: CurrentTerm,
  host: Host,
): RolloutEndpoint | undefined {
  const source = config.rolloutToken;
  if (source === undefined) return undefined;
  return {
    token: () => readSecret(source, host),
    works: () => current.term !== undefined,
    undeclared: (zones) => zones.filter((name) => current.fleet.zone(name) === undefined),
    command: ({ command, revision, by, from }) =>
      commandRollout(current.term, command, revision, { by, from }),
    audit: (request) => {
      const level = isDone(request) ? "info" : "warn";
      logger[level]({ audit: true, ...request }, "rollout commanded");
    },
  };
}

/** Whether what a command asks stands. */
function isDone({ result }: { readonly result: string }): boolean {
  return result === "done" || result === "as_before";
}

type WrittenStore = Pick<StateStore, "flush" | "isHeld">;

/** Does what a person asks of a rollout. Once it is answered as done, before or now, the next process knows of it. */
export async function commandRollout(
  term:
    | {
        readonly reconciler: Pick<Reconciler, "commandRollout">;
        readonly store: WrittenStore;
      }
    | undefined,
  ...asked: Parameters<Reconciler["commandRollout"]>
): Promise<RolloutAnswer | { readonly result: "not_stored" }> {
  if (term === undefined) return { result: "not_listed" };
  const answer = await term.reconciler.commandRollout(...asked);
  if (!isDone(answer)) return answer;
  return (await isStored(term.store)) ? answer : { result: "not_stored" };
}

/** Whether all that was set is stored, and this process may still write the store. */
async function isStored(store: WrittenStore): Promise<boolean> {
  return (await store.flush()) && store.isHeld();
}

/** Stores what a command sent. That a rule was adopted makes it ours only if the live rule has the same id and ref. */
export async function storeFor(
  json: unknown,
  current: {
    readonly term: Pick<Term, "store"> | undefined;
    readonly fleet: Pick<Fleet, "zone">;
    readonly reconciler: { readonly running: Pick<Reconciler["running"], "has"> };
  },
  { clock }: Pick<Host, "clock">,
): Promise<"stored" | "bad_message" | "no_zone" | "busy" | "not_stored"> {
  const message = storeMessageIn(json);
  if (message === undefined) return "bad_message";
  const { term, fleet, reconciler } = current;
  if (term === undefined) return "not_stored";
  if (zonesOfMessage(message).some((zone) => fleet.zone(zone) === undefined)) return "no_zone";
  // A run that has begun stores at its end what it knew at its beginning.
  if ([...message.adopted.keys()].some((zone) => reconciler.running.has(zone))) return "busy";
  putMessage(message, term.store, clock);
  return (await isStored(term.store)) ? "stored" : "not_stored";
}
