import type { Loaded, ReportedLoad } from "../reconcile/fleet/active-revision.ts";
import { declaredNames } from "../reconcile/fleet/desired-fleet.ts";
import type { ReconcilerPorts } from "../reconcile/reconciler.ts";
import type { JudgedTokenUse } from "../state/audit-status.ts";
import type { Fleet, Subscriber } from "../state/fleet.ts";
import { isLoaded, type HeldRevision, type LoadReport } from "../state/load-report.ts";
import type { RolloutTurn } from "../state/rollout-turn.ts";
import type { ZoneReport } from "../state/run-report.ts";
import type { StepEvent } from "../state/step-wait.ts";
import { type DeclaredZone, unlistedZone, type ZoneState } from "../state/zone-state.ts";
import {
  logCrowdedLabel,
  internalErrorLog,
  logFirstRound,
  logNotes,
  logLoad,
  logRemoval,
  logRollout,
  logRulesetVersion,
  logDiagnostics,
  logZone,
} from "../telemetry/log/log-reports.ts";
import type { Logger } from "../telemetry/log/log.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import { type Diagnostic, errorsFirst, isError } from "../zone/diagnostic.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";

/** The receivers of every report, and what they need. */
export interface ReporterOptions {
  readonly fleet: Fleet;
  readonly metrics: Metrics;
  readonly logger: Logger;
  /** Called after fleet, metrics and log. */
  readonly subscribers: readonly Subscriber[];
  /** Called instead of the subscribers for a run of a zone that was removed from the files meanwhile. */
  readonly undeclared: (report: ZoneReport) => void;
  /** What a run tells about uses of our tokens elsewhere. */
  readonly tokenUses: (report: ZoneReport) => readonly JudgedTokenUse[];
  /** What became of the steps of the zone before a run, each once. */
  readonly stepEvents: (report: ZoneReport) => readonly StepEvent[];
  /** Directory of the files, as the configuration says it. */
  readonly source: string;
  readonly now: () => Date;
  /** Name of the credential with which a zone is written. */
  readonly credentialOf: (zone: Zone) => string;
  /**
   * What is wrong in the configuration now; it counts as wrong in the files.
   *
   * @param declared `undefined`: only a listing tells which zones are.
   */
  readonly configDiagnostics: (
    declared: ReadonlySet<ZoneName> | undefined,
  ) => readonly Diagnostic[];
  /** Called with the listed zones of the active revision after each load. */
  readonly declared: (zones: readonly DesiredZone[]) => void;
  /** Called with what happened to a rollout, after the log. */
  readonly turned: (turn: RolloutTurn, load: LoadReport) => void;
  /** The names of the zones that the process before this one managed. */
  readonly remembered: readonly ZoneName[];
}

/** The reconciler's ports that only report. */
export type Reporter = Pick<
  ReconcilerPorts,
  "report" | "loaded" | "unlisted" | "overlapped" | "bug"
>;

