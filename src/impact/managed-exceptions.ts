import type { Plan } from "../plan/plan.ts";
import type { ZoneContent } from "../zone/desired-zone.ts";
import { type LiveRule, type LiveZone, rulesIn } from "../zone/live-zone.ts";
import { rulesetNameOf } from "../zone/managed-ruleset.ts";
import type { RuleKind, SkipParameters } from "../zone/resource.ts";
import { factsOfPhase, type RulePhase, rulePhases } from "../zone/rule-phase.ts";

/** An exception from the managed rules, before or after a plan. */
export interface ManagedException {
  readonly kind: RuleKind;
  /** Key of the resource, or the id of a rule that no file declares. */
  readonly name: string;
  readonly title: string;
  /** The requests that it spares. */
  readonly expression: string;
  /** What it spares them from, in words. */
  readonly from: string;
  /** `starts` or `ends` with the plan; `stays`: the plan may change what it spares, not that it does. */
  readonly when: "starts" | "stays" | "ends";
}

/** The exceptions from the managed rules of a zone. */
export interface ManagedExceptions {
  readonly exceptions: readonly ManagedException[];
  /** Phases that may have more: the zone does not declare them, so they were not read. */
  readonly unread: readonly RulePhase[];
}

/** What a live or declared rule says of exceptions. */
interface AnyRule extends Pick<LiveRule, "expression" | "enabled"> {
  /** `undefined` for a rule that is no exception. */
  readonly skip: SkipParameters | undefined;
  readonly title: string;
}

/** A rule before and after a plan. */
interface PlannedRule {
  readonly name: string;
  readonly before: AnyRule | undefined;
  readonly after: AnyRule | undefined;
}

/** The exceptions that spare requests from managed rules, in the order in which the service evaluates the phases. */
export function managedExceptions(
  content: ZoneContent,
  plan: Plan,
  live: LiveZone,
): ManagedExceptions {
  const phases = rulePhases.filter((phase) => factsOfPhase(phase).actions.has("skip"));
  return {
    exceptions: phases.flatMap((phase) =>
      plannedRules(phase, content, plan, live).flatMap((rule) => exceptionsIn(phase, rule)),
    ),
    unread: phases.filter((phase) => live.entrypoints[phase] === undefined),
  };
}

function exceptionsIn(
  phase: RulePhase,
  { name, before, after }: PlannedRule,
): readonly ManagedException[] {
  const { kind } = factsOfPhase(phase);
  const [was, is] = [sparedFrom(before, phase), sparedFrom(after, phase)];
  const from = is ?? was;
  if (from === undefined) return [];
  const { title = "", expression = "" } = (is === undefined ? before : after) ?? {};
  const when = was === undefined ? "starts" : is === undefined ? "ends" : "stays";
  return [{ kind, name, title, expression, from, when }];
}

/** Every rule of a phase before or after a plan. */
function plannedRules(
  phase: RulePhase,
  { rules }: ZoneContent,
  { changes, liveKeys }: Plan,
  { entrypoints }: LiveZone,
): readonly PlannedRule[] {
  const { kind } = factsOfPhase(phase);
  const declared = new Map<string, AnyRule>(
    (rules[phase]?.items ?? []).map((rule) => {
      const { expression, enabled, description: title } = rule;
      const skip = rule.action === "skip" ? rule.skip : undefined;
      return [`${kind}/${rule.key}`, { expression, enabled, title, skip }] as const;
    }),
  );
  const own = changes.filter((change) => change.kind === kind);
  const lasting = rulesIn(entrypoints[phase]).map((rule): PlannedRule => {
    const { id, expression, enabled, description: title, action } = rule;
    const skip = action.type === "skip" ? action.skip : undefined;
    const before = { expression, enabled, title, skip };
    const change = own.find((each) => each.verb !== "create" && each.id === id);
    if (change === undefined) return { name: liveKeys.get(id) ?? id, before, after: before };
    const after = change.verb === "delete" ? undefined : declared.get(change.key);
    return { name: change.key, before, after };
  });
  const created = own
    .filter(({ verb }) => verb === "create")
    .map(({ key }) => ({ name: key, before: undefined, after: declared.get(key) }));
  return [...lasting, ...created];
}

/** From which managed rules a rule spares requests; `undefined`: from none (SERVICE.md B.4). */
function sparedFrom(rule: AnyRule | undefined, phase: RulePhase): string | undefined {
  if (rule?.enabled !== true || rule.skip === undefined) return undefined;
  const { skip } = rule;
  if (skip.phases.includes(factsOfPhase("managed_rules").wire)) return "all managed rules";
  if (phase !== "managed_rules") return undefined;
  if (skip.phase || skip.ruleset) return "the managed rules after it";
  const parts = [
    ...skip.rulesets.map((id) => rulesetNameOf(id) ?? id),
    ...Object.entries(skip.rules).map(
      ([id, rules]) => `${rules.length} of the rules of ${rulesetNameOf(id) ?? id}`,
    ),
  ];
  return parts.length === 0 ? undefined : parts.join(", ");
}
