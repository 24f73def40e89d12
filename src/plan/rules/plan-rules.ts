import type { JsonObject } from "../../syntax/json.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import {
  type LiveEntrypoint,
  type LiveRule,
  rulesIn,
  type ScoreRule,
} from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { type Mark, markOfRef } from "../../zone/mark.ts";
import type { Rule, RuleKind } from "../../zone/resource.ts";
import type { PhaseFacts, RulePhase } from "../../zone/rule-phase.ts";
import type { Write } from "../../zone/write.ts";
import { type Change, combine } from "../change.ts";
import type { Hold } from "../guard/hold.ts";
import {
  adoptedDeleteHold,
  type AdoptedRule,
  markOfRule,
  type Ownership,
  type Unowned,
} from "../ownership.ts";
import { prunableAmong, type ToPrune } from "../prunable.ts";
import type { KindPlan, Step, Unmanaged } from "../write-order.ts";
import { effectOfMove, effectOnLater } from "./order-effect.ts";
import { needScoreRule } from "./owasp-tuning.ts";
import { ruleBody, unchangedBody } from "./rule-body.ts";
import { effectOfRule } from "./rule-effect.ts";
import { comparable, differingRuleFields, targetOf } from "./rule-fields.ts";
import { matchRules, type RuleMatch } from "./rule-match.ts";
import { arrange, type Entry, type Unplaced } from "./rule-positions.ts";
import { inSafeOrder, mostRules, type PlacedStep, type RuleStep } from "./rule-sequence.ts";

/**
 * Plans an entry point: one write for each rule, so that other writers lose nothing, and a rule that the service refuses
 * holds no other one. An absent entry point is created in one write. Only where undeclared rules of others are deleted beside
 * other changes, one write replaces the whole list.
 *
 * @param quota how many rules the entry point may have.
 */
export function planRules(
  facts: PhaseFacts,
  quota: number,
  declared: Declared<Rule>,
  entrypoint: LiveEntrypoint,
  scoreRule: ScoreRule | undefined,
  owner: string,
  ownership: Ownership,
): KindPlan {
  const { phase, kind, wire } = facts;
  const scoreRuleId = scoreRule?.id ?? documentedScoreRuleId;
  const before = rulesIn(entrypoint);
  const targets = declared.items.map((rule) => [rule, targetOf(rule, scoreRuleId)] as const);
  const markOf = (rule: LiveRule): Mark => markOfRule(rule, ownership, owner);
  const matches = matchRules(targets, before, owner, markOf);
  const matchOf = new Map(matches.map((match) => [match.live, match]));
  const { toPrune, unmanaged } = prunableAmong(
    before.filter((rule) => !matchOf.has(rule)),
    declared,
    owner,
    markOf,
  );
  const lists = arrange(before, matches, new Set(toPrune.map(({ live }) => live)));
  const { after, stays, unplaced, placedBy } = lists;

  const isOurs = (rule: LiveRule): boolean => markOf(rule).owner === owner;
  const changed = after.flatMap((entry) =>
    changeOf(entry, { after, stays, facts, scoreRuleId, isOurs }),
  );
  const deleted = toPrune.map((each) => deleteOf(each, kind, scoreRuleId));
  const placed = inSafeOrder(lists, [...changed, ...deleted], quota, (target, passed, isFirst) =>
    effectOfMove(target, passed, isFirst, wire),
  );
  const isWhole = placed.length > 1 && toPrune.some(({ reason }) => reason === "unmanaged");
  const isLonger = after.length > before.length;
  const most = isWhole ? (isLonger ? after.length : 0) : mostRules(before.length, placed);
  const deployers = isWhole ? liveIn(after) : before;
  const unmatched = unmatchedIn(after);
  return {
    steps: stepsOf(phase, entrypoint, after, placed, isWhole),
    unmanaged: unmanaged.map((rule) => unmanagedOf(rule, kind)),
    notes: [...notesOf(declared.items, scoreRule), ...(isWhole ? [raceNote] : [])],
    holds: [
      ...matches.flatMap((match) => alreadyDeployedHolds(match, kind, deployers, unmatched)),
      ...unplaced.map((each) => unplacedHold(each, kind)),
      ...(declared.unmanaged === "delete"
        ? []
        : toPrune.flatMap((each) => adoptedDeleteHolds(each, kind))),
    ],
    compared: declared.items.length + toPrune.length,
    unowned: matches.flatMap((match) => unownedIn(match, kind, isOurs)),
    grown: most === 0 ? [] : [{ phase, rules: after.length, most }],
    adoptedRules: before.flatMap((rule) =>
      adoptedIn(rule, kind, matchOf.get(rule)?.rule.key, markOf, owner),
    ),
    liveKeys: new Map(
      before.flatMap((live) => {
        const found = matchOf.get(live);
        return found === undefined ? [] : [[live.id, `${kind}/${found.rule.key}`] as const];
      }),
    ),
    placedBy: new Map(
      [...placedBy].map(([key, by]) => [`${kind}/${key}` as const, `${kind}/${by}` as const]),
    ),
  };
}

