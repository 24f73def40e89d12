import { everythingSeen } from "../api/read/read-inventory.ts";
import type { Election } from "../cluster/election.ts";
import type { Config } from "../desired/config/config.ts";
import { undeclaredCanaries } from "../desired/config/undeclared-canaries.ts";
import { type LoadedFiles, ZoneFileLoader } from "../desired/load/zone-file-loader.ts";
import { selectWith } from "../desired/zones/select.ts";
import type { UnstoredLines } from "../history/file/unstored-lines.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import { Collector } from "../measure/collector.ts";
import { GateKeeper } from "../measure/gate-keeper.ts";
import type { MeasurementStore } from "../measure/measurement-store.ts";
import type { LeaderDatabase } from "../memory/database.ts";
import type { KeptStore } from "../memory/kept-store.ts";
import { remembered, zoneKeys } from "../memory/state-keys.ts";
import type { StateStore } from "../memory/state-store.ts";
import type { StoredFiles, StoredRevision } from "../memory/stored-revision.ts";
import { StoredRuns } from "../memory/stored-runs.ts";
import type { EventRecorder } from "../notify/event-recorder.ts";
import { type Notification, notificationOfTurn } from "../notify/notification.ts";
import type { Loaded } from "../reconcile/fleet/active-revision.ts";
import { revisionsInForce } from "../reconcile/fleet/desired-fleet.ts";
import { InventoryPoller, type ScriptMemory } from "../reconcile/inventory/inventory-poller.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import { blockedScripts } from "../reconcile/steps/blocked-scripts.ts";
import type { StepsPorts } from "../reconcile/steps/steps.ts";
import { renderImpacts } from "../render/impact-text.ts";
import { Fleet, type Subscriber } from "../state/fleet.ts";
import { recordOfTurn } from "../state/rollout-turn.ts";
import type { Applied } from "../state/run-report.ts";
import { logCollector, logUnusualShare } from "../telemetry/log/log-measurements.ts";
import { internalErrorLog, logInternalError, logInventory } from "../telemetry/log/log-reports.ts";
import { uncheckedScriptsLog } from "../telemetry/log/log-scripts.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { DesiredState } from "../zone/desired-state.ts";
import { settledWithin, type StopSignals } from "../zone/signals.ts";
import type { ZoneName } from "../zone/zone.ts";
import { type AuditFollowing, followAudit } from "./audit-following.ts";
import { inventoryOptions, reconcilerOptions, type RunningConfig } from "./config-reload.ts";
import type { Term } from "./current-term.ts";
import { recentRecords } from "./recent-records.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import type { RunHistory } from "./run-history.ts";
import { scriptMemory } from "./script-checks.ts";
import { StepEvents } from "./step-events.ts";
import { sweepRequests, type SweepSchedule } from "./sweep-schedule.ts";
import { tokenChecks } from "./token-checks.ts";
import { leaseReason } from "./zone-answers.ts";

/** How long a write waits for the store: a disk that hangs must not stop the protection of all zones. */
const longestStoreMs = 5_000;

/** What the daemon is started with. */
export interface DaemonParts {
  /** As it is at the start. */
  readonly config: Config;
  /** Absolute path of the file of `config`. */
  readonly configFile: string;
  readonly service: ServiceClient;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The store that several processes share, and which of them works; `undefined`: this one works alone. */
  readonly shared: SharedStore | undefined;
  /** Writes Events of Kubernetes; `undefined`: none are written. */
  readonly events: EventRecorder | undefined;
  /** Address of the embedded emulator, if there is one. */
  readonly emulator: string | undefined;
}

/** A database, and the election among the processes that use it. */
export interface SharedStore {
  readonly database: LeaderDatabase;
  readonly election: Election;
}

/** What lasts as long as the process, and is used by each term. */
export interface TermContext {
  readonly parts: DaemonParts;
  readonly host: Host;
  readonly runningConfig: RunningConfig;
  readonly schedule: SweepSchedule;
  readonly storedRevision: (
    ...args: ConstructorParameters<typeof StoredRevision>
  ) => StoredRevision;
  /** Told of each run after the history. */
  readonly subscribers: readonly Subscriber[];
  readonly notify: (notification: Notification | undefined) => void;
  readonly unstored: UnstoredLines;
  /** Of the process. */
  readonly signals: StopSignals;
}

