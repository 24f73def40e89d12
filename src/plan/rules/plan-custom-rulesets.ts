import type { JsonObject } from "../../syntax/json.ts";
import { sum } from "../../syntax/sum.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import {
  type LiveCustomRuleset,
  type LiveEntrypoint,
  type LiveRule,
  type RuleState,
  rulesIn,
} from "../../zone/live-zone.ts";
import { documentedScoreRuleId } from "../../zone/managed-ruleset.ts";
import { type Mark, marked, markOfRef, refOf, unmarked } from "../../zone/mark.ts";
import { ruleAtStep } from "../../zone/promoted-objects.ts";
import {
  type CustomRuleset,
  deploymentKey,
  type ExecuteRule,
  isDeploymentKey,
  placeAmong,
  type ResourceKey,
  type Rule,
  together,
} from "../../zone/resource.ts";
import { factsOfPhase } from "../../zone/rule-phase.ts";
import type { Write } from "../../zone/write.ts";
import { type Change, type Delete, type FieldChange, neutral, type Update } from "../change.ts";
import type { Hold } from "../guard/hold.ts";
import { type Ownership, type Unowned, withMark } from "../ownership.ts";
import { prunableAmong, type ToPrune } from "../prunable.ts";
import type { GrownPhase, KindPlan, PlannedWrite } from "../write-order.ts";
import type { RuleList, RulesPlan } from "./plan-rules.ts";
import { targetOf } from "./rule-body.ts";
import type { RulesetContent } from "./rule-effect.ts";
import { comparable } from "./rule-fields.ts";
import { executorsOf, markOfRuleset, matchRulesets, type RulesetMatch } from "./ruleset-match.ts";

const facts = factsOfPhase("custom_rules");

/** What a zone declares in the phase of custom rules, and what is live there. */
export interface CustomPhase {
  /** `undefined`: the files say nothing of the rules of the entry point itself. */
  readonly rules: Declared<Rule> | undefined;
  readonly rulesets: Declared<CustomRuleset>;
  readonly entrypoint: LiveEntrypoint;
  readonly live: readonly LiveCustomRuleset[];
}

/**
 * Plans the phase of custom rules with its custom rulesets. A ruleset and the rule that executes it are one resource: the
 * ruleset is created with its rules before that rule, and deleted after it. Until then it does nothing (SERVICE.md B.12), so
 * that a run can stop between the two: the next one goes on. A ruleset without our mark is never changed.
 *
 * @param planRules plans a list of rules.
 * @returns a plan for each list of rules that is written by itself
 */
