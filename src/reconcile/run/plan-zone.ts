import { blocksInUse, canBlockMore } from "../../impact/blocks-in-use.ts";
import { cspImpact } from "../../impact/csp-impact.ts";
import { comparedPolicies } from "../../impact/zone-impact.ts";
import { adoptionIn } from "../../plan/adoption.ts";
import type { Change } from "../../plan/change.ts";
import {
  endedSuspensionNotes,
  guard,
  type GuardInput,
  isEndedSuspension,
} from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Ownership } from "../../plan/ownership.ts";
import { plan, type Plan } from "../../plan/plan.ts";
import { needScoreRule } from "../../plan/rules/owasp-tuning.ts";
import { confirmSaved } from "../../plan/saved/confirm.ts";
import { partsTouched, type SavedPlan } from "../../plan/saved/saved-plan.ts";
import { failureOf, type Trigger, type ZoneReport } from "../../state/run-report.ts";
import { declaredRules, type DesiredZone, type ZoneContent } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type {
  Clock,
  DeclaredRulesets,
  KnownAnswers,
  LiveReader,
  PartsToRead,
  RequestPriority,
  ZoneAnswers,
  ReadTimes,
} from "../../zone/ports.ts";
import { withStepValues } from "../../zone/promoted-objects.ts";
import { type RulePhase, rulePhases, type RuleQuotas } from "../../zone/rule-phase.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { Windows } from "../schedule/windows.ts";
import { type AsHeld, asHeld, comparedContent, type HeldRequest } from "./as-held.ts";

/** Why a zone is run, and for which revision of the files. */
export interface RunContext {
  readonly trigger: Trigger;
  readonly priority: RequestPriority;
  readonly revision: string;
  /** Git's name for the revision. */
  readonly commit?: string | undefined;
}

/** How the inventory is judged. */
export interface ImpactLimits {
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
  /** What browsers reported within this time is in use. */
  readonly freshMs: number;
}

export interface PlanRequest extends RunContext {
  readonly desired: DesiredZone;
  readonly owner: string;
  readonly impact: ImpactLimits;
  /** What is ours without a mark, and whether the plan marks what is declared; by default what carries our mark is ours. */
  readonly ownership?: Ownership;
  /** How many rules a contract allows where that is not what the service publishes. */
  readonly quotas?: RuleQuotas;
  /** Whether only ownership is taken, and nothing else is changed. */
  readonly adoptOnly?: boolean;
  /** The plan without changes that the same answers led to before; `undefined` if there is none. */
  readonly unchangedPlan: (digest: string) => Plan | undefined;
  /** Answers that `unchangedPlan` has a plan of; left out: all that is declared is read in full. */
  readonly known?: KnownAnswers | undefined;
  /** What is declared of the zone and waits for its wave, while `desired` is in force; left out: nothing. */
  readonly waiting?: ZoneContent | undefined;
  /** What a held revision declares of the zone instead; left out: nothing. */
  readonly heldRevision?: HeldRequest | undefined;
  /**
   * The plan with the causes of its changes, and who made their drift; a plan with changes has a live state.
   *
   * @param staysAs `undefined`: the zone is not live as a held revision declares it.
   */
  readonly explain: (plan: Plan, live: LiveZone | undefined, staysAs: AsHeld | undefined) => Plan;
  readonly holdsAt: (plan: Plan, now: Date) => readonly Hold[];
}

export interface SavedPlanRequest
  extends RunContext, Pick<PlanRequest, "desired" | "owner" | "impact" | "ownership" | "quotas"> {
  readonly saved: SavedPlan;
  /** The holds of the current files and guards. They get the whole plan of today. */
  readonly holdsAt: (plan: Plan, now: Date) => readonly Hold[];
}

export interface PlanPorts {
  readonly reader: LiveReader;
  readonly clock: Clock;
  /** A new name for each run. */
  readonly runId: () => string;
  /** Reports an internal error. */
  readonly bug: (error: unknown, zone: string) => void;
}