const raceNote =
  "undeclared rules are deleted with `unmanaged: delete`: one request replaces the whole list of rules, and a rule that somebody adds in the seconds between the read and this request is lost";

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
  declaredKey: string | undefined,
  markOf: (rule: LiveRule) => Mark,
  owner: string,
): readonly AdoptedRule[] {
  const mark = markOf(live);
  if (mark.owner !== owner || mark.key === undefined) return [];
  if (markOfRef(live.ref).owner !== undefined) return [];
  const { id, ref } = live;
  return [{ kind, id, ref, key: declaredKey ?? mark.key }];
}

/** A step with its change, which does not have the move of the rule yet. */
interface ChangeStep extends RuleStep {
  readonly change: Change;
}

interface ChangeContext {
  readonly facts: PhaseFacts;
  readonly after: readonly Entry[];
  readonly stays: ReadonlySet<Entry>;
  readonly scoreRuleId: string;
  readonly isOurs: (rule: LiveRule) => boolean;
}

/** The change of a declared rule. */
function changeOf(
  entry: Entry,
  { facts: { kind, wire }, after, stays, scoreRuleId, isOurs }: ChangeContext,
): readonly ChangeStep[] {
  if (entry.match === undefined) return [];
  const { rule, target, live } = entry.match;
  const was = live === undefined ? undefined : comparable(live, scoreRuleId);
  const is = comparable(target, scoreRuleId);
  const fields = differingRuleFields(was, is);
  const differs = fields.length > 0;
  if (live !== undefined && !differs && stays.has(entry)) return [];
  const effect = combine([effectOfRule(was, is), effectOnLater(entry.match, was, after, wire)]);
  const shared = {
    kind,
    key: `${kind}/${rule.key}`,
    title: rule.description,
    fields,
    effect,
    causes: [],
  } as const;
  const change: Change =
    live === undefined
      ? { verb: "create", ...shared }
      : { verb: "update", ...shared, id: live.id, adopted: !isOurs(live) };
  return [{ entry, change, verb: change.verb, effect, differs }];
}

function deleteOf(
  { live, key, reason }: ToPrune<LiveRule, Rule>,
  kind: RuleKind,
  scoreRuleId: string,
): ChangeStep {
  const was = comparable(live, scoreRuleId);
  const effect = effectOfRule(was, undefined);
  const change: Change = {
    verb: "delete",
    kind,
    key: `${kind}/${key}`,
    title: live.description,
    id: live.id,
    reason,
    fields: differingRuleFields(was, undefined),
    effect,
    causes: [],
  };
  return { entry: { live, match: undefined }, change, verb: "delete", effect, differs: true };
}

