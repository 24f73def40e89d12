import type { Declared } from "../zone/desired.ts";
import type { LiveEntrypoint, LiveRule, ScoreRule } from "../zone/live.ts";
import { keyOfRef, refOf } from "../zone/mark.ts";
import type { Rule } from "../zone/resource.ts";
import type { Change, Delete, DeleteReason, Effect, FieldChange } from "./change.ts";
import { combine } from "./effect.ts";
import type { KindPlan } from "./kind-plan.ts";
import { needsScoreRule, resolveOverrides } from "./overrides.ts";
import type { RuleForm } from "./rule-body.ts";
import { ruleBody } from "./rule-body.ts";
import { effectOfRule } from "./rule-effect.ts";
import { differingRuleFields } from "./rule-fields.ts";
import type { Entry } from "./rule-list.ts";
import { arrange } from "./rule-list.ts";
import type { WantedRule } from "./rule-match.ts";
import { matchRules } from "./rule-match.ts";
import { effectOfMove, placesOf } from "./rule-order.ts";
import { writeRules } from "./rule-write.ts";

/** Plans the entry point of the managed phase: whatever differs in it is one request. */
export function planRules(
  declared: Declared<Rule>,
  entrypoint: LiveEntrypoint,
  scoreRule: ScoreRule | undefined,
  owner: string,
): KindPlan {
  const before = entrypoint.state === "present" ? entrypoint.rules : [];
  const forms = declared.items.map((rule) => [rule, formOf(rule, scoreRule)] as const);
  const wanted = matchRules(forms, before, owner);
  const idle = idleRules(before, wanted, owner, declared.unmanaged);
  const after = arrange(before, wanted, new Set(idle.doomed.keys()));

  const updates = wanted.flatMap((each) => changeOf(each, { before, after, scoreRule, owner }));
  const deletes = [...idle.doomed].map(([rule, because]) =>
    deleteOf(rule, because, owner, scoreRule),
  );
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
    unmanaged: idle.unmanaged.map(({ id, ref, description }) => ({
      kind: "rule",
      id,
      title: description === "" ? ref : description,
    })),
    obstacles: [],
    notes: notesOf(declared.items, wanted, scoreRule, owner),
    compared: declared.items.length + idle.ours,
    marked: before.some(({ ref }) => keyOfRef(owner, ref) !== undefined),
  };
}

function formOf(rule: Rule, scoreRule: ScoreRule | undefined): RuleForm {
  const { description, expression, enabled } = rule;
  switch (rule.action) {
    case "execute": {
      const overrides = resolveOverrides(rule, scoreRule?.id);
      const does = { action: "execute", ruleset: rule.ruleset, overrides } as const;
      return { description, expression, enabled, does };
    }
    case "skip": {
      const does = { action: "skip", skip: rule.skip, logging: rule.logging } as const;
      return { description, expression, enabled, does };
    }
  }
}

/** What becomes of live rules that no declared rule is. */
interface IdleRules {
  readonly doomed: ReadonlyMap<LiveRule, DeleteReason>;
  readonly unmanaged: readonly LiveRule[];
  /** How many of the doomed are ours. */
  readonly ours: number;
}

function idleRules(
  live: readonly LiveRule[],
  wanted: readonly WantedRule[],
  owner: string,
  mode: Declared<Rule>["unmanaged"],
): IdleRules {
  const matched = new Set(wanted.map((each) => each.live));
  const idle = live.filter((rule) => !matched.has(rule));
  const ours = idle.filter(({ ref }) => keyOfRef(owner, ref) !== undefined);
  const foreign = idle.filter((rule) => !ours.includes(rule));
  return {
    doomed: new Map([
      ...ours.map((rule) => [rule, "undeclared"] as const),
      ...(mode === "delete" ? foreign.map((rule) => [rule, "unmanaged"] as const) : []),
    ]),
    unmanaged: mode === "report" ? foreign : [],
    ours: ours.length,
  };
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
  readonly scoreRule: ScoreRule | undefined;
  readonly owner: string;
}

function changeOf(
  wanted: WantedRule,
  { before, after, scoreRule, owner }: Surroundings,
): readonly RuleChange[] {
  const { rule, form, live } = wanted;
  const content = differingRuleFields(live, form, scoreRule);
  const place = live === undefined ? undefined : placesOf(wanted, before, after);
  const fields: readonly FieldChange[] = place === undefined ? content : [...content, place];
  if (live !== undefined && fields.length === 0) return [];

  const moved: Effect[] = place === undefined ? [] : [effectOfMove(wanted, before, after)];
  const effect = combine([effectOfRule(live, form, scoreRule), ...moved]);
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

function deleteOf(
  live: LiveRule,
  because: DeleteReason,
  owner: string,
  scoreRule: ScoreRule | undefined,
): Delete {
  return {
    verb: "delete",
    kind: "rule",
    key: `rule/${keyOfRef(owner, live.ref) ?? live.id}`,
    title: live.description,
    id: live.id,
    because,
    fields: differingRuleFields(live, undefined, scoreRule),
    effect: effectOfRule(live, undefined, scoreRule),
  };
}

function notesOf(
  declared: readonly Rule[],
  wanted: readonly WantedRule[],
  scoreRule: ScoreRule | undefined,
  owner: string,
): readonly string[] {
  const tuned = declared.some((rule) => rule.action === "execute" && needsScoreRule(rule));
  return [
    ...wanted.flatMap(({ rule, live }) =>
      live === undefined || keyOfRef(owner, live.ref) !== undefined
        ? []
        : [`rule/${rule.key} is the live rule ${live.id}, told by what it does: it is adopted`],
    ),
    ...(tuned && scoreRule?.source === "documented"
      ? ["the OWASP ruleset could not be read: its score rule is taken by its documented id"]
      : []),
  ];
}
