import type { Declared } from "../../zone/desired-zone.ts";
import type { LiveEntrypoint, LiveRule, ScoreRule } from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { keyOfRef, markOfRef, refOf } from "../../zone/mark.ts";
import type { Rule } from "../../zone/resource.ts";
import { type Change, type Delete, type Effect, type FieldChange, combine } from "../change.ts";
import type { Hold } from "../guard/hold.ts";
import type { KindPlan, Unmanaged } from "../kind-plan.ts";
import { type ToPrune, prunableAmong } from "../prunable.ts";
import { needsScoreRule, resolveOverrides } from "./owasp-tuning.ts";
import { type RuleForm, ruleBody } from "./rule-body.ts";
import { effectOfRule } from "./rule-effect.ts";
import { differingRuleFields } from "./rule-fields.ts";
import { type DesiredRule, matchRules } from "./rule-match.ts";
import { type Entry, arrange, effectOfMove, placesOf } from "./rule-order.ts";
import { writeRules } from "./smallest-write.ts";

/** Plans the entry point of the managed phase: whatever differs in it is one request. */
export function planRules(
  declared: Declared<Rule>,
  entrypoint: LiveEntrypoint,
  scoreRule: ScoreRule | undefined,
  owner: string,
): KindPlan {
  const scoreRuleId = scoreRule?.id ?? documentedScoreRuleId;
  const before = entrypoint.state === "present" ? entrypoint.rules : [];
  const forms = declared.items.map((rule) => [rule, formOf(rule, scoreRuleId)] as const);
  const wanted = matchRules(forms, before, owner);
  const matched = new Set(wanted.map(({ live }) => live));
  const { doomed, unmanaged } = prunableAmong(
    before.filter((rule) => !matched.has(rule)),
    declared,
    owner,
    ({ ref }) => markOfRef(ref),
  );
  const after = arrange(before, wanted, new Set(doomed.map(({ live }) => live)));

  const updates = wanted.flatMap((each) => changeOf(each, { before, after, scoreRuleId, owner }));
  const deletes = doomed.map((each) => deleteOf(each, scoreRuleId));
  const changes = [...updates.map(({ change }) => change), ...deletes];
  const write = writeRules({
    ruleset: entrypoint.state === "present" ? entrypoint.id : undefined,
    before,
    after,
    differing: new Set(updates.flatMap(({ differing }) => differing ?? [])),
    body: ({ rule, form, live }) => ruleBody(form, live, refOf(owner, rule.key)),
    changes: changes.map(({ key }) => key),
  });
  return {
    steps: write === undefined ? [] : [{ changes, write }],
    unmanaged: unmanaged.map(unmanagedOf),
    notes: notesOf(declared.items, scoreRule),
    holds: obstaclesOf(after),
    compared: declared.items.length + doomed.length,
    marked: before.some(({ ref }) => keyOfRef(owner, ref) !== undefined),
  };
}

function formOf(rule: Rule, scoreRuleId: string): RuleForm {
  const { description, expression, enabled } = rule;
  switch (rule.action) {
    case "execute": {
      const overrides = resolveOverrides(rule, scoreRuleId);
      const does = { action: "execute", ruleset: rule.ruleset, overrides } as const;
      return { description, expression, enabled, does };
    }
    case "skip": {
      const does = { action: "skip", skip: rule.skip, logging: rule.logging } as const;
      return { description, expression, enabled, does };
    }
  }
}

/** A change of a declared rule, and its live rule where the content differs and not only the place. */
interface RuleChange {
  readonly change: Change;
  readonly differing: LiveRule | undefined;
}

/** What a rule's change is seen against. */
interface Surroundings {
  readonly before: readonly LiveRule[];
  readonly after: readonly Entry[];
  readonly scoreRuleId: string;
  readonly owner: string;
}

function changeOf(
  wanted: DesiredRule,
  { before, after, scoreRuleId, owner }: Surroundings,
): readonly RuleChange[] {
  const { rule, form, live } = wanted;
  const content = differingRuleFields(live, form, scoreRuleId);
  const place = live === undefined ? undefined : placesOf(wanted, before, after);
  const fields: readonly FieldChange[] = place === undefined ? content : [...content, place];
  if (live !== undefined && fields.length === 0) return [];

  const moved: Effect[] = place === undefined ? [] : [effectOfMove(wanted, before, after)];
  const effect = combine([effectOfRule(live, form, scoreRuleId), ...moved]);
  const shared = {
    kind: "rule",
    key: `rule/${rule.key}`,
    title: rule.description,
    fields,
    effect,
  } as const;
  if (live === undefined) return [{ change: { verb: "create", ...shared }, differing: undefined }];
  const adopted = keyOfRef(owner, live.ref) === undefined;
  return [
    {
      change: { verb: "update", ...shared, id: live.id, adopted },
      differing: content.length === 0 ? undefined : live,
    },
  ];
}

function deleteOf({ live, key, reason }: ToPrune<LiveRule, Rule>, scoreRuleId: string): Delete {
  return {
    verb: "delete",
    kind: "rule",
    key: `rule/${key}`,
    title: live.description,
    id: live.id,
    reason,
    fields: differingRuleFields(live, undefined, scoreRuleId),
    effect: effectOfRule(live, undefined, scoreRuleId),
  };
}

function unmanagedOf({ id, ref, description }: LiveRule): Unmanaged {
  return { kind: "rule", id, title: description === "" ? ref : description };
}

/** A zone deploys a managed ruleset once (SERVICE.md B.5): where a rule that stays does so already, nothing can be done. */
function obstaclesOf(after: readonly Entry[]): readonly Hold[] {
  return after.flatMap(({ wanted }) => {
    if (wanted?.rule.action !== "execute") return [];
    const { key, ruleset } = wanted.rule;
    const other = after.find(
      ({ wanted: another, live }) =>
        another === undefined && live.does.action === "execute" && live.does.ruleset === ruleset,
    )?.live;
    return other === undefined ? [] : [takenBy(other, key, ruleset)];
  });
}

function takenBy({ id, ref, description }: LiveRule, key: string, ruleset: string): Hold {
  return {
    reason: "already_deployed",
    message:
      `rule/${key} deploys the managed ruleset ${ruleset}, but the live rule ${id} (${description || ref}) does so ` +
      "already, and a zone can deploy it once: delete that rule, or leave the ruleset to its owner",
  };
}

function notesOf(declared: readonly Rule[], scoreRule: ScoreRule | undefined): readonly string[] {
  const isTuned = declared.some((rule) => rule.action === "execute" && needsScoreRule(rule));
  return isTuned && scoreRule?.source === "documented"
    ? [
        `the OWASP ruleset could not be read: its score rule is taken by its documented id ${scoreRule.id}`,
      ]
    : [];
}
