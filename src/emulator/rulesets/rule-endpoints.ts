import { identifierIn } from "../http/access.ts";
import type { Call, Endpoint } from "../http/endpoint.ts";
import type { FieldReader } from "../http/fields.ts";
import { refused, unpublishedCodes } from "../http/service-error.ts";
import { timestamp } from "../http/timestamp.ts";
import type { Owner, Rule, StoredRuleset } from "../state.ts";
import { placed } from "./rule-position.ts";
import { draftOf, ruleFrom } from "./rule.ts";
import { makerOf, writtenAnswer } from "./ruleset-endpoints.ts";
import { ownRulesetIn } from "./ruleset-level.ts";
import type { RulesetLevel } from "./ruleset-level.ts";
import { checkedRules, nextVersion, placeOf, rulesetFields } from "./ruleset.ts";
import type { Maker } from "./ruleset.ts";

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
