import { everythingSeen } from "../api/read/item-query.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../desired/config/config.ts";
import type { DesiredState } from "../desired/load/zone-file-loader.ts";
import { selectWith } from "../desired/zones/select.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import type { Notification } from "../notify/notification.ts";
import type { FleetPart } from "../reconcile/fleet/desired-fleet.ts";
import { InventoryPoller, type ScriptMemory } from "../reconcile/inventory/inventory-poller.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import type { StopSignals } from "../reconcile/signals.ts";
import { renderImpacts } from "../render/impact-text.ts";
import { Fleet, type Subscriber } from "../state/fleet.ts";
import { joinLoads } from "../state/joined-fleet.ts";
import type { StateStore } from "../store/state-store.ts";
import { logInternalError, logInventory } from "../telemetry/log/log-reports.ts";
import { uncheckedScriptsLog } from "../telemetry/log/log-scripts.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { type AuditFollowing, followAudit } from "./audit-following.ts";
import type { ClusterEvents } from "./cluster-events.ts";
import { inventoryOptions, reconcilerOptions, type RunningConfig } from "./config-reload.ts";
import type { CurrentTerms, Term } from "./current-term.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import type { RunHistory } from "./run-history.ts";
import { scriptMemory, scriptsSubscriber, storedScripts } from "./script-checks.ts";
import type { SharedSources } from "./shared-sources.ts";
import type { StoredRevision } from "./stored-revision.ts";
import { StoredRuns } from "./stored-runs.ts";
import { sweepRequests, type SweepSchedule } from "./sweep-schedule.ts";

/** What the daemon is started with. */
export interface DaemonParts {
  /** As it is at the start. */
  readonly config: Config;
  /** Absolute path of the file of `config`. */
  readonly configFile: string;
  readonly service: ServiceClient;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** The election that decides which process works; `undefined`: this one works alone. */
  readonly cluster: Cluster | undefined;
  /** Address of the embedded emulator, if there is one. */
  readonly emulator: string | undefined;
}

/** What lasts as long as the process, and is used by each term. */
export interface TermContext {
  readonly parts: DaemonParts;
  readonly host: Host;
  readonly runningConfig: RunningConfig;
  readonly schedule: SweepSchedule;
  readonly history: RunHistory;
  readonly events: ClusterEvents;
  readonly storedRevision: (
    ...args: ConstructorParameters<typeof StoredRevision>
  ) => StoredRevision;
  /** Told of each run after the history. */
  readonly subscribers: readonly Subscriber[];
  readonly notify: (notification: Notification) => void;
  readonly sources: SharedSources;
  readonly terms: CurrentTerms;
}

/**
 * Begins a term with a state, which ends with it.
 *
 * @param credential whose zones it reconciles; `undefined`: all zones.
 */
