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
import {
  isDeploymentKey,
  type ResourceKey,
  type Rule,
  type RuleKind,
} from "../../zone/resource.ts";
import type { PhaseFacts } from "../../zone/rule-phase.ts";
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
import { stepOfRule } from "../promoted-step.ts";
import { prunableAmong, type ToPrune } from "../prunable.ts";
import { emptyPlan, type KindPlan, type PlannedWrite, type Unmanaged } from "../write-order.ts";
import { countedEffectOfRule, ofOneAction } from "./counted-rule.ts";
import { effectOfMove, effectOnLater } from "./order-effect.ts";
import { needScoreRule } from "./owasp-tuning.ts";
import { ruleBody, unchangedBody } from "./rule-body.ts";
import { effectOfDeployment, effectOfRule, type RulesetContent } from "./rule-effect.ts";
import { comparable, type ComparableRule, differingRuleFields } from "./rule-fields.ts";
import { matchRules, type RuleMatch } from "./rule-match.ts";
import { arrange, type Entry, type RuleLists } from "./rule-positions.ts";
import { inSafeOrder, mostRules, type PlacedWrite, type RuleWrite } from "./rule-sequence.ts";

/** A list of rules: the entry point of a phase, or a custom ruleset of its zone. */
export interface RuleList {
  readonly facts: PhaseFacts;
  readonly live: LiveEntrypoint;
  /** Key of the custom ruleset; left out: the entry point. */
  readonly customRuleset?: string;
  /** The live rules that execute the custom ruleset. */
  readonly executors?: readonly LiveRule[];
  /** How many rules the phase has in other lists: the quota counts all. */
  readonly elsewhere?: number;
  /** Left out: the list executes no custom ruleset that is declared. */
  readonly deployments?: Deployments;
}

/** The rules of an entry point that execute declared custom rulesets. Their keys are those of {@link deploymentKey}. */
export interface Deployments {
  /** Whether the files declare the other rules of the entry point. */
  readonly isListDeclared: boolean;
  /** The marks of the rulesets that live rules execute, where they count in place of those of the rules. */
  readonly marks: ReadonlyMap<LiveRule, Mark>;
  /** The rules of each ruleset, by what the rule that executes it names. */
  readonly contents: ReadonlyMap<string, RulesetContent>;
  /** A change, with what else its write completes. */
  readonly changesWith: (change: Change) => readonly Change[];
}

/** A list of rules, and how many it has. */
export interface RulesPlan extends KindPlan {
  readonly counts: { readonly before: number; readonly after: number };
}

/**
 * Plans a list of rules: one write for each rule, so that other writers lose nothing, and a rule that the service refuses
 * holds no other one. An absent entry point is created in one write. Only where undeclared rules of others are deleted beside
 * other changes, one write replaces the whole list.
 *
 * @param quota how many rules the phase may have.
 */
export function planRules(
  list: RuleList,
  quota: number,
  declared: Declared<Rule>,
  scoreRule: ScoreRule | undefined,
  owner: string,
  ownership: Ownership,
): RulesPlan {
  const { facts, deployments } = list;
  const { phase, kind, wire } = facts;
  const { isListDeclared = true } = deployments ?? {};
  const scoreRuleId = scoreRule?.id ?? documentedScoreRuleId;
  const markOf = (rule: LiveRule): Mark => markIn(list, rule, ownership, owner);
  // What is ours and not declared as a list is neither changed nor reported.
  const isOpen = ({ owner: by, key = "" }: Mark): boolean =>
    by !== owner || (isDeploymentKey(key) ? deployments !== undefined : isListDeclared);
  const before = rulesIn(list.live);
  const found = matchRules(declared.items, before, owner, markOf, scoreRuleId);
  const matches = found.map(withLiveDescription);
  const matchOf = new Map(matches.map((match) => [match.live, match]));
  const { toPrune, unmanaged } = prunableAmong(
    before.filter((rule) => !matchOf.has(rule)),
    declared,
    owner,
    markOf,
    isOpen,
  );
  const lists = arrange(before, matches, new Set(toPrune.map(({ live }) => live)));
  const { after, unplaced, placedBy } = lists;

  const isOurs = (rule: LiveRule): boolean => markOf(rule).owner === owner;
  const changed = after.flatMap((entry) => changeOf(entry, lists, list, scoreRuleId, isOurs));
  const deleted = toPrune.map((each) => deleteOf(each, list, scoreRuleId));
  const room = quota - (list.elsewhere ?? 0);
  const placed = inSafeOrder(lists, [...changed, ...deleted], room, (target, passed, isFirst) =>
    effectOfMove(target, passed, isFirst, wire),
  );
  const isWhole = placed.length > 1 && toPrune.some(({ reason }) => reason === "unmanaged");
  const isLonger = after.length > before.length;
  const most = isWhole ? (isLonger ? after.length : 0) : mostRules(before.length, placed);
  const deployers = isWhole ? after.flatMap(({ live }) => live ?? []) : before;
  const unmatched = new Set(after.flatMap(({ live, match }) => (match === undefined ? live : [])));
  return {
    ...emptyPlan,
    writes: writesOf(list, after, placed, isWhole),
    unmanaged: unmanaged.map((rule) => unmanagedOf(rule, kind)),
    notes: [...notesOf(declared.items, scoreRule), ...(isWhole ? [raceNote] : [])],
    holds: [
      ...matches.flatMap((match) => alreadyDeployedHolds(match, list, deployers, unmatched)),
      ...unplaced.map(({ key, why }): Hold => {
        return { reason: "unplaced", message: `the position of ${keyIn(list, key)} ${why}` };
      }),
      ...(declared.unmanaged === "delete"
        ? []
        : toPrune.flatMap((each) => adoptedDeleteHolds(each, list))),
    ],
    compared: declared.items.length + toPrune.length,
    unowned: matches.flatMap((match) => unownedIn(match, list, isOurs)),
    grown: most === 0 ? [] : [{ phase, rules: after.length, most }],
    counts: { before: before.length, after: after.length },
    adoptedRules: before.flatMap((rule) =>
      adoptedIn(rule, list, matchOf.get(rule)?.rule.key, markOf(rule), owner),
    ),
    liveKeys: new Map(
      before.flatMap((live) => {
        const match = matchOf.get(live);
        return match === undefined ? [] : [[live.id, keyIn(list, match.rule.key)] as const];
      }),
    ),
    steps: new Map(
      matches.flatMap(({ rule, live }) => {
        const step = stepOfRule(rule, live, scoreRuleId);
        return step === undefined ? [] : [[keyIn(list, rule.key), step] as const];
      }),
    ),
    placedBy: new Map(
      [...placedBy].map(([key, by]) => [keyIn(list, key), keyIn(list, by)] as const),
    ),
  };
}

