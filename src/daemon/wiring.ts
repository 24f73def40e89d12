import { everythingSeen } from "../api/read/item-query.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Config } from "../desired/config/config.ts";
import { type DesiredState, ZoneFileLoader } from "../desired/load/zone-file-loader.ts";
import { selectWith } from "../desired/zones/select.ts";
import type { ServiceClient } from "../host/connect.ts";
import type { Host } from "../host/host.ts";
import type { Notification } from "../notify/notification.ts";
import { InventoryPoller, type ScriptMemory } from "../reconcile/inventory/inventory-poller.ts";
import { Reconciler } from "../reconcile/reconciler.ts";
import { renderImpacts } from "../render/impact-text.ts";
import { Fleet, type Subscriber } from "../state/fleet.ts";
import type { StateStore } from "../store/state-store.ts";
import { logInternalError, logInventory } from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { type AuditFollowing, followAudit } from "./audit-following.ts";
import type { ClusterEvents } from "./cluster-events.ts";
import { inventoryOptions, reconcilerOptions, type RunningConfig } from "./config-reload.ts";
import type { Term } from "./current-term.ts";
import { createReporter, type Reporter } from "./reporter.ts";
import type { RunHistory } from "./run-history.ts";
import { scriptMemory, scriptsSubscriber, storedScripts } from "./script-checks.ts";
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
}

/** Begins a term with a state, which ends with it. */
export function beginTerm(context: TermContext, store: StateStore): Term {
  const { host, runningConfig, schedule, history, subscribers } = context;
  const config = runningConfig.current;
  const parts = { ...context.parts, config };
  const { service, metrics, logger } = parts;
  const runs = new StoredRuns(store);
  const revision = context.storedRevision(store, config.desired.path, host.files);
  const fleet = new Fleet(
    (zone) => runs.differedSince(zone),
    (zone) => storedScripts(store, zone),
  );
  const scripts = scriptMemory({ ...context, store, fleet, logger });
  const poller = createInventoryPoller(parts, host, fleet, scripts);
  const wake = (zone: ZoneName): void => reconciler.wakeZone(zone);
  const own = [runs.subscriber, scriptsSubscriber(store), heldPlanSubscriber(poller)];
  const audit = followAudit(runningConfig, service, host, logger, runs, wake);
  const credentialOf = (zone: Zone): string => service.credentialOf(zone);
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
      schedule.expectRequests(sweepRequests(zones, credentialOf));
      poller.declare(zones);
      audit.feed.declare(zones);
    },
  });
  const { recordBeforeWrite } = history;
  const memory = { runs, revision, recordBeforeWrite, authors: audit.authors };
  const reconciler = createReconciler(parts, host, schedule, reporter, memory);
  return {
    beganAt: host.clock.now(),
    fleet,
    store,
    reconciler,
    poller,
    auditFeed: audit.feed,
    run: async (signals) => {
      reconciler.requestSweep("startup");
      await Promise.all([
        reconciler.runUntil(signals),
        poller.runUntil(signals.stop),
        audit.feed.runUntil(signals.stop),
      ]);
    },
    [Symbol.asyncDispose]: async () => {
      await revision[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** What the reconciler remembers across restarts. */
interface ReconcilerMemory {
  readonly runs: StoredRuns;
  readonly revision: StoredRevision;
  readonly recordBeforeWrite: RunHistory["recordBeforeWrite"];
  readonly authors: AuditFollowing["authors"];
}

/** Connects the reconciler with the zone files, the service, the schedule and the reporter. */
function createReconciler(
  { config, service, logger }: DaemonParts,
  host: Host,
  schedule: SweepSchedule,
  reporter: Reporter,
  memory: ReconcilerMemory,
): Reconciler {
  const { clock, random, uniqueId } = host;
  const desired = createLoader(config, host, reporter);
  let latest: DesiredState | undefined;
  let stored = "";
  const verifyTokens = tokenVerifier(service, logger);
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
        latest = await desired.load(signal);
        return latest;
      },
      restore: async (signal) => {
        const known = memory.revision.stored();
        if (known === undefined) return undefined;
        const { revision, commit, hash, round, files: storedFiles } = known;
        logger.info({ revision, commit }, "active revision restored from the state");
        const state = { ...(await desired.loadFrom(storedFiles, signal)), revision, commit, hash };
        return { state, round };
      },
      select: selectWith(config.lint),
    },
    credentials: {
      names: service.credentials.map(({ name }) => name),
      of: (zone) => service.credentialOf(zone),
    },
    listZones: async (signal) => {
      const listing = await service.reader.listZones(signal);
      void verifyTokens(listing.zones, signal);
      return listing;
    },
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

function createLoader(
  { desired, lint }: Config,
  { files, clock }: Host,
  reporter: Reporter,
): ZoneFileLoader {
  const bug = (error: unknown): void => reporter.bug(error, "");
  return new ZoneFileLoader({ path: desired.path, files, clock, lint, bug });
}

/** Asks the service when the tokens expire, one check at a time; the answers are in the state of the credentials. */
function tokenVerifier(
  { reader }: ServiceClient,
  logger: Logger,
): (zones: readonly Zone[], signal: AbortSignal) => Promise<void> {
  let isVerifying = false;
  return async (zones, signal) => {
    if (isVerifying) return;
    isVerifying = true;
    try {
      await reader.verifyTokens(zones, signal);
    } catch (error) {
      if (!signal.aborted) logger.debug({ err: error }, "tokens cannot be verified");
    } finally {
      isVerifying = false;
    }
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