/** The changes of a plan, and the writes that make them. */
export type Remaining = Pick<Plan, "changes" | "writes" | "waitsFor">;

/** A plan with all that is needed to apply it. */
export interface PlannedZone {
  readonly report: ZoneReport;
  /** `undefined` if the zone could not be read, or if the plan without changes was known already. */
  readonly live: LiveZone | undefined;
  /** Digest of the live state, "" if it could not be read. */
  readonly digest: string;
  readonly readAt: ReadTimes;
  readonly rules?: ZoneAnswers["rules"];
  /** Writes that must not be sent, since what they touch has changed after the plan was reviewed. */
  readonly conflicts: readonly Write[];
  readonly holdsAt: (now: Date) => readonly Hold[];
  /** What a live state still needs. */
  readonly remainingIn: (live: LiveZone) => Remaining;
  /** Left out: the zone is not live as a held revision declares it. */
  readonly staysAs?: AsHeld | undefined;
  /** Left out: nothing waits, or it is not asked again. */
  readonly compared?: ComparedChanges | undefined;
}

/** The changes from one live state to what is in force, and to the declaration that waits. */
export interface ComparedChanges {
  readonly toInForce: readonly Change[];
  readonly toWaiting: readonly Change[];
}

/** Reads a declared zone, plans it and asks the guards. Never writes. */
export async function planZone(
  request: PlanRequest,
  ports: PlanPorts,
  signal: AbortSignal,
): Promise<PlannedZone> {
  const { desired, owner, ownership, quotas, adoptOnly = false, waiting, heldRevision } = request;
  const { zone } = desired;
  const planOf = (content: ZoneContent, live: LiveZone): Plan => {
    const planned = plan({ zone, content }, live, owner, ownership, quotas);
    return adoptOnly ? adoptionIn(planned) : planned;
  };
  const explained = (
    found: Plan,
    live: LiveZone | undefined,
    staysAs: AsHeld | undefined,
  ): Plan => {
    const planned = request.explain(found, live, staysAs);
    // The plan of an unchanged zone may have them already.
    const notes = planned.notes.filter((note) => !isEndedSuspension(note));
    const ended = endedSuspensionNotes(desired.content.suspension, ports.clock.now());
    return { ...planned, notes: [...notes, ...ended] };
  };
  const planFrom = async (answers: ZoneAnswers): Promise<PlanOfAnswers> => {
    // A plan follows from the declaration and the answers alone: if both are unchanged, so is the plan.
    const known = request.unchangedPlan(answers.digest);
    if (known !== undefined) {
      const remainingIn = (after: LiveZone): Plan => planOf(desired.content, after);
      return { plan: explained({ ...known, zone }, undefined, undefined), remainingIn };
    }
    const live = answers.live();
    const active = { content: desired.content, plan: planOf(desired.content, live) };
    const toWaiting = waiting && planOf(waiting, live).changes;
    const staysAs =
      heldRevision && asHeld(active, heldRevision, (content) => planOf(content, live));
    const content = comparedContent(staysAs, desired);
    const compared = { ...request, desired: { zone, content } };
    const found = await withBlocksInUse((staysAs ?? active).plan, live, compared, ports, signal);
    return {
      plan: explained(found, live, staysAs),
      live,
      staysAs,
      compared: toWaiting && { toInForce: active.plan.changes, toWaiting },
      remainingIn: (after) => planOf(content, after),
    };
  };
  const declared = partsOf(desired.content, owner);
  const parts = waiting === undefined ? declared : partsOfBoth(declared, partsOf(waiting, owner));
  // What only a held revision declares may need the score rule of phases that are read.
  const held = heldRevision?.held.content.rules;
  const isHeldTuned = parts.rules.some((phase) => needScoreRule(held?.[phase]?.items ?? []));
  const toRead = { ...parts, scoreRule: parts.scoreRule || isHeldTuned };
  return await planFromAnswers(toRead, planFrom, request, ports, signal);
}