/** The key of a rule of a list as a resource; that of the custom ruleset that the rule executes. */
function keyIn({ facts: { kind }, customRuleset }: RuleList, key: string): ResourceKey {
  if (isDeploymentKey(key)) return key;
  return customRuleset === undefined ? `${kind}/${key}` : `${kind}/${customRuleset}/${key}`;
}

/** A rule that is remembered as adopted in a custom ruleset has the key of that one before its own. */
function markIn(list: RuleList, rule: LiveRule, ownership: Ownership, owner: string): Mark {
  const mark = list.deployments?.marks.get(rule) ?? markOfRule(rule, ownership, owner);
  if (list.customRuleset === undefined) return mark;
  return { ...mark, key: mark.key?.slice(mark.key.lastIndexOf("/") + 1) };
}

/** The declared description is that of the custom ruleset: the rule that executes it keeps its own. */
function withLiveDescription(match: RuleMatch): RuleMatch {
  const { rule, target, live } = match;
  if (live === undefined || !isDeploymentKey(rule.key)) return match;
  return { ...match, target: { ...target, description: live.description } };
}

const raceNote =
  "undeclared rules are deleted with `unmanaged: delete`: one request replaces the whole list of rules, and a rule that somebody adds in the seconds between the read and this request is lost";

/** A rule without any mark is deleted because it is remembered as adopted. */
function adoptedDeleteHolds(
  { live, key }: ToPrune<LiveRule, Rule>,
  list: RuleList,
): readonly Hold[] {
  // The mark of a custom ruleset is also that of the rule which executes it.
  if (markOfRef(live.ref).owner !== undefined || isDeploymentKey(key)) return [];
  return [adoptedDeleteHold(keyIn(list, key), live)];
}

function unownedIn(
  { rule, live }: RuleMatch,
  list: RuleList,
  isOurs: (rule: LiveRule) => boolean,
): readonly Unowned[] {
  // Of a custom ruleset, its own mark counts.
  if (live === undefined || isOurs(live) || isDeploymentKey(rule.key)) return [];
  const { id, ref } = live;
  const { kind } = list.facts;
  return [{ kind, key: keyIn(list, rule.key), id, ref, title: rule.description }];
}

/** An adopted rule with the key by which it is declared now, or was last. */
function adoptedIn(
  { id, ref }: LiveRule,
  list: RuleList,
  declaredKey: string | undefined,
  mark: Mark,
  owner: string,
): readonly AdoptedRule[] {
  if (mark.owner !== owner || mark.key === undefined || isDeploymentKey(mark.key)) return [];
  if (markOfRef(ref).owner !== undefined) return [];
  const { kind } = list.facts;
  return [{ kind, id, ref, key: keyIn(list, declaredKey ?? mark.key).slice(kind.length + 1) }];
}

/** The change of a declared rule. */
function changeOf(
  entry: Entry,
  { after, stays }: RuleLists,
  list: RuleList,
  scoreRuleId: string,
  isOurs: (rule: LiveRule) => boolean,
): readonly RuleWrite[] {
  if (entry.match === undefined) return [];
  const { rule, target, live } = entry.match;
  const was = live === undefined ? undefined : comparable(live, scoreRuleId);
  const found = differenceOf(list, rule.key, live, was, comparable(target, scoreRuleId));
  if (live !== undefined && found.fields.length === 0 && stays.has(entry)) return [];
  const onLater = effectOnLater(entry.match, was, after, list.facts.wire);
  const shared = {
    ...found,
    title: rule.description,
    effect: combine([found.effect, onLater]),
  };
  const change: Change =
    live === undefined
      ? { verb: "create", ...shared }
      : { verb: "update", ...shared, id: live.id, adopted: !isOurs(live) };
  return [{ entry, change }];
}

