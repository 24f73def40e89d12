import { identifierIn } from "../http/access.ts";
import type { EndpointCall, Endpoint } from "../http/api-endpoint.ts";
import { apiError, unpublishedCodes } from "../http/api-error.ts";
import type { FieldReader } from "../http/fields.ts";
import type { EmulatedRule, StoredRuleset } from "../state.ts";
import { parseRule, ruleFrom } from "./rule.ts";
import { type RulesetLevel, updateEndpoint } from "./ruleset-endpoints.ts";
import {
  nextVersion,
  ruleContextOf,
  rulesetFields,
  type RulesetWrite,
  withRules,
} from "./stored-ruleset.ts";

/** Single rules; every response is the whole ruleset (SERVICE.md B.1). */
export function ruleEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { one, prefix } = level;
  const collection = `${prefix}/:ruleset_id/rules`;
  const single = `${collection}/:rule_id`;
  return [
    updateEndpoint(level, "POST", collection, `Add a rule to ${one} ruleset`, (call, write) =>
      withNewRule(rulesetFields(call.body()), write),
    ),
    updateEndpoint(level, "PATCH", single, `Update a rule of ${one} ruleset`, (call, write) => {
      const rule = ruleIn(call, write.before);
      return withUpdatedRule(rulesetFields(call.body()), rule, write);
    }),
    updateEndpoint(level, "DELETE", single, `Delete a rule of ${one} ruleset`, (call, write) =>
      withoutRule(ruleIn(call, write.before), write),
    ),
  ];
}

/** The ruleset with one more rule, at the end unless a position is given. */
export function withNewRule(fields: FieldReader, write: RulesetWrite): StoredRuleset {
  const rule = ruleInBody(fields, undefined, write);
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
  const rule = isMove ? live : ruleInBody(fields, live, write);
  const index = rules.indexOf(live);
  const others = rules.toSpliced(index, 1);
  const after = position === undefined ? rules.with(index, rule) : inserted(others, rule, position);
  return withRules(after, write);
}

export function withoutRule(rule: EmulatedRule, { before, now }: RulesetWrite): StoredRuleset {
  const rules = before.current.rules.filter(({ id }) => id !== rule.id);
  return nextVersion(before, { rules }, now);
}

function ruleInBody(
  fields: FieldReader,
  live: EmulatedRule | undefined,
  write: RulesetWrite,
): EmulatedRule {
  return ruleFrom(parseRule(fields, ruleContextOf(write), ["position"]), live, write);
}

function ruleIn(call: EndpointCall, { current }: StoredRuleset): EmulatedRule {
  const id = identifierIn(call, "rule_id");
  const rule = current.rules.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  throw apiError(404, unpublishedCodes.ruleNotFound, `could not find rule ${id}`);
}

/** `others` with `rule` at `position`, by default at the end (SERVICE.md B.4). */
function inserted(
  others: readonly EmulatedRule[],
  rule: EmulatedRule,
  position: FieldReader | undefined,
): readonly EmulatedRule[] {
  const index = position === undefined ? others.length : indexIn(position, others);
  return others.toSpliced(index, 0, rule);
}

function indexIn(position: FieldReader, others: readonly EmulatedRule[]): number {
  position.only(["before", "after", "index"]);
  if (Object.keys(position.body).length !== 1) {
    throw position.error("", "position must have exactly one of before, after and index");
  }
  const before = position.text("before");
  if (before !== undefined) return before === "" ? 0 : indexOf(position, "before", before, others);
  const after = position.text("after");
  if (after === "") return others.length;
  if (after !== undefined) return indexOf(position, "after", after, others) + 1;
  const index = position.required("index", position.integer("index"));
  if (index >= 1 && index <= others.length + 1) return index - 1;
  throw position.error("index", `index ${index} is not between 1 and ${others.length + 1}`);
}

function indexOf(
  position: FieldReader,
  name: "before" | "after",
  id: string,
  others: readonly EmulatedRule[],
): number {
  const index = others.findIndex((rule) => rule.id === id);
  if (index < 0) throw position.error(name, `could not find another rule ${id} in the ruleset`);
  return index;
}
