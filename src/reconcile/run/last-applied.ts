import {
  appliedText,
  appliedZoneIn,
  type AppliedZone,
  mentions,
} from "../../plan/cause/applied-zone.ts";
import { causesIn } from "../../plan/cause/cause.ts";
import { explainChanges } from "../../plan/cause/explain.ts";
import { isLeftLive, leftLiveNotes } from "../../plan/cause/left-live.ts";
import { type ChangeOutcome, nextApplied } from "../../plan/cause/next-applied.ts";
import type { Change } from "../../plan/change.ts";
import type { Plan } from "../../plan/plan.ts";
import {
  type Applied,
  changeResultOf,
  type Outcome,
  type PlannedReport,
  type ZoneReport,
} from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import { declaredOf, type DesiredZone, type ZoneContent } from "../../zone/desired-zone.ts";
import type { ScoreRule } from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { withStepValues } from "../../zone/promoted-objects.ts";
import { listedKinds } from "../../zone/resource.ts";
import { isRulesetWrite } from "../../zone/write.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "../fleet/desired-fleet.ts";
import type { AsHeld } from "./as-held.ts";
import type { RunStore } from "./run-store.ts";

/**
 * A plan whose changes have causes, and which tells what is left live, by the text that says what was last applied.
 *
 * @param before what the zone declared before, where a command knows it from Git.
 */
export function explainPlan(
  plan: Plan,
  content: ZoneContent,
  applied: string,
  before?: ZoneContent,
): Plan {
  const isWhole =
    before === undefined &&
    !plan.notes.some(isLeftLive) &&
    listedKinds.every(
      (kind) => declaredOf(content, kind) !== undefined || !mentions(applied, kind),
    );
  if (isWhole && plan.changes.length === 0) return plan;
  const last = appliedZoneIn(applied);
  // The plan of an unchanged zone has them already.
  const notes = plan.notes.filter((note) => !isLeftLive(note));
  const declared = before && nextApplied(undefined, before, documentedScoreRuleId, []);
  const known = new Map([...(last ?? []), ...(declared ?? [])]);
  return {
    ...plan,
    changes: explainChanges(plan, content, last),
    notes: [...notes, ...leftLiveNotes(content, known)],
  };
}

/**
 * Remembers what was last applied to each zone, or last seen in sync. It tells drift from a changed file; what is planned
 * follows from the desired and the live state alone.
 */
export class LastApplied {
  readonly #store: RunStore;
  /** Digest of the declaration whose values are stored, by zone: nothing is to be stored while it stays in sync. */
  readonly #inSync = new Map<ZoneName, string>();
  /** What was stored before the writes of a run in progress. */
  readonly #beforeWrites = new Map<ZoneName, string>();

  constructor(store: RunStore) {
    this.#store = store;
  }

  explain(plan: Plan, content: ZoneContent): Plan {
    return explainPlan(plan, content, this.#store.applied(plan.zone.name));
  }

  /**
   * Notes, before the first write, what a process that is killed now cannot know: whether a new value was applied. The
   * write waits until it is stored: else the next process takes the new value for drift.
   */
  writing(report: ZoneReport, zone: FleetZone, scoreRule: ScoreRule | undefined): void {
    if (report.result !== "planned") return;
    const before = this.#store.applied(report.zone);
    this.#beforeWrites.set(report.zone, before);
    this.#inSync.delete(report.zone);
    const outcomes = report.plan.changes.map((change) => outcomeOf(change, "unknown"));
    this.#set(report.zone, before, plannedContent(report, zone), scoreRule, outcomes);
  }

  /** Takes in the result of a run. */
  record(report: ZoneReport, zone: FleetZone, scoreRule: ScoreRule | undefined): void {
    if (report.result === "error") return;
    const name = report.zone;
    const converged = isConverged(report);
    if (converged && this.#inSync.get(name) === zone.digest) return;
    const before = this.#beforeWrites.get(name) ?? this.#store.applied(name);
    this.#beforeWrites.delete(name);
    this.#set(name, before, plannedContent(report, zone), scoreRule, outcomesIn(report));
    if (converged) this.#inSync.set(name, zone.digest);
    else this.#inSync.delete(name);
  }

  /** Whether it is known of all that a plan would write what was last applied. */
  knows({ zone, content }: DesiredZone, planned: Plan): boolean {
    const last = appliedZoneIn(this.#store.applied(zone.name));
    return !causesIn(explainChanges(planned, content, last)).includes("unknown");
  }

  /** Takes in that a zone is live as a held revision declares it: that was applied last, though not by this process. */
  found(
    name: ZoneName,
    { content, toHeld }: Pick<AsHeld, "content" | "toHeld">,
    scoreRule: ScoreRule | undefined,
  ): void {
    this.#inSync.delete(name);
    const outcomes = toHeld.map((change) => outcomeOf(change, "not_done"));
    this.#set(name, this.#store.applied(name), content, scoreRule, outcomes);
  }

  /** Forgets zones that are no longer declared; what is stored of them is the store's. */
  keepOnly(declared: ReadonlySetLike<ZoneName>): void {
    for (const name of this.#inSync.keys()) if (!declared.has(name)) this.#inSync.delete(name);
  }

  #set(
    name: ZoneName,
    before: string,
    content: ZoneContent,
    scoreRule: ScoreRule | undefined,
    outcomes: readonly ChangeOutcome[],
  ): void {
    const last: AppliedZone | undefined = appliedZoneIn(before);
    const next = nextApplied(last, content, scoreRule?.id ?? documentedScoreRuleId, outcomes);
    this.#store.setApplied(name, appliedText(next));
  }
}

/** What a zone declares, at the steps of its plan. */
function plannedContent({ plan }: PlannedReport, { desired }: FleetZone): ZoneContent {
  return withStepValues(desired.content, plan.steps);
}

function outcomesIn(report: PlannedReport): readonly ChangeOutcome[] {
  const { changes } = report.plan;
  if (report.result !== "applied") return changes.map((change) => outcomeOf(change, "not_done"));
  return changes.map((change) => {
    const left = report.left.find(({ key }) => key === change.key)?.fields ?? [];
    return {
      change,
      result: resultOf(change, report),
      left: left.map(({ field }) => field),
    };
  });
}

function outcomeOf(change: Change, result: ChangeOutcome["result"]): ChangeOutcome {
  return { change, result, left: [] };
}

function resultOf(change: Change, { outcomes }: Applied): ChangeOutcome["result"] {
  const own = outcomes.filter(({ write }) => write.changes.includes(change.key));
  if (own.some(isInternalError)) return "unknown";
  const result = changeResultOf(change, outcomes);
  if (result === "done" || result === "unknown") return result;
  return isHalfDone(own) ? "unknown" : "not_done";
}

/** Whether only one was written of a custom ruleset and the rule that executes it. */
function isHalfDone(own: readonly Outcome[]): boolean {
  return (
    own.some(({ write }) => isRulesetWrite(write)) && own.some(({ status }) => status === "done")
  );
}

/** After an error of ours, whether the write was sent is not known. */
function isInternalError(outcome: Outcome): boolean {
  return outcome.status === "failed" && outcome.failure.code === "INTERNAL";
}