function deleteOf(
  { live, key, reason }: ToPrune<LiveRule, Rule>,
  list: RuleList,
  scoreRuleId: string,
): RuleWrite {
  const found = differenceOf(list, key, live, comparable(live, scoreRuleId), undefined);
  const { id, description: title } = live;
  const counted = reason === "undeclared" ? found.counted : undefined;
  const change: Change = { verb: "delete", ...found, title, id, reason, counted };
  return { entry: { live, match: undefined }, change };
}

/**
 * What differs of a rule between two sides, and what that does; a side is `undefined` without the rule. Of the rule that
 * executes a custom ruleset, it is what becomes of that one.
 */
function differenceOf(
  list: RuleList,
  key: string,
  live: LiveRule | undefined,
  was: ComparableRule | undefined,
  is: ComparableRule | undefined,
): Pick<Change, "kind" | "key" | "fields" | "effect" | "counted" | "causes"> {
  const shared = { key: keyIn(list, key), causes: [] };
  const fields = differingRuleFields(was, is);
  const { facts, executors, deployments } = list;
  if (deployments !== undefined && isDeploymentKey(key)) {
    return {
      ...shared,
      kind: "custom_ruleset",
      // The id of the ruleset is shown only where another one was executed.
      fields: fields.flatMap((each) => {
        if (each.field !== "deploy") return [each];
        return was === undefined || is === undefined ? [] : [{ ...each, field: "ruleset" }];
      }),
      effect: effectOfDeployment(was, is, deployments.contents),
      // Its rules are counted.
      counted: undefined,
    };
  }
  const effect = effectOfRule(was, is);
  const base = { ...shared, kind: facts.kind, fields, effect };
  if (live === undefined || was === undefined) return { ...base, counted: undefined };
  const isExecuted = executors?.some(({ enabled }) => enabled) ?? true;
  const acting = { ...was, enabled: was.enabled && isExecuted };
  const reach = is && effectOfRule(ofOneAction(was), ofOneAction(is)).direction;
  const lives = [live, ...(executors ?? [])];
  return { ...base, counted: countedEffectOfRule(acting, is, reach ?? "neutral", lives) };
}

/** The writes of a list, with their changes. */
function writesOf(
  list: RuleList,
  after: readonly Entry[],
  placed: readonly PlacedWrite[],
  isWhole: boolean,
): readonly PlannedWrite[] {
  if (placed.length === 0) return [];
  const { live, facts, deployments } = list;
  const { phase } = facts;
  const changesIn = ({ change }: PlacedWrite): readonly Change[] =>
    deployments === undefined ? [change] : deployments.changesWith(change);
  if (live.state === "absent" || isWhole) {
    const call = live.state === "absent" ? "create-entrypoint" : "put-entrypoint";
    const changes = placed.flatMap(changesIn);
    const keys = changes.map(({ key }) => key);
    const write: Write = { call, phase, rules: after.map(bodyOf), changes: keys };
    return [{ changes, write, waitsFor: [] }];
  }
  const written = placed.map((each) => {
    const changes = changesIn(each);
    const keys = changes.map(({ key }) => key);
    return { each, changes, write: writeOf(list, live.id, each, keys) };
  });
  const writes = new Map(written.map(({ each, write }) => [each.entry, write]));
  return written.map(({ each, changes, write }) => ({
    changes,
    write,
    waitsFor: each.waitsFor.flatMap((entry) => writes.get(entry) ?? []),
  }));
}

function writeOf(
  { facts: { phase }, customRuleset }: RuleList,
  ruleset: string,
  { entry, change, place }: PlacedWrite,
  changes: readonly ResourceKey[],
): Write {
  const list = {
    phase,
    ...(customRuleset === undefined ? {} : { custom_ruleset: customRuleset }),
    ruleset,
  };
  if (change.verb === "delete") return { call: "delete-rule", ...list, id: change.id, changes };
  if (change.verb === "create" && place !== null) {
    return { call: "create-rule", ...list, body: bodyOf(entry), position: place, changes };
  }
  // A position is the one body that the service merges (SERVICE.md B.4).
  const isOnlyMoved = change.fields.every(({ field }) => field === "position");
  const body = isOnlyMoved ? {} : bodyOf(entry);
  const id = entry.live?.id ?? "";
  return { call: "update-rule", ...list, id, body, position: place, changes };
}

function bodyOf({ live, match }: Entry): JsonObject {
  return match === undefined ? unchangedBody(live) : ruleBody(match.target, match.live, match.ref);
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
  list: RuleList,
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
  const what = isDeploymentKey(key) ? "custom" : "managed";
  return [
    {
      reason: "already_deployed",
      message:
        `${keyIn(list, key)} deploys the ${what} ruleset ${ruleset}, but the live rule ${id} (${description || ref}) does so ` +
        `already, and a zone can deploy it once: ${remedy}`,
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