/** The writes of an entry point, with their changes. */
function stepsOf(
  phase: RulePhase,
  entrypoint: LiveEntrypoint,
  after: readonly Entry[],
  placed: readonly PlacedStep<ChangeStep>[],
  isWhole: boolean,
): readonly Step[] {
  if (placed.length === 0) return [];
  if (entrypoint.state === "absent" || isWhole) {
    const call = entrypoint.state === "absent" ? "create-entrypoint" : "put-entrypoint";
    const changes = placed.map(changeIn);
    const keys = changes.map(({ key }) => key);
    const write: Write = { call, phase, rules: after.map(bodyOf), changes: keys };
    return [{ changes, write, waitsFor: [] }];
  }
  const written = placed.map((each) => ({ each, write: writeOf(phase, entrypoint.id, each) }));
  const writes = new Map(written.map(({ each, write }) => [each.step, write]));
  return written.map(({ each, write }) => ({
    changes: [changeIn(each)],
    write,
    waitsFor: each.waitsFor.flatMap((step) => writes.get(step) ?? []),
  }));
}

function changeIn({ step: { change }, move }: PlacedStep<ChangeStep>): Change {
  if (move === undefined) return change;
  const fields = [...change.fields, move.field];
  return { ...change, fields, effect: combine([change.effect, move.effect]) };
}

function writeOf(
  phase: RulePhase,
  ruleset: string,
  { step, place }: PlacedStep<ChangeStep>,
): Write {
  const { entry, change, differs } = step;
  const changes = [change.key];
  if (change.verb === "delete") {
    return { call: "delete-rule", phase, ruleset, id: change.id, changes };
  }
  if (change.verb === "create" && place !== null) {
    return { call: "create-rule", phase, ruleset, body: bodyOf(entry), position: place, changes };
  }
  // A position is the one body that the service merges (SERVICE.md B.4).
  const body = differs ? bodyOf(entry) : {};
  const id = entry.live?.id ?? "";
  return { call: "update-rule", phase, ruleset, id, body, position: place, changes };
}

function bodyOf({ live, match }: Entry): JsonObject {
  return match === undefined ? unchangedBody(live) : ruleBody(match.target, match.live, match.ref);
}

function unmatchedIn(entries: readonly Entry[]): ReadonlySet<LiveRule> {
  return new Set(entries.flatMap(({ live, match }) => (match === undefined ? live : [])));
}

function liveIn(entries: readonly Entry[]): readonly LiveRule[] {
  return entries.flatMap(({ live }) => live ?? []);
}

function unmanagedOf({ id, ref, description }: LiveRule, kind: RuleKind): Unmanaged {
  return { kind, id, title: description === "" ? ref : description };
}

/**
 * A zone deploys a managed ruleset once (SERVICE.md B.5): the service rejects a second rule that deploys it, also where a
 * later write would change or delete the first one. Where the first one goes before, no rule deploys the ruleset meanwhile:
 * an exchange of the rulesets of two keys is held as well, and the same keys keep both deployed.
 */
function alreadyDeployedHolds(
  { rule, live }: RuleMatch,
  kind: RuleKind,
  rules: readonly LiveRule[],
  stays: ReadonlySet<LiveRule>,
): readonly Hold[] {
  if (rule.action !== "execute") return [];
  const { key, ruleset } = rule;
  const deploys = ({ action }: LiveRule): boolean =>
    action.type === "execute" && action.ruleset === ruleset;
  const other = rules.find((each) => each !== live && deploys(each));
  if (other === undefined || (live !== undefined && deploys(live))) return [];
  const { id, ref, description } = other;
  const remedy = stays.has(other)
    ? "delete that rule, or leave the ruleset to its owner"
    : "let that rule deploy something else first, or declare the ruleset under its key";
  return [
    {
      reason: "already_deployed",
      message:
        `${kind}/${key} deploys the managed ruleset ${ruleset}, but the live rule ${id} (${description || ref}) does so ` +
        `already, and a zone can deploy it once: ${remedy}`,
    },
  ];
}

function unplacedHold({ key, why }: Unplaced, kind: RuleKind): Hold {
  return { reason: "unplaced", message: `the position of ${kind}/${key} ${why}` };
}

function notesOf(declared: readonly Rule[], scoreRule: ScoreRule | undefined): readonly string[] {
  return needScoreRule(declared) && scoreRule?.source === "documented"
    ? [
        `the OWASP ruleset could not be read: its score rule is taken by its documented id ${scoreRule.id}`,
      ]
    : [];
}