/**
 * Plans the zone of a saved plan again, from its live state and today's files, and asks the current guards about that plan.
 * Of the saved plan only the writes that today's plan has too are left; the others are conflicts. Never writes.
 */
export async function planSaved(
  request: SavedPlanRequest,
  ports: PlanPorts,
  signal: AbortSignal,
): Promise<PlannedZone> {
  const { saved, desired, owner, ownership, quotas } = request;
  const keys = new Set(saved.writes.flatMap(({ changes }) => changes));
  const planFrom = async (answers: ZoneAnswers): Promise<PlanOfAnswers> => {
    const live = answers.live();
    const today = plan(desired, live, owner, ownership, quotas);
    const judged = await withBlocksInUse(today, live, request, ports, signal);
    // The changes of a saved plan have the causes that they had when it was made.
    return {
      ...confirmSaved(saved, judged, live),
      live,
      judged,
      remainingIn: (after) => {
        const { changes, writes, waitsFor } = plan(desired, after, owner, ownership, quotas);
        return {
          changes: changes.filter(({ key }) => keys.has(key)),
          writes: writes.filter((write) => write.changes.every((key) => keys.has(key))),
          waitsFor,
        };
      },
    };
  };
  const touched = partsTouched(saved);
  const ofPlan = {
    settings: touched.has("settings"),
    policies: touched.has("policies"),
    rules: rulePhases.filter((phase) => touched.has(phase)),
    customRulesets: touched.has("custom_rulesets") ? { owner, keys: [] } : undefined,
    scoreRule: false,
  };
  const toRead = partsOfBoth(partsOf(desired.content, owner), ofPlan);
  return await planFromAnswers(toRead, planFrom, request, ports, signal);
}

/** The plan that follows from the answers, of a declaration or a saved plan, with what is to be known of it. */
interface PlanOfAnswers
  extends
    Pick<PlannedZone, "staysAs" | "compared" | "remainingIn">,
    Partial<Pick<PlannedZone, "live" | "conflicts">> {
  readonly plan: Plan;
  /** What the guards judge, if it is not the plan itself. */
  readonly judged?: Plan;
}

/** Steps 1 to 3 of a run (zone-runner.ts). An error becomes a report; rejects only when the signal aborts, or when `bug` throws. */
async function planFromAnswers(
  parts: PartsToRead,
  planFrom: (answers: ZoneAnswers) => Promise<PlanOfAnswers>,
  request: RunContext & Pick<PlanRequest, "desired" | "known" | "holdsAt">,
  { reader, clock, runId, bug }: PlanPorts,
  signal: AbortSignal,
): Promise<PlannedZone> {
  const { trigger, priority, revision, commit, known } = request;
  const { zone } = request.desired;
  const startedAt = clock.now();
  const startedMs = clock.monotonicMs();
  const base = { zone: zone.name, run: runId(), trigger, revision, commit, startedAt };
  try {
    // 1. read
    const answers = await reader.readAnswers(zone, parts, priority, signal, known);
    const { digest, readAt, rules } = answers;
    const readEndMs = clock.monotonicMs();
    // 2. plan
    const { plan: planned, judged = planned, ...found } = await planFrom(answers);
    const { live, conflicts = [] } = found;
    const finishedAt = clock.now();
    const planMs = clock.monotonicMs() - readEndMs;
    const phases = { fetch: readEndMs - startedMs, plan: planMs, apply: 0 };
    const report = { ...base, finishedAt, phases, plan: planned };
    const common = { ...found, live, digest, readAt, rules, conflicts };
    if (planned.changes.length === 0 && conflicts.length === 0) {
      return { ...common, report: { ...report, result: "in_sync" }, holdsAt: () => [] };
    }
    const holdsAt = (now: Date): readonly Hold[] => request.holdsAt(judged, now);
    // 3. guard
    const holds = holdsAt(finishedAt);
    const result =
      holds.length > 0 ? ({ result: "held", holds } as const) : ({ result: "planned" } as const);
    return { ...common, report: { ...report, ...result }, holdsAt };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) bug(error, zone.name);
    const phases = { fetch: clock.monotonicMs() - startedMs, plan: 0, apply: 0 };
    const report = { ...base, finishedAt: clock.now(), phases, failure: failureOf(error) };
    return {
      report: { ...report, result: "error" },
      live: undefined,
      digest: "",
      readAt: {},
      conflicts: [],
      holdsAt: () => [],
      remainingIn: () => ({ changes: [], writes: [], waitsFor: new Map() }),
    };
  }
}