export function planCustomPhase(
  { rules, rulesets, entrypoint, live }: CustomPhase,
  planRules: (list: RuleList, declared: Declared<Rule>) => RulesPlan,
  owner: string,
  ownership: Pick<Ownership, "adopt">,
): readonly KindPlan[] {
  const matches = matchRulesets(rulesets.items, live, entrypoint, owner);
  const matched = new Set(matches.map((match) => match.live));
  const { toPrune, unmanaged } = prunableAmong(
    live.filter((each) => !matched.has(each)),
    rulesets,
    owner,
    markOfRuleset,
  );
  const total = countIn(entrypoint) + sum(live.map((each) => each.rules?.length ?? 0));
  const planList = (
    key: string,
    found: LiveCustomRuleset | undefined,
    items: readonly Rule[],
  ): RulesPlan => {
    const list = found === undefined ? absent : listOf(found);
    const executors = found === undefined ? [] : executorsOf(found, entrypoint);
    const elsewhere = total - countIn(list);
    const inside = { facts, live: list, customRuleset: key, executors, elsewhere };
    return planRules(inside, { items, unmanaged: "report" });
  };
  const kept = matches.map((match): Kept => {
    const { ruleset, live: found } = match;
    const inside = planList(ruleset.key, found, ruleset.rules);
    return { ...match, fields: differingFields(match, owner, ownership), inside };
  });
  const gone = toPrune.map((each): Gone => ({
    ...each,
    inside: planList(each.key, each.live, []),
  }));
  const parts = new Map<string, Part>([
    ...kept.map((each) => [deploymentKey(each.ruleset.key), partOf(each, owner)] as const),
    ...gone.map((each) => [deploymentKey(each.key), partOfGone(each)] as const),
  ]);
  const marks = marksByRuleset([...kept, ...gone], entrypoint, owner);
  const entry = planRules(
    {
      facts,
      live: entrypoint,
      elsewhere: total - countIn(entrypoint),
      deployments: {
        isListDeclared: rules !== undefined,
        marks,
        contents: contentsOf(kept, gone, owner),
        changesWith: (change) => changesWith(parts.get(change.key), change),
      },
    },
    {
      items: inOneList(
        rules?.items ?? [],
        kept.map((each) => deploymentOf(each, owner)),
      ),
      unmanaged: rules?.unmanaged ?? "ignore",
    },
  );
  const isOurs = (rule: LiveRule): boolean =>
    (marks.get(rule) ?? markOfRef(rule.ref)).owner === owner;
  const created = kept.filter((each) => each.live === undefined);
  const insides = kept.filter((each) => each.live !== undefined).map(({ inside }) => inside);
  // One write makes all their changes.
  const wholes = [...created, ...gone].map(({ inside }) => inside);
  const executed = unmanaged.filter((each) => executorsOf(each, entrypoint).length > 0);
  const phase: KindPlan = {
    ...entry,
    writes: allWrites(entry.writes, parts),
    holds: [
      ...entry.holds,
      ...wholes.flatMap(({ holds }) => holds),
      ...gone.flatMap((each) => inUseHolds(each, entrypoint, isOurs)),
    ],
    unmanaged: [
      ...entry.unmanaged,
      // Others that the zone does not execute may be the account's.
      ...executed.map(({ id, name, description }) => {
        return { kind: "custom_ruleset", id, title: description || name } as const;
      }),
    ],
    unowned: [...entry.unowned, ...kept.flatMap((each) => unownedIn(each, owner))],
    compared: entry.compared + sum(wholes.map((inside) => inside.compared)),
    liveKeys: new Map([...entry.liveKeys, ...kept.flatMap(liveKeyOf)]),
    steps: new Map([entry, ...wholes].flatMap(({ steps }) => [...steps])),
    grown: grownIn([entry, ...[...kept, ...gone].map(({ inside }) => inside)]),
  };
  return [phase, ...insides.map((inside) => ({ ...inside, grown: [] }))];
}

function countIn(list: LiveEntrypoint): number {
  return rulesIn(list).length;
}

/** The quota counts the rules of all lists. In which order those of different lists come and go is not counted on. */
function grownIn(lists: readonly RulesPlan[]): readonly GrownPhase[] {
  if (lists.every(({ grown }) => grown.length === 0)) return [];
  const rules = sum(lists.map(({ counts }) => counts.after));
  return [{ phase: facts.phase, rules, most: sum(lists.map(mostIn)) }];
}

function mostIn({ counts, grown: [found] }: RulesPlan): number {
  return Math.max(counts.before, found?.most ?? 0);
}

const absent: LiveEntrypoint = { state: "absent" };

/** A declared custom ruleset, what differs beside its rules, and the plan of these. */
interface Kept extends RulesetMatch {
  readonly fields: readonly FieldChange[];
  readonly inside: RulesPlan;
}

/** A custom ruleset to delete, and the plan that deletes its rules. */
interface Gone extends ToPrune<LiveCustomRuleset, CustomRuleset> {
  readonly inside: RulesPlan;
}

function listOf({ id, version, rules }: LiveCustomRuleset): LiveEntrypoint {
  if (rules === undefined) throw new Error(`planned without having read the custom ruleset ${id}`);
  return { state: "present", id, version, rules };
}

/** The declared rule that executes a custom ruleset; it names one that is still to be created by its mark. */
function deploymentOf({ ruleset, live }: RulesetMatch, owner: string): ExecuteRule {
  const { key, was, description, expression, enabled, position } = ruleset;
  return {
    key: deploymentKey(key),
    was: was === undefined ? undefined : deploymentKey(was),
    description,
    expression,
    enabled,
    position,
    promotion: undefined,
    action: "execute",
    ruleset: live?.id ?? refOf(owner, key),
    tuning: { paranoiaLevel: undefined, scoreThreshold: undefined, action: undefined },
    overrides: {
      enabled: undefined,
      action: undefined,
      sensitivity_level: undefined,
      categories: [],
      rules: [],
    },
  };
}

