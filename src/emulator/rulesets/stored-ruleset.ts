import { wireCodes } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import { FieldReader, firstRepeated } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Owner, EmulatedRule, EmulatedRuleset, StoredRuleset } from "../state.ts";
import type { RulesetWrite } from "./action-parameters.ts";
import { servedPhase, ruleLimit } from "./phases.ts";
import { ruleFrom } from "./rule.ts";

/** Earlier versions that are kept of each ruleset. */
const maxVersions = 200;

export function rulesetFields(body: JsonObject): FieldReader {
  return new FieldReader(body, "", unpublishedCodes.ruleset);
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
  const { source } = servedPhase(facts.phase);
  const unwritten = { description: "", version: "0", last_updated: "", rules: [] };
  return { current: { id, ...facts, ...(source && { source }), ...unwritten }, past: [] };
}

/**
 * The rules after a write of the whole list: a rule with the `id` or `ref` of a live one keeps its
 * id (SERVICE.md B.4).
 */
export function replacedRules(
  items: readonly FieldReader[],
  write: RulesetWrite,
): readonly EmulatedRule[] {
  const claimed = new Set<string>();
  const rules = items.map((fields) => {
    const live = liveRuleOf(fields, write.before.current.rules);
    if (live !== undefined && claimed.has(live.id)) {
      throw fields.error("", `rule ${live.id} is claimed twice`);
    }
    if (live !== undefined) claimed.add(live.id);
    return ruleFrom(fields, live, write);
  });
  return validRules(rules, write);
}

function liveRuleOf(fields: FieldReader, live: readonly EmulatedRule[]): EmulatedRule | undefined {
  const wanted = fields.text("id");
  const ref = fields.text("ref");
  if (wanted === undefined) return live.find((rule) => rule.ref === ref);
  const rule = live.find(({ id }) => id === wanted);
  if (rule === undefined) throw fields.error("id", `could not find a rule ${wanted}`);
  return rule;
}

/** `rules`, unless the service rejects the list as a whole (SERVICE.md B.8). */
function validRules(
  rules: readonly EmulatedRule[],
  { owner, before }: RulesetWrite,
): readonly EmulatedRule[] {
  const { id, phase } = before.current;
  const limit = ruleLimit(owner, phase);
  const count = rules.length + (owner.level === "zone" ? rulesElsewhere(id, phase, owner) : 0);
  if (count > limit) {
    throw apiError(
      400,
      wireCodes.tooManyRules,
      `exceeded the maximum number of rules in the phase ${phase}: ${count} out of ${limit}`,
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

/** Rules of a zone in a phase that are in another ruleset: all of them count (SERVICE.md B.12). */
function rulesElsewhere(id: string, phase: string, { rulesets }: Owner): number {
  return rulesets
    .filter(({ current }) => current.phase === phase && current.id !== id)
    .reduce((count, { current }) => count + current.rules.length, 0);
}

function refuseRepeated(
  values: readonly (string | undefined)[],
  code: number,
  member: string,
  message: string,
): void {
  const index = firstRepeated(values);
  if (index >= 0) throw apiError(400, code, message, `/rules/${index}/${member}`);
}

export function executedRuleset({
  action,
  action_parameters: parameters,
}: Pick<EmulatedRule, "action" | "action_parameters">): string | undefined {
  const id = action === "execute" ? parameters?.["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The next version of a ruleset after a PUT; without `rules` the rules stay (SERVICE.md B.3). */
export function updatedRuleset(fields: FieldReader, write: RulesetWrite): StoredRuleset {
  const { current } = write.before;
  for (const name of ["name", "kind", "phase"] as const) {
    const given = fields.text(name);
    if (given === undefined || given === current[name]) continue;
    const message = `the ${name} field cannot be modified: got ${given}, want ${current[name]}`;
    throw fields.error(name, message);
  }
  const description = fields.text("description") ?? current.description;
  const items = fields.objects("rules");
  const rules = items === undefined ? current.rules : replacedRules(items, write);
  const isSame =
    current.version !== "0" &&
    description === current.description &&
    rules.length === current.rules.length &&
    rules.every((rule, index) => rule === current.rules[index]);
  if (isSame && write.undocumented.identical_put === "ignored") return write.before;
  return nextVersion(write.before, { description, rules }, write.now);
}

/** The ruleset with one more rule, at the end unless a position is given. */
export function withNewRule(fields: FieldReader, write: RulesetWrite): StoredRuleset {
  const rule = ruleFrom(fields, undefined, write, ["position"]);
  return withRules(inserted(write.before.current.rules, rule, fields.object("position")), write);
}

/**
 * The ruleset with a rule replaced, or only moved if the body has nothing but a position
 * (SERVICE.md B.4).
 */
export function withUpdatedRule(
  fields: FieldReader,
  live: EmulatedRule,
  write: RulesetWrite,
): StoredRuleset {
  const { rules } = write.before.current;
  const position = fields.object("position");
  const isMove = Object.keys(fields.body).length === 1 && "position" in fields.body;
  const rule = isMove ? live : ruleFrom(fields, live, write, ["position"]);
  const index = rules.indexOf(live);
  const others = rules.toSpliced(index, 1);
  const after = position === undefined ? rules.with(index, rule) : inserted(others, rule, position);
  return withRules(after, write);
}

export function withoutRule(rule: EmulatedRule, { before, now }: RulesetWrite): StoredRuleset {
  const rules = before.current.rules.filter(({ id }) => id !== rule.id);
  return nextVersion(before, { rules }, now);
}

function withRules(rules: readonly EmulatedRule[], write: RulesetWrite): StoredRuleset {
  return nextVersion(write.before, { rules: validRules(rules, write) }, write.now);
}

/** `others` with `rule` at `position`, by default at the end (SERVICE.md B.4). */
function inserted(
  others: readonly EmulatedRule[],
  rule: EmulatedRule,
  position: FieldReader | undefined,
): readonly EmulatedRule[] {
  return others.toSpliced(position ? indexIn(position, others) : others.length, 0, rule);
}

function indexIn(position: FieldReader, others: readonly EmulatedRule[]): number {
  position.only(["before", "after", "index"]);
  if (Object.keys(position.body).length !== 1) {
    throw position.error("", "position must have exactly one of before, after and index");
  }
  const indexOf = (name: "before" | "after", id: string): number => {
    const index = others.findIndex((rule) => rule.id === id);
    if (index >= 0) return index;
    throw position.error(name, `could not find another rule ${id} in the ruleset`);
  };
  const before = position.text("before");
  if (before !== undefined) return before === "" ? 0 : indexOf("before", before);
  const after = position.text("after");
  if (after === "") return others.length;
  if (after !== undefined) return indexOf("after", after) + 1;
  return position.required("index", position.integer("index", 1, others.length + 1)) - 1;
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