/** What a term remembers. */
export interface TermMemory {
  readonly store: KeptStore;
  /** It ends with the term. */
  readonly history: RunHistory;
}

/** Stores what follows from a loss of the state, before anything else: the next process must not miss it. */
export async function storeLoss(kept: KeptStore, { limits }: Config): Promise<void> {
  if (!kept.isRestored) return;
  const runs = new StoredRuns(kept.state);
  // Which releases were used is lost: each of them counts as used.
  runs.setUsedReleases(limits.accept);
  runs.forgetSteps();
  kept.settleLoss();
  await kept.state.flush();
}

/** Begins a term with a store, whose end is the caller's, and a history. */
export function beginTerm(context: TermContext, { store: kept, history }: TermMemory): Term {
  const { host, runningConfig, schedule } = context;
  const { state: store } = kept;
  const config = runningConfig.current;
  const parts = { ...context.parts, config };
  const { service, metrics, logger } = parts;
  const runs = new StoredRuns(store);
  const revision = context.storedRevision(store, config.desired.path, host.files);
  const fleet = createFleet(store, runs);
  const scripts = scriptMemory({ store, fleet, logger, history, notify: context.notify });
  const poller = createInventoryPoller(parts, host, fleet, scripts);
  const stepEvents = new StepEvents({ fleet, logger, notify: context.notify, clock: host.clock });
  const wake = (zone: ZoneName): void => reconciler.wakeZone(zone);
  const collector = createCollector(parts, host, kept.measurements);
  const own = [runs.subscriber, heldPlanSubscriber(poller), liveSubscriber(collector)];
  const audit = followAudit(runningConfig, service, host, logger, runs, wake, context.notify);
  const { credentialOf } = service;
  const reporter = createReporter({
    fleet,
    metrics,
    logger,
    subscribers: [history.subscriber, ...context.subscribers, ...own],
    source: config.desired.path,
    now: () => host.clock.now(),
    credentialOf,
    undeclared: history.recordUndeclared,
    turned: (turn, load) => {
      history.recordRollout(recordOfTurn(turn, load));
      context.notify(notificationOfTurn(turn, load));
    },
    tokenUses: (report) => audit.feed.usesJudgedBy(report),
    stepEvents: stepEvents.of,
    remembered: runs.names,
    configDiagnostics: (declared) => [
      ...runningConfig.diagnostics,
      ...(declared === undefined ? [] : undeclaredCanaries(runningConfig.current, declared)),
    ],
    declared: (zones) => {
      schedule.expectRequests(sweepRequests(zones, credentialOf, config.api.rulesetVersions));
      poller.declare(zones);
      audit.feed.declare(zones);
      collector.declare(zones);
    },
  });
  const { authors } = audit;
  const recordBeforeWrite = async (report: Applied): Promise<void> => {
    // Both go in one round trip. What a write makes of the state must outlive a kill: else it counts as drift.
    await Promise.all([
      settledWithin(longestStoreMs, store.flush(), host.clock),
      history.recordBeforeWrite(report),
    ]);
    // Where another process took the store over, it writes the zones from now on.
    if (!(await store.isHeld())) throw new Error("the store was taken over: nothing is written");
  };
  const happened = stepEvents.happened;
  const steps = stepsPorts(parts, host, {
    runs,
    collector,
    measurements: kept.measurements,
    happened,
  });
  const memory = { runs, revision, recordBeforeWrite, authors, steps };
  const reconciler = createReconciler({ parts, host, schedule }, reporter, memory);
  const gate = gateKeeper(parts, host, reconciler, collector, kept.measurements);
  return {
    logger,
    beganAt: host.clock.now(),
    fleet,
    history,
    store,
    reconciler,
    poller,
    auditFeed: audit.feed,
    collector,
    measurements: recentRecords(kept.measurements, host.clock),
    run: (signals) => {
      const others = [poller, audit.feed, collector, ...gate];
      return workUntil(signals, reconciler, others);
    },
    [Symbol.asyncDispose]: async () => {
      await revision[Symbol.asyncDispose]();
      runs.setFormerTerm(audit.feed.term);
      await history[Symbol.asyncDispose]();
    },
  };
}