export function beginTerm(
  context: TermContext,
  store: StateStore,
  credential: string | undefined,
): Term {
  const { host, runningConfig, schedule, history, sources } = context;
  const config = runningConfig.current;
  const parts = { ...context.parts, config, logger: loggerOf(context.parts, credential) };
  const { service, metrics, logger } = parts;
  const runs = new StoredRuns(store);
  const revision = context.storedRevision(store, config.desired.path, host.files);
  const fleet = createFleet(store, runs);
  const scripts = scriptMemory({ ...context, store, fleet, logger });
  const poller = createInventoryPoller(parts, host, fleet, scripts);
  const wake = (zone: ZoneName): void => reconciler.wakeZone(zone);
  const own = [runs.subscriber, scriptsSubscriber(store), heldPlanSubscriber(poller)];
  const audit = followAudit(runningConfig, service, host, logger, runs, wake);
  const credentialOf = (zone: Zone): string => service.credentialOf(zone);
  const subscribers = context.subscribers.map((each) => withAllLoads(each, context.terms));
  const reporter = createReporter({
    fleet,
    metrics,
    logger,
    subscribers: [history.subscriber, ...subscribers, ...own],
    source: config.desired.path,
    now: () => host.clock.now(),
    credentialOf,
    undeclared: history.recordUndeclared,
    remembered: runs.names,
    configDiagnostics: () => runningConfig.diagnostics,
    declared: (zones) => {
      schedule.expectRequests(sweepRequests(zones, credentialOf), credential);
      poller.declare(zones);
      audit.feed.declare(zones);
    },
  });
  const { authors } = audit;
  const memory = { runs, revision, recordBeforeWrite: history.recordBeforeWrite, authors };
  const work = { parts, host, schedule, sources, credential };
  const reconciler = createReconciler(work, reporter, memory);
  const use = sources.use();
  return {
    credential,
    logger,
    beganAt: host.clock.now(),
    fleet,
    store,
    reconciler,
    poller,
    auditFeed: audit.feed,
    run: (signals) => workUntil(signals, reconciler, [poller, audit.feed]),
    [Symbol.asyncDispose]: async () => {
      use[Symbol.dispose]();
      schedule.expectRequests(new Map(), credential);
      await revision[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The zones, as far as the state knows them. */
function createFleet(store: StateStore, runs: StoredRuns): Fleet {
  return new Fleet(
    (zone) => runs.differedSince(zone),
    (zone) => storedScripts(store, zone),
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
}

/** The log of a term: with shards, its lines name the credential. */
function loggerOf({ logger }: DaemonParts, credential: string | undefined): Logger {
  return credential === undefined ? logger : logger.child({ credential });
}

/** A subscriber of the process: it is told of the files of all terms as of one. */
function withAllLoads(subscriber: Subscriber, terms: CurrentTerms): Subscriber {
  return {
    zone: (step) => subscriber.zone(step),
    gone: (zones, load) => subscriber.gone(zones, load),
    load: (load) => {
      const loads = terms.all.flatMap(({ fleet }) => fleet.load ?? []);
      subscriber.load(joinLoads(loads) ?? load);
    },
  };
}

/** What the reconciler of a term is made of. */
interface ReconcilerParts extends Pick<TermContext, "parts" | "host" | "schedule" | "sources"> {
  readonly credential: string | undefined;
}

/** Connects the reconciler with the zone files, the service, the schedule and the reporter. */
function createReconciler(
  { parts: { config, service, logger }, host, schedule, sources, credential }: ReconcilerParts,
  reporter: Reporter,
  memory: ReconcilerMemory,
): Reconciler {
  const { clock, random, uniqueId } = host;
  let latest: DesiredState | undefined;
  let stored = "";
  const names = service.credentials.map(({ name }) => name);
  return new Reconciler(reconcilerOptions(config), {
    ...reporter,
    loaded: (loaded) => {
      reporter.loaded(loaded);
      const { result, active, round } = loaded;
      const isActive = result === "applied" || result === "partial";
      // What was never judged is not what was applied: the next start judges it again.
      if (round.phase === "planning" && round.isBinding) return;
      if (latest === undefined || latest.hash !== active.hash) return;
      const entry = `${active.hash} ${round.phase} ${round.passed}`;
      if (!isActive && (result !== "unchanged" || entry === stored)) return;
      stored = entry;
      memory.revision.store(latest, round);
    },
    desired: {
      load: async (signal) => {
        latest = await sources.load(signal);
        return latest;
      },
      restore: async (signal) => {
        const known = memory.revision.stored();
        if (known === undefined) return undefined;
        const { revision, commit } = known;
        logger.info({ revision, commit }, "active revision restored from the state");
        return sources.restore(known, signal);
      },
      select: selectWith(config.lint),
    },
    credentials: {
      names: credential === undefined ? names : [credential],
      of: (zone) => service.credentialOf(zone),
    },
    part: credential === undefined ? undefined : partOf(credential, names, service),
    listZones: (signal) => sources.listZones(signal),
    reader: service.reader,
    writer: service.writer,
    clock,
    random,
    ...memory,
    store: memory.runs,
    runId: uniqueId,
    nextSweep: () => schedule.nextRun(),
  });
}

/** The zones of one credential. Names that no credential lists are reported with the first. */
function partOf(
  credential: string,
  [first]: readonly string[],
  { credentialOf }: Pick<ServiceClient, "credentialOf">,
): FleetPart {
  return {
    owns: (zone) => credentialOf(zone) === credential,
    ownsMissing: credential === first,
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
      listItems: (zone, kind, stop) => inventory.list(zone, kind, everythingSeen, stop),
      readManaged: (zone, id, stop) =>
        managedRulesets.read({ level: "zone", zone }, id, undefined, stop),
      listScriptsOn: (zone, pages, stop) => inventory.listScriptsOn(zone, pages, stop),
      readScript: (zone, id, stop) => inventory.readScript(zone, id, stop),
    },
    clock,
    random,
    impactLines: (impact) => renderImpacts([impact], { color: false }).split("\n"),
    report: (report) => {
      logInventory(logger, fleet.zone(report.zone)?.inventory, report);
      fleet.recordInventory(report);
    },
    scripts,
    unchecked: uncheckedScriptsLog(logger),
    bug: (error, zone) => {
      logInternalError(logger, error, zone);
    },
  });
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