/** Passes each report of the reconciler to the fleet, the metrics, the log and the subscribers, in this order. */
export function createReporter(options: ReporterOptions): Reporter {
  const { fleet, metrics, logger, subscribers } = options;
  const isNewLoad = changedOnly();
  const isNewRevision = changedOnly();
  let isPlanning = false;
  let { remembered } = options;
  /** Declares the zones to the fleet; gives those that are gone. */
  const declare = (
    zones: readonly DeclaredZone[],
    { isAllListed }: ReportedLoad,
    load: LoadReport,
  ): readonly ZoneState[] => {
    if (!isLoaded(load)) {
      // What is broken or not active may declare the zones that are missing here: none of them is gone.
      const names = new Set(zones.map(({ name }) => name));
      const known = fleet.zones.map(({ declared }) => declared);
      fleet.declare([...zones, ...known.filter(({ name }) => !names.has(name))], load.at);
      return [];
    }
    const dropped = fleet.declare(zones, load.at);
    // A zone that no credential has listed yet may still be declared.
    if (!isAllListed) return dropped;
    const droppedDuringStop = fleet.removeUndeclared(remembered, load.at);
    remembered = [];
    return [...dropped, ...droppedDuringStop];
  };
  const crowded = new Set<string>();
  const tellCrowdedLabels = (): void => {
    for (const label of metrics.crowdedLabels(fleet.zones)) {
      if (!crowded.has(label)) logCrowdedLabel(logger, label);
      crowded.add(label);
    }
  };
  const tellTurns = ({ rollout }: ReportedLoad, load: LoadReport): void => {
    for (const turn of rollout.turns) {
      logRollout(logger, turn, load);
      options.turned(turn, load);
    }
  };
  return {
    report: (report) => {
      const tokenUses = options.tokenUses(report);
      const stepEvents = options.stepEvents(report);
      const step = fleet.recordZone(report);
      metrics.recordZone(report, step?.before);
      logZone(logger, report, options.credentialOf, step?.before);
      if (step === undefined) {
        options.undeclared(report);
        return;
      }
      logRulesetVersion(logger, step.before, step.after);
      logNotes(logger, step.before, step.after);
      for (const subscriber of subscribers) {
        subscriber.zone({ ...step, report, tokenUses, stepEvents });
      }
    },
    loaded: (loaded) => {
      const zones = declaredZones(loaded);
      const load = loadReport(loaded, zones.length, options);
      const { result, held } = load;
      const dropped = declare(zones, loaded, load);
      fleet.recordLoad(load);
      tellCrowdedLabels();
      options.declared([...loaded.fleet.zones.values()].map(({ desired }) => desired));
      // The files are polled, and errors stay for hours: each revision with errors counts once, not at each poll.
      const { hash } = loaded.state;
      const wasPlanning = isPlanning;
      isPlanning = isPlanningFirst(loaded);
      if (isPlanning !== wasPlanning) logFirstRound(logger, isPlanning, load);
      if (isNewRevision([result, hash]) || result === "unchanged") metrics.recordLoad(load);
      tellTurns(loaded, load);
      for (const { declared } of dropped) logRemoval(logger, declared.name, load);
      for (const subscriber of subscribers) {
        if (dropped.length > 0) subscriber.gone(dropped, load);
      }
      if (!isNewLoad([result, hash, load.diagnostics, held?.hold])) return;
      if (result !== "unchanged") logDiagnostics(logger, loaded.diagnostics);
      logLoad(logger, load);
      for (const subscriber of subscribers) subscriber.load(load);
    },
    unlisted: ({ code, message, ray }, retryMs) =>
      logger.error({ code, error: message, ray, retry_ms: retryMs }, "zones cannot be listed"),
    overlapped: () => {
      metrics.recordMissedRun("overlap");
      logger.info("sweep delayed: the sweep before is still running");
    },
    bug: internalErrorLog(logger),
  };
}

/** Returns a function that says whether a value differs from the one of the call before. */
export function changedOnly(): (value: unknown) => boolean {
  let last: string | undefined;
  return (value) => {
    const text = JSON.stringify(value);
    const isNew = text !== last;
    last = text;
    return isNew;
  };
}

/** Whether every zone is planned before the first write, and no judgement is known yet. */
function isPlanningFirst({ round, result, fleet }: ReportedLoad): boolean {
  return round.isBinding && round.phase === "planning" && result !== "held" && fleet.zones.size > 0;
}

function loadReport(
  loaded: ReportedLoad,
  zones: number,
  { source, now, configDiagnostics }: ReporterOptions,
): LoadReport {
  const { fleet, isAllListed } = loaded;
  const declared = isAllListed ? declaredNames(fleet) : undefined;
  const diagnostics = errorsFirst([...configDiagnostics(declared), ...loaded.diagnostics]);
  // A configuration with errors keeps its last good version, as each zone file does.
  const result = isLoaded(loaded) && diagnostics.some(isError) ? "partial" : loaded.result;
  const { revision, commit, hash } = loaded.active;
  const held = heldRevision(loaded);
  const { status: rollout } = loaded.rollout;
  return { result, source, revision, commit, hash, held, rollout, diagnostics, zones, at: now() };
}

function heldRevision({ state, hold }: Loaded): HeldRevision | undefined {
  if (hold === undefined) return undefined;
  const { touched, ...held } = hold;
  const { revision, commit, hash } = state;
  return { revision, commit, hash, hold: held, zones: touched.size };
}

/**
 * The zones of the active revision, listed or not. A zone that a held revision would change has its hold, and one that waits
 * for its wave has that; where it is not known what is in force, its plan has it.
 */
function declaredZones(loaded: Loaded): readonly DeclaredZone[] {
  const { fleet, hold, diagnostics } = loaded;
  const { zones, missing } = fleet;
  const broken = new Set(diagnostics.filter(isError).map(({ place }) => place.file));
  const held = hold && { reason: hold.reason, message: hold.message, hash: hold.hash };
  const listed = [...zones.values()].map(({ desired, wave }) => {
    const { zone, content, labels = {}, documents = [] } = desired;
    const files = new Set(documents.map(({ place }) => place.file)).intersection(broken);
    return {
      name: zone.name,
      mode: content.mode,
      suspension: content.suspension,
      labels,
      hold:
        hold?.touched.has(zone.name) === true
          ? held
          : wave?.isHeld === false
            ? wave.hold
            : undefined,
      ...(files.size > 0 && { brokenFiles: [...files] }),
    };
  });
  return [...listed, ...[...missing.keys()].map(unlistedZone)];
}