/** What the guards depend on beside the plan and the zone. */
export interface GuardRules extends Pick<GuardInput, "mode" | "limits" | "used"> {
  readonly windows: Windows;
}

/** Asks the guards at a moment. The stricter mode of the program and the zone applies. */
export function guardZone(
  planned: Plan,
  { content, isRestored }: DesiredZone,
  { windows, ...rules }: GuardRules,
  now: Date,
): readonly Hold[] {
  const { suspension } = content;
  const mode = content.mode === "observe" ? "observe" : rules.mode;
  return guard(planned, {
    ...rules,
    mode,
    suspension,
    isRestored,
    freeze: windows.freezeAt(now),
    now,
  });
}

/** Parts of which the custom rulesets are those that an owner declares. */
type DeclaredParts = PartsToRead & { readonly customRulesets: DeclaredRulesets | undefined };

/**
 * The parts of a zone that its declaration needs.
 *
 * @param owner whose custom rulesets are read; left out where nothing is read
 */
export function partsOf(content: ZoneContent, owner = ""): DeclaredParts {
  const { settings, policies, rules, customRulesets } = content;
  const isRead = (phase: RulePhase): boolean =>
    rules[phase] !== undefined || (phase === "custom_rules" && customRulesets !== undefined);
  return {
    settings: settings.length > 0,
    policies: policies !== undefined,
    rules: rulePhases.filter(isRead),
    customRulesets: customRulesets && { owner, keys: customRulesets.items.map(({ key }) => key) },
    scoreRule: needScoreRule(declaredRules(content)),
  };
}

function partsOfBoth(a: DeclaredParts, b: DeclaredParts): DeclaredParts {
  const rulesets = a.customRulesets ?? b.customRulesets;
  const keys = [a, b].flatMap(({ customRulesets }) => customRulesets?.keys ?? []);
  return {
    settings: a.settings || b.settings,
    policies: a.policies || b.policies,
    rules: rulePhases.filter((phase) => a.rules.includes(phase) || b.rules.includes(phase)),
    customRulesets: rulesets && { ...rulesets, keys: [...new Set(keys)] },
    scoreRule: a.scoreRule || b.scoreRule,
  };
}

/**
 * Holds a plan whose policies would block scripts that browsers loaded. The scripts are read only where a policy begins to
 * block. If the token or the contract does not allow to read them, the plan notes it and is not held.
 */
async function withBlocksInUse(
  planned: Plan,
  live: LiveZone,
  {
    desired: { zone, content },
    impact,
    priority,
  }: Pick<PlanRequest, "desired" | "impact" | "priority">,
  { reader, clock }: Pick<PlanPorts, "reader" | "clock">,
  signal: AbortSignal,
): Promise<Plan> {
  const declared = withStepValues(content, planned.steps).policies?.items ?? [];
  const policies = comparedPolicies(planned, declared, live.policies ?? []).filter(canBlockMore);
  if (policies.length === 0) return planned;
  try {
    const scripts = await reader.readScripts(zone, priority, signal);
    const impacts = cspImpact(policies, scripts, impact);
    const holds = blocksInUse(impacts, declared, { now: clock.now(), freshMs: impact.freshMs });
    return { ...planned, holds: [...planned.holds, ...holds] };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.transient) throw error;
    const note = `the scripts on record could not be read (${error.code}): whether the policies block scripts in use was not checked`;
    return { ...planned, notes: [...planned.notes, note] };
  }
}