/** The declared rules with those that execute rulesets, whose positions beside a declared rule are the order. */
function inOneList(rules: readonly Rule[], deployments: readonly Rule[]): readonly Rule[] {
  const keys = rules.map(({ key }) => key);
  return together(rules, deployments).map((each) =>
    isDeploymentKey(each.key) && placeAmong(keys, each.position) !== undefined
      ? { ...each, position: undefined }
      : each,
  );
}

/** A rule without a mark is ours if it executes a ruleset of ours, and no rule with our mark does. */
function marksByRuleset(
  rulesets: readonly Pick<RulesetMatch, "live">[],
  entrypoint: LiveEntrypoint,
  owner: string,
): ReadonlyMap<LiveRule, Mark> {
  const marks = new Map<LiveRule, Mark>();
  for (const { live } of rulesets) {
    const mark = live && markOfRuleset(live);
    if (live === undefined || mark?.owner !== owner || mark.key === undefined) continue;
    const executors = executorsOf(live, entrypoint);
    if (executors.some(({ ref }) => markOfRef(ref).owner === owner)) continue;
    const first = executors.find(({ ref }) => markOfRef(ref).owner === undefined);
    if (first !== undefined) marks.set(first, { owner, key: deploymentKey(mark.key) });
  }
  return marks;
}

/** The rules of each custom ruleset of ours, by its id; by its mark where it is still to be created. */
function contentsOf(
  kept: readonly Kept[],
  gone: readonly Gone[],
  owner: string,
): ReadonlyMap<string, RulesetContent> {
  return new Map([
    ...kept.map(({ ruleset, live, inside }) => {
      const before = live?.rules ?? [];
      const stays = new Set(inside.unmanaged.map(({ id }) => id));
      const after = [
        ...ruleset.rules.map((rule) => {
          const step = inside.steps.get(`custom_rule/${ruleset.key}/${rule.key}`);
          return targetOf(ruleAtStep(rule, step?.planned ?? 0), documentedScoreRuleId);
        }),
        ...before.filter(({ id }) => stays.has(id)),
      ];
      return [live?.id ?? refOf(owner, ruleset.key), contentOf(before, after)] as const;
    }),
    ...gone.map(({ live: { id, rules = [] } }) => [id, contentOf(rules, rules)] as const),
  ]);
}

function contentOf(before: readonly RuleState[], after: readonly RuleState[]): RulesetContent {
  return {
    before: before.map((rule) => comparable(rule, documentedScoreRuleId)),
    after: after.map((rule) => comparable(rule, documentedScoreRuleId)),
  };
}

/** What differs of a live ruleset itself. */
function differingFields(
  { ruleset, live }: RulesetMatch,
  owner: string,
  ownership: Pick<Ownership, "adopt">,
): readonly FieldChange[] {
  if (live === undefined) return [];
  const mark = unmarked(live.description);
  const before = mark.owner === owner ? mark.description : live.description;
  const { key, description: after } = ruleset;
  const fields = before === after ? [] : [{ field: "description", before, after }];
  return withMark(fields, mark, key, owner, ownership);
}

function unownedIn({ ruleset, live, fields }: Kept, owner: string): readonly Unowned[] {
  if (live === undefined || fields.length > 0 || markOfRuleset(live).owner === owner) return [];
  const { key, description: title } = ruleset;
  return [{ kind: "custom_ruleset", key: deploymentKey(key), id: live.id, ref: "", title }];
}

function liveKeyOf({ ruleset, live }: Kept): readonly (readonly [string, ResourceKey])[] {
  return live === undefined ? [] : [[live.id, deploymentKey(ruleset.key)]];
}

/** What a plan does to a custom ruleset beside the writes of single rules. */
interface Part {
  /** The change of the whole; `undefined`: that of the rule which executes it. Without fields, only that rule changes. */
  readonly whole: Update | Delete | undefined;
  /** The changes of its rules that its write makes. */
  readonly rules: readonly Change[];
  /** `undefined`: the ruleset itself stays as it is. */
  readonly write: Write | undefined;
}

