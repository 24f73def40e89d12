import { identifierIn } from "../http/access.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import type { Call, Endpoint } from "../http/endpoint.ts";
import type { FieldReader } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Owner, Rule, StoredRuleset } from "../state.ts";
import { draftOf, ruleFrom } from "./rule.ts";
import { type RulesetLevel, makerOf, ownRulesetIn, writtenAnswer } from "./ruleset-endpoints.ts";
import { type Maker, checkedRules, nextVersion, placeOf, rulesetFields } from "./ruleset.ts";

/** Single rules; every answer is the whole ruleset (SERVICE.md B.1). */
export function ruleEndpoints(level: RulesetLevel): readonly Endpoint[] {
  const { one, prefix, write } = level;
  const collection = `${prefix}/:ruleset_id/rules`;
  const single = `${collection}/:rule_id`;
  return [
    {
      ...write,
      method: "POST",
      path: collection,
      summary: `Add a rule to ${one} ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const before = ownRulesetIn(call, owner);
        const fields = rulesetFields(call.body());
        return writtenAnswer(owner, withNewRule(fields, before, owner, makerOf(call)));
      },
    },
    {
      ...write,
      method: "PATCH",
      path: single,
      summary: `Update a rule of ${one} ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const before = ownRulesetIn(call, owner);
        const rule = ruleIn(call, before);
        const fields = rulesetFields(call.body());
        return writtenAnswer(owner, withChangedRule(fields, rule, before, owner, makerOf(call)));
      },
    },
    {
      ...write,
      method: "DELETE",
      path: single,
      summary: `Delete a rule of ${one} ruleset`,
      handle: (call) => {
        const owner = level.ownerIn(call);
        const before = ownRulesetIn(call, owner);
        return writtenAnswer(owner, withoutRule(ruleIn(call, before), before, call.now));
      },
    },
  ];
}

/** The ruleset with one more rule, at the end unless a position is given. */
export function withNewRule(
  fields: FieldReader,
  before: StoredRuleset,
  owner: Owner,
  maker: Maker,
): StoredRuleset {
  const { kind, phase, rules } = before.current;
  const draft = draftOf(fields, placeOf(owner, kind, phase), ["position"]);
  const rule = ruleFrom(draft, undefined, () => maker.newId(), timestamp(maker.now));
  const next = placed(rules, rule, fields.object("position"));
  return nextVersion(before, { rules: checkedRules(next, before.current, owner) }, maker.now);
}

/** The ruleset with a rule replaced or, where the body holds a position alone, only moved (SERVICE.md B.4). */
export function withChangedRule(
  fields: FieldReader,
  live: Rule,
  before: StoredRuleset,
  owner: Owner,
  maker: Maker,
): StoredRuleset {
  const { kind, phase, rules } = before.current;
  const position = fields.object("position");
  const rule = isMove(fields)
    ? live
    : ruleFrom(
        draftOf(fields, placeOf(owner, kind, phase), ["position"]),
        live,
        () => maker.newId(),
        timestamp(maker.now),
      );
  const next =
    position === undefined
      ? rules.map((other) => (other.id === live.id ? rule : other))
      : placed(
          rules.filter(({ id }) => id !== live.id),
          rule,
          position,
        );
  return nextVersion(before, { rules: checkedRules(next, before.current, owner) }, maker.now);
}

/** The ruleset without a rule. */
export function withoutRule(rule: Rule, before: StoredRuleset, now: Date): StoredRuleset {
  return nextVersion(
    before,
    { rules: before.current.rules.filter(({ id }) => id !== rule.id) },
    now,
  );
}

function isMove({ body }: FieldReader): boolean {
  return Object.keys(body).length === 1 && "position" in body;
}

function ruleIn(call: Call, { current }: StoredRuleset): Rule {
  const id = identifierIn(call, "rule_id");
  const rule = current.rules.find((candidate) => candidate.id === id);
  if (rule !== undefined) return rule;
  throw refused(404, unpublishedCodes.ruleNotFound, `could not find rule ${id}`);
}

/** Puts `rule` among `others` where `position` says; without one, at the end (SERVICE.md B.4). */
export function placed(
  others: readonly Rule[],
  rule: Rule,
  position: FieldReader | undefined,
): readonly Rule[] {
  return others.toSpliced(
    position === undefined ? others.length : indexIn(position, others),
    0,
    rule,
  );
}

/** The index among the other rules that a position stands for. */
function indexIn(position: FieldReader, others: readonly Rule[]): number {
  position.only(["before", "after", "index"]);
  if (Object.keys(position.body).length !== 1) {
    throw position.mistake("", "position must have exactly one of before, after and index");
  }
  const before = position.text("before");
  if (before !== undefined) return before === "" ? 0 : indexOf(position, "before", before, others);
  const after = position.text("after");
  if (after === "") return others.length;
  if (after !== undefined) return indexOf(position, "after", after, others) + 1;
  return counted(position, others.length);
}

function indexOf(
  position: FieldReader,
  name: "before" | "after",
  id: string,
  others: readonly Rule[],
): number {
  const index = others.findIndex((rule) => rule.id === id);
  if (index < 0) throw position.mistake(name, `could not find another rule ${id} in the ruleset`);
  return index;
}

function counted(position: FieldReader, length: number): number {
  const index = position.required("index", position.integer("index"));
  if (index >= 1 && index <= length + 1) return index - 1;
  throw position.mistake("index", `index ${index} is not between 1 and ${length + 1}`);
}
