import type { Declared } from "../../zone/desired-zone.ts";
import {
  type LiveEntrypoint,
  type LiveRule,
  rulesIn,
  type ScoreRule,
} from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { type Mark, markOfRef, refOf } from "../../zone/mark.ts";
import type { Rule, RuleKind } from "../../zone/resource.ts";
import type { PhaseFacts } from "../../zone/rule-phase.ts";
import { type Change, combine, type Delete, neutral } from "../change.ts";
import type { Hold } from "../guard/hold.ts";
import {
  adoptedDeleteHold,
  type AdoptedRule,
  markOfRule,
  type Ownership,
  type Unowned,
} from "../ownership.ts";
import { prunableAmong, type ToPrune } from "../prunable.ts";
import type { KindPlan, Unmanaged } from "../write-order.ts";
import { effectOfMove, effectOnLater, type RuleOrder } from "./order-effect.ts";
import { needScoreRule } from "./owasp-tuning.ts";
import { ruleBody } from "./rule-body.ts";
import { effectOfRule } from "./rule-effect.ts";
import { comparable, differingRuleFields, targetOf } from "./rule-fields.ts";
import { matchRules, type RuleMatch } from "./rule-match.ts";
import { arrange, type Entry, positionChange } from "./rule-positions.ts";
import { smallestWrite } from "./smallest-write.ts";

/** Plans the entry point of a phase: all its changes are one write. */
export function planRules(
  { phase, kind, wire }: PhaseFacts,
  declared: Declared<Rule>,
  entrypoint: LiveEntrypoint,
  scoreRule: ScoreRule | undefined,
  owner: string,
  ownership: Ownership,
): KindPlan {
  const scoreRuleId = scoreRule?.id ?? documentedScoreRuleId;
  const before = rulesIn(entrypoint);
  const targets = declared.items.map((rule) => [rule, targetOf(rule, scoreRuleId)] as const);
  const markOf = (rule: LiveRule): Mark => markOfRule(rule, ownership, owner);
  const matches = matchRules(targets, before, owner, markOf);
  const matched = new Set(matches.map(({ live }) => live));
  const { toPrune, unmanaged } = prunableAmong(
    before.filter((rule) => !matched.has(rule)),
    declared,
    owner,
    markOf,
  );
  const after = arrange(before, matches, new Set(toPrune.map(({ live }) => live)));

  const isOurs = (rule: LiveRule): boolean => markOf(rule).owner === owner;
  const context = { kind, before, after, wire, scoreRuleId, isOurs };
  const updates = matches.flatMap((match) => changeOf(match, context));
  const deletes = toPrune.map((each) => deleteOf(each, kind, scoreRuleId));
  const changes = [...updates.map(({ change }) => change), ...deletes];
  const write = smallestWrite({
    phase,
    ruleset: entrypoint.state === "present" ? entrypoint.id : undefined,
    before,
    after,
    differing: new Set(updates.flatMap(({ differing }) => differing ?? [])),
    body: ({ rule, target, live }) => ruleBody(target, live, refOf(owner, rule.key)),
    changes: changes.map(({ key }) => key),
  });
  return {
    steps: write === undefined ? [] : [{ changes, write, waitsFor: [] }],
    unmanaged: unmanaged.map((rule) => unmanagedOf(rule, kind)),
    notes: notesOf(declared.items, scoreRule),
    holds: [
      ...after.flatMap((entry) => alreadyDeployedHolds(entry, kind, after)),
      ...(declared.unmanaged === "delete"
        ? []
        : toPrune.flatMap((each) => adoptedDeleteHolds(each, kind))),
    ],
    compared: declared.items.length + toPrune.length,
    unowned: matches.flatMap((match) => unownedIn(match, kind, isOurs)),
    adoptedRules: before.flatMap((rule) => adoptedIn(rule, kind, matches, markOf, owner)),
  };
}

/** A rule without any mark is deleted because it is remembered as adopted. */
function adoptedDeleteHolds(
  { live, key }: ToPrune<LiveRule, Rule>,
  kind: RuleKind,
): readonly Hold[] {
  return markOfRef(live.ref).owner === undefined ? [adoptedDeleteHold(`${kind}/${key}`, live)] : [];
}