function partOf({ ruleset, live, fields, inside }: Kept, owner: string): Part {
  const { key, description: title } = ruleset;
  const custom = { phase: facts.phase, custom_ruleset: key };
  const description = marked(title, owner, key);
  const resource = deploymentKey(key);
  if (live === undefined) {
    const rules = changesIn(inside);
    const body = { name: key, description, rules: bodiesIn(inside) };
    const changes = [resource, ...rules.map((change) => change.key)];
    const write = { call: "create-ruleset", ...custom, body, changes } as const;
    return { whole: undefined, rules, write };
  }
  const { id } = live;
  const whole: Update = {
    verb: "update",
    kind: "custom_ruleset",
    key: resource,
    title,
    id,
    adopted: markOfRuleset(live).owner !== owner,
    fields,
    effect: neutral,
    causes: [],
  };
  const body = { description };
  const changes = [resource];
  const write = { call: "update-ruleset", ...custom, ruleset: id, body, changes } as const;
  return { whole, rules: [], write: fields.length === 0 ? undefined : write };
}

function partOfGone({ live, key, reason, inside }: Gone): Part {
  const { id } = live;
  const { description: title } = unmarked(live.description);
  const rules = changesIn(inside);
  const whole: Delete = {
    verb: "delete",
    kind: "custom_ruleset",
    key: deploymentKey(key),
    title,
    id,
    reason,
    fields: title === "" ? [] : [{ field: "description", before: title, after: undefined }],
    effect: neutral,
    causes: [],
  };
  const changes = [whole.key, ...rules.map((change) => change.key)];
  const custom = { phase: facts.phase, custom_ruleset: key, ruleset: id };
  return { whole, rules, write: { call: "delete-ruleset", ...custom, changes } };
}

function changesIn({ writes }: RulesPlan): readonly Change[] {
  return writes.flatMap(({ changes }) => changes);
}

/** The change of the rule that executes a custom ruleset, as that of the whole resource. */
function changesWith(part: Part | undefined, change: Change): readonly Change[] {
  if (part === undefined) return [change];
  const { whole, rules } = part;
  if (whole === undefined) return [change, ...rules];
  // The description of the rule is not that of the resource.
  const ofRule = change.fields.filter(({ field }) => field !== "description");
  return [{ ...whole, fields: [...ofRule, ...whole.fields], effect: change.effect }, ...rules];
}

/** The bodies of the rules of a ruleset that is created as a whole. */
function bodiesIn({ writes }: RulesPlan): readonly JsonObject[] {
  return writes.flatMap(({ write }) => (write.call === "create-entrypoint" ? write.rules : []));
}

/** The writes of the entry point, with those that create rulesets before and all others after them. */
function allWrites(
  entry: readonly PlannedWrite[],
  parts: ReadonlyMap<string, Part>,
): readonly PlannedWrite[] {
  const waits = new Map<PlannedWrite, readonly Write[]>();
  const others = [...parts].flatMap(([key, { whole, rules, write }]): readonly PlannedWrite[] => {
    if (write === undefined) return [];
    const planned = entry.find(({ changes }) => changes.some((change) => change.key === key));
    if (planned === undefined) {
      // It does nothing that no rule executes.
      const alone = whole === undefined ? [] : [whole, ...rules];
      const changes = alone.map((change) => ({ ...change, effect: neutral }));
      return [{ changes, write, waitsFor: [] }];
    }
    if (write.call !== "create-ruleset") return [{ changes: [], write, waitsFor: [planned.write] }];
    waits.set(planned, [...(waits.get(planned) ?? []), write]);
    return [{ changes: [], write, waitsFor: [] }];
  });
  return [
    ...others.filter(isCreated),
    ...entry.map((planned) => ({
      ...planned,
      waitsFor: [...planned.waitsFor, ...(waits.get(planned) ?? [])],
    })),
    ...others.filter((planned) => !isCreated(planned)),
  ];
}

function isCreated({ write }: PlannedWrite): boolean {
  return write.call === "create-ruleset";
}

/** A ruleset is not deleted with what others have in it, nor while a rule of others executes it. */
function inUseHolds(
  { live, key, inside }: Gone,
  entrypoint: LiveEntrypoint,
  isOurs: (rule: LiveRule) => boolean,
): readonly Hold[] {
  const others = executorsOf(live, entrypoint).filter((rule) => !isOurs(rule));
  const found = [
    ...inside.unmanaged.map(({ id, title }) => `has the rule ${id} (${title}), which is not ours`),
    ...others.map(({ id }) => `is executed by the rule ${id}, which is not ours`),
  ];
  return found.slice(0, 1).map((reason) => ({
    reason: "in_use",
    message: `${deploymentKey(key)} would be deleted, and it ${reason}: delete that rule, or declare the ruleset again`,
  }));
}
