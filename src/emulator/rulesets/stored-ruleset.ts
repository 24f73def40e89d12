import { wireCodes } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Owner, EmulatedRule, EmulatedRuleset, StoredRuleset } from "../state.ts";
import type { RuleContext } from "./action-parameters.ts";
import { sourceOf } from "./phases.ts";
import { parseRule, type RuleDraft, ruleFrom, type WriteContext } from "./rule.ts";

/** Earlier versions that are kept of each ruleset. */
const maxVersions = 200;

/** Limit of rules in an entry point of an account. */
const accountRules = 1_000;

export interface RulesetWrite extends WriteContext {
  readonly owner: Owner;
  readonly before: StoredRuleset;
}

export function rulesetFields(body: JsonObject): FieldReader {
  return new FieldReader(body, "", unpublishedCodes.ruleset);
}

export function ruleContextOf({ owner, before, isLenient }: RulesetWrite): RuleContext {
  const { kind, phase } = before.current;
  const custom = owner.rulesets.filter(({ current }) => current.kind === "custom");
  return {
    level: owner.level,
    kind,
    phase,
    plan: owner.level === "zone" ? owner.plan : "",
    isLenient,
    customRulesets: custom.map(({ current }) => current.id),
  };
}

export function entryPointKind(owner: Owner): "zone" | "root" {
  return owner.level === "zone" ? "zone" : "root";
}

export function entryPointOf(owner: Owner, phase: string): StoredRuleset | undefined {
  return owner.rulesets.find(
    ({ current }) => current.phase === phase && current.kind === entryPointKind(owner),
  );
}

/** A ruleset before its first version. */
export function emptyRuleset(
  id: string,
  facts: Pick<EmulatedRuleset, "name" | "kind" | "phase">,
): StoredRuleset {
  const unwritten = { description: "", version: "0", last_updated: "", rules: [] };
  return { current: { id, ...facts, ...sourceOf(facts.phase), ...unwritten }, past: [] };
}

/**
 * The rules after a write of the whole list: a rule with the `id` or `ref` of a live one keeps its
 * id (SERVICE.md B.4).
 */
export function replacedRules(
  items: readonly FieldReader[],
  write: RulesetWrite,
): readonly EmulatedRule[] {
  const ruleContext = ruleContextOf(write);
  const claimed = new Set<string>();
  const rules = items.map((fields) => {
    const draft = parseRule(fields, ruleContext);
    const live = liveRuleOf(draft, fields, write.before.current.rules);
    if (live !== undefined && claimed.has(live.id)) {
      throw fields.error("", `rule ${live.id} is claimed twice`);
    }
    if (live !== undefined) claimed.add(live.id);
    return ruleFrom(draft, live, write);
  });
  return validRules(rules, write);
}

function liveRuleOf(
  draft: RuleDraft,
  fields: FieldReader,
  live: readonly EmulatedRule[],
): EmulatedRule | undefined {
  if (draft.id === undefined) return live.find(({ ref }) => ref === draft.ref);
  const rule = live.find(({ id }) => id === draft.id);
  if (rule === undefined) throw fields.error("id", `could not find a rule ${draft.id}`);
  return rule;
}

/** `rules`, unless the service rejects the list as a whole (SERVICE.md B.8). */
function validRules(
  rules: readonly EmulatedRule[],
  { owner, before }: RulesetWrite,
): readonly EmulatedRule[] {
  const limit = owner.level === "zone" ? owner.entitlements.rules : accountRules;
  if (rules.length > limit) {
    throw apiError(
      400,
      wireCodes.tooManyRules,
      `exceeded the maximum number of rules in the phase ${before.current.phase}: ${rules.length} out of ${limit}`,
      "/rules",
    );
  }
  refuseRepeated(
    rules.map(({ ref }) => ref),
    unpublishedCodes.ruleset,
    "ref",
    "refs must be unique in a ruleset",
  );
  if (owner.level === "zone") {
    refuseRepeated(
      rules.map(executedRuleset),
      wireCodes.duplicateExecute,
      "action_parameters/id",
      "more than one rule is trying to execute the same managed ruleset",
    );
  }
  return rules;
}

function refuseRepeated(
  values: readonly (string | undefined)[],
  code: number,
  member: string,
  message: string,
): void {
  const index = values.findIndex(
    (value, place) => value !== undefined && values.indexOf(value) < place,
  );
  if (index >= 0) throw apiError(400, code, message, `/rules/${index}/${member}`);
}

export function executedRuleset({
  action,
  action_parameters: parameters,
}: Pick<EmulatedRule, "action" | "action_parameters">): string | undefined {
  const id = action === "execute" ? parameters?.["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

export function withRules(rules: readonly EmulatedRule[], write: RulesetWrite): StoredRuleset {
  return nextVersion(write.before, { rules: validRules(rules, write) }, write.now);
}

/** The ruleset after a write: every write makes a new version, and earlier ones are kept. */
export function nextVersion(
  { current, past }: StoredRuleset,
  change: Partial<Pick<EmulatedRuleset, "description" | "rules">>,
  now: Date,
): StoredRuleset {
  const version = Number(current.version) + 1;
  return {
    current: { ...current, ...change, version: String(version), last_updated: timestamp(now) },
    past: current.version === "0" ? [] : [...past, current].slice(-maxVersions),
  };
}

/** The owner with `ruleset`, which replaces the one with its id. */
export function withRuleset<T extends Owner>(owner: T, ruleset: StoredRuleset): T {
  const index = owner.rulesets.findIndex(({ current }) => current.id === ruleset.current.id);
  const rulesets = index < 0 ? [...owner.rulesets, ruleset] : owner.rulesets.with(index, ruleset);
  return { ...owner, rulesets };
}