function unownedIn(
  { rule, live }: RuleMatch,
  kind: RuleKind,
  isOurs: (rule: LiveRule) => boolean,
): readonly Unowned[] {
  if (live === undefined || isOurs(live)) return [];
  const { id, ref } = live;
  return [{ kind, key: `${kind}/${rule.key}`, id, ref, title: rule.description }];
}

/** An adopted rule with the key by which it is declared now, or was last. */
function adoptedIn(
  live: LiveRule,
  kind: RuleKind,
  matches: readonly RuleMatch[],
  markOf: (rule: LiveRule) => Mark,
  owner: string,
): readonly AdoptedRule[] {
  const mark = markOf(live);
  if (mark.owner !== owner || mark.key === undefined) return [];
  if (markOfRef(live.ref).owner !== undefined) return [];
  const { id, ref } = live;
  const declared = matches.find((match) => match.live === live);
  return [{ kind, id, ref, key: declared?.rule.key ?? mark.key }];
}

/** The change of a declared rule; `differing` is its live rule where a field other than the position differs. */
interface RuleChange {
  readonly change: Change;
  readonly differing: LiveRule | undefined;
}

interface ChangeContext extends RuleOrder {
  readonly kind: RuleKind;
  readonly scoreRuleId: string;
  readonly isOurs: (rule: LiveRule) => boolean;
}

function changeOf(match: RuleMatch, context: ChangeContext): readonly RuleChange[] {
  const { kind, before, after, scoreRuleId, isOurs } = context;
  const { rule, target, live } = match;
  const was = live === undefined ? undefined : comparable(live, scoreRuleId);
  const is = comparable(target, scoreRuleId);
  const content = differingRuleFields(was, is);
  const position = live === undefined ? undefined : positionChange(match, before, after);
  const fields = position === undefined ? content : [...content, position];
  if (live !== undefined && fields.length === 0) return [];

  const moved = position === undefined ? neutral : effectOfMove(match, context);
  const shared = {
    kind,
    key: `${kind}/${rule.key}`,
    title: rule.description,
    fields,
    effect: combine([effectOfRule(was, is), effectOnLater(match, was, context), moved]),
    causes: [],
  } as const;
  if (live === undefined) return [{ change: { verb: "create", ...shared }, differing: undefined }];
  const adopted = !isOurs(live);
  return [
    {
      change: { verb: "update", ...shared, id: live.id, adopted },
      differing: content.length === 0 ? undefined : live,
    },
  ];
}

function deleteOf(
  { live, key, reason }: ToPrune<LiveRule, Rule>,
  kind: RuleKind,
  scoreRuleId: string,
): Delete {
  const was = comparable(live, scoreRuleId);
  return {
    verb: "delete",
    kind,
    key: `${kind}/${key}`,
    title: live.description,
    id: live.id,
    reason,
    fields: differingRuleFields(was, undefined),
    effect: effectOfRule(was, undefined),
    causes: [],
  };
}

function unmanagedOf({ id, ref, description }: LiveRule, kind: RuleKind): Unmanaged {
  return { kind, id, title: description === "" ? ref : description };
}

/** A zone deploys a managed ruleset once (SERVICE.md B.5): the service rejects a second rule that deploys it. */
function alreadyDeployedHolds(
  { match }: Entry,
  kind: RuleKind,
  after: readonly Entry[],
): readonly Hold[] {
  if (match?.rule.action !== "execute") return [];
  const { key, ruleset } = match.rule;
  const other = after.find(
    (entry) =>
      entry.match === undefined &&
      entry.live.action.type === "execute" &&
      entry.live.action.ruleset === ruleset,
  )?.live;
  if (other === undefined) return [];
  const { id, ref, description } = other;
  return [
    {
      reason: "already_deployed",
      message:
        `${kind}/${key} deploys the managed ruleset ${ruleset}, but the live rule ${id} (${description || ref}) does so ` +
        "already, and a zone can deploy it once: delete that rule, or leave the ruleset to its owner",
    },
  ];
}

function notesOf(declared: readonly Rule[], scoreRule: ScoreRule | undefined): readonly string[] {
  return needScoreRule(declared) && scoreRule?.source === "documented"
    ? [
        `the OWASP ruleset could not be read: its score rule is taken by its documented id ${scoreRule.id}`,
      ]
    : [];
}