/** The zones, as far as the state knows them. */
function createFleet(store: StateStore, runs: StoredRuns): Fleet {
  return new Fleet(
    (zone) => runs.differedSince(zone),
    (zone) => remembered(store, zoneKeys.scripts, zone),
  );
}

async function workUntil(
  signals: StopSignals,
  reconciler: Reconciler,
  others: readonly Pick<InventoryPoller, "runUntil">[],
): Promise<void> {
  reconciler.requestSweep("startup");
  await Promise.all([
    reconciler.runUntil(signals),
    ...others.map((other) => other.runUntil(signals.stop)),
  ]);
}

/** What the reconciler remembers across restarts. */
interface ReconcilerMemory {
  readonly runs: StoredRuns;
  readonly revision: StoredRevision;
  readonly recordBeforeWrite: RunHistory["recordBeforeWrite"];
  readonly authors: AuditFollowing["authors"];
  readonly steps: StepsPorts;
}

/** What the reconciler of a term is made of. */
type ReconcilerParts = Pick<TermContext, "parts" | "host" | "schedule">;

/** Connects the reconciler with the zone files, the service, the schedule and the reporter. */
function createReconciler(
  { parts: { config, service, logger, shared }, host, schedule }: ReconcilerParts,
  reporter: Reporter,
  memory: ReconcilerMemory,
): Reconciler {
  const { clock, random, uniqueId } = host;
  let latest: LoadedFiles | undefined;
  const bug = (error: unknown): void => logInternalError(logger, error, "");
  const { desired, lint } = config;
  const options = { path: desired.path, files: host.files, clock, lint, bug };
  const loader = new ZoneFileLoader({ ...options, label: host.commitLabel });
  const checkTokens = tokenChecks(service.reader, logger);
  const restoreEarlier = async (
    { files, revision, commit, hash }: StoredFiles,
    signal: AbortSignal,
  ): Promise<DesiredState> => {
    const state = await new ZoneFileLoader(options).restore(files, signal);
    return { ...state, revision, commit, hash };
  };
  return new Reconciler(reconcilerOptions(config), {
    ...reporter,
    loaded: (loaded) => {
      reporter.loaded(loaded);
      const { active, round, rollout } = loaded;
      storeHold(loaded, memory.runs);
      // Before the files: else the next process would let all zones go.
      memory.runs.setRollout(rollout.stored);
      // What was never judged is not what was applied: the next start judges it again.
      if (round.phase === "planning" && round.isBinding) return;
      // Also what did not change: where a file changed while it was stored, nothing of it is.
      if (latest?.hash === active.hash) {
        memory.revision.store(latest, round, revisionsInForce(rollout.stored));
      }
    },
    desired: {
      load: async (signal) => {
        latest = await loader.load(signal);
        return latest;
      },
      restore: async (signal) => {
        const known = memory.revision.stored();
        if (known === undefined) return undefined;
        const { revision, commit, round } = known;
        logger.info({ revision, commit }, "active revision restored from the state");
        const state = await loader.restore(known.files, signal);
        const rollout = memory.runs.rolloutOf(known.hash);
        const earlier = new Map<string, DesiredState>();
        for (const hash of revisionsInForce(rollout)) {
          const files = hash === known.hash ? known : memory.revision.earlier(hash);
          if (files !== undefined) earlier.set(hash, await restoreEarlier(files, signal));
        }
        // Its hash is that of what was loaded: a forged one must not make these files pass for those on the disk.
        return { state: { ...state, revision, commit }, round, rollout, earlier };
      },
      select: selectWith(config),
    },
    credentials: {
      names: service.credentials.map(({ name }) => name),
      of: service.credentialOf,
    },
    listZones: async (signal) => {
      const listing = await service.reader.listZones(signal);
      checkTokens(listing.zones, signal);
      return listing;
    },
    reader: service.reader,
    writer: service.writer,
    lease: () => leaseReason(shared?.election),
    clock,
    random,
    ...memory,
    store: memory.runs,
    runId: uniqueId,
    schedule,
  });
}

/** Stores what holds a revision, until another one is active. */
function storeHold({ state, active, hold }: Loaded, runs: StoredRuns): void {
  if (hold?.hash !== undefined) {
    const { message, hash, touched } = hold;
    runs.setHeld({ revision: state.revision, message, hash, zones: [...touched] });
  } else if (state.hash === active.hash) {
    runs.setHeld(undefined);
  }
}

/** Connects the steps of objects with the measurements, the scripts, the store and the log. */
function stepsPorts(
  { config: { impact }, service, logger }: DaemonParts,
  { clock }: Host,
  {
    runs,
    collector,
    measurements,
    happened,
  }: {
    readonly runs: StoredRuns;
    readonly collector: Collector;
    readonly measurements: MeasurementStore;
    readonly happened: StepsPorts["happened"];
  },
): StepsPorts {
  return {
    clock,
    store: runs,
    serviceNow: () => collector.serviceNow,
    isMeasuring: () => collector.status.state !== "off",
    lastHour: () => collector.judged,
    measurements,
    readRecent: collector.readRecent,
    blockedScripts: blockedScripts({ reader: service.reader, clock, impact }),
    happened,
    bug: internalErrorLog(logger),
  };
}

/** Connects the inventory poller with the service, the log and the fleet. */
function createInventoryPoller(
  { config, service, logger }: DaemonParts,
  { clock, random }: Host,
  fleet: Fleet,
  scripts: ScriptMemory,
): InventoryPoller {
  const { reader, inventory, managedRulesets } = service;
  fleet.followInventory(config.inventory !== undefined);
  return new InventoryPoller(inventoryOptions(config), {
    source: {
      readAnswers: (...args) => reader.readAnswers(...args),
      listItems: (zone, kind, stop) => inventory.list(zone, kind, everythingSeen(kind), stop),
      readManaged: (zone, id, stop) =>
        managedRulesets.read({ level: "zone", zone }, id, undefined, stop),
      listScriptsOn: (zone, pages, stop) => inventory.listScriptsOn(zone, pages, stop),
      readScript: (zone, id, stop) => inventory.readScript(zone, id, stop),
    },
    clock,
    random,
    impactLines: (impact) => renderImpacts([impact], { color: false }).split("\n"),
    report: (report) => logInventory(logger, fleet.recordInventory(report), report),
    scripts,
    unchecked: uncheckedScriptsLog(logger),
    bug: internalErrorLog(logger),
  });
}

/** Connects the collector of measurements. */
function createCollector(
  { config, service, logger }: DaemonParts,
  { clock, random }: Host,
  store: MeasurementStore,
): Collector {
  return new Collector(config.measurements, {
    ask: service.analytics,
    credentialOf: service.credentialOf,
    store,
    clock,
    random,
    changed: (status) => logCollector(logger, status),
    unusual: (zone, share) => logUnusualShare(logger, zone, share),
    bug: internalErrorLog(logger),
  });
}

/** Judges the gate of the waves by what is measured; none: there is no gate. */
function gateKeeper(
  { config: { rollout }, logger }: DaemonParts,
  { clock }: Host,
  reconciler: Reconciler,
  collector: Collector,
  reader: MeasurementStore,
): readonly GateKeeper[] {
  if (rollout?.gate === undefined) return [];
  const keeper = new GateKeeper(
    { limits: rollout.gate, soakMs: rollout.soakMs },
    {
      gated: () => reconciler.gated,
      judged: (judgements) => reconciler.judgeGate(judgements),
      reader,
      serviceNow: () => collector.serviceNow,
      clock,
      bug: internalErrorLog(logger),
    },
  );
  return [keeper];
}

/** Tells the collector which objects are live, by their ids. */
function liveSubscriber(collector: Collector): Subscriber {
  return {
    zone: ({ report }) => {
      if (!("plan" in report)) return;
      const { liveKeys, policyForms } = report.plan;
      // The plan was made before the writes: the next run finds what the policies do now.
      collector.note(report.zone, liveKeys, report.result === "applied" ? undefined : policyForms);
    },
    load: () => undefined,
    gone: () => undefined,
  };
}

/** Reads the impact of each held plan, for the person who decides on it. */
function heldPlanSubscriber(poller: InventoryPoller): Subscriber {
  return {
    zone: ({ report }) => {
      if (report.result === "held") poller.planHeld(report.plan);
    },
    load: () => undefined,
    gone: () => undefined,
  };
}
