import { byPhase, type Declared, noContent, type ZoneContent } from "../../zone/desired-zone.ts";
import { type LiveZone, rulesIn } from "../../zone/live-zone.ts";
import type { CustomRuleset, Kind, Policy, Rule } from "../../zone/resource.ts";
import { kindWords, rulesetIn, settingNames } from "../../zone/resource.ts";
import { factsOfPhase, type RulePhase, rulePhases } from "../../zone/rule-phase.ts";
import { plan } from "../plan.ts";
import type { Candidates, Choice, DeclaredKind, Importable, LeftOut } from "./candidate.ts";
import { policyCandidates } from "./import-policies.ts";
import { ruleCandidates } from "./import-rules.ts";
import { deployingRules, placedAmong, rulesetCandidates } from "./import-rulesets.ts";

/** The declaration of a live zone, and what it omits. */
export interface ImportedZone {
  readonly content: ZoneContent;
  readonly leftOut: readonly LeftOut[];
}

/** The reason why zone files cannot express some content; `undefined` if they can. */
export type WhyNotWritable = (content: ZoneContent) => string | undefined;

/**
 * The inverse of {@link plan}: declares the live state, so that the plan of the result is empty.
 *
 * Resources without our mark are declared such that the plan adopts them. A resource that cannot be declared is left
 * out and reported. Where leaving it out would delete it, the whole kind is left out. A kind without live resources is
 * not declared.
 */
export function importLiveZone(
  live: LiveZone,
  owner: string,
  whyNotWritable: WhyNotWritable,
): ImportedZone {
  const context = { live, owner, whyNotWritable };
  const policies = declareKind("policy", policyCandidates(live, owner), {
    ...context,
    contentOf: (items) => ({ ...noContent, policies: declared(items) }),
  });
  const ofRulesets: ImportContext<CustomRuleset> = {
    ...context,
    contentOf: (items) => ({ ...noContent, customRulesets: declared(items) }),
  };
  const rulesets = declareKind("custom_ruleset", rulesetCandidates(live, owner), ofRulesets);
  const deploying = deployingRules(live);
  const rules = rulePhases.map((phase) => {
    const facts = factsOfPhase(phase);
    const own = rulesIn(live.entrypoints[phase]).filter((rule) => !deploying.has(rule));
    const { choices, leftOut } = declareKind(facts.kind, ruleCandidates(live, facts, own, owner), {
      ...context,
      contentOf: (rulesOf) => ({
        ...noContent,
        rules: byPhase((each) => (each === phase ? declared(rulesOf) : undefined)),
      }),
    });
    return { phase, choices, leftOut };
  });
  const choicesOf = (phase: RulePhase): readonly Choice<Rule>[] =>
    rules.find((each) => each.phase === phase)?.choices ?? [];
  const placed = placedAmong(
    choicesOf("custom_rules"),
    rulesets.choices,
    live.entrypoints.custom_rules,
  );
  // Without those, a plan of the others may delete what carries our mark.
  const settled =
    placed.leftOut.length === 0
      ? placed
      : withoutChanges("custom_ruleset", placed.choices, ofRulesets);
  const unplaced = joined([...rulesets.leftOut, ...placed.leftOut], settled.leftOut);
  const { settings } = live;
  return {
    content: {
      ...noContent,
      settings:
        settings === undefined ? [] : settingNames.map((name) => ({ name, value: settings[name] })),
      policies: declared(itemsIn(policies.choices)),
      rules: byPhase((phase) => declared(itemsIn(choicesOf(phase)))),
      customRulesets: declared(itemsIn(settled.choices)),
    },
    leftOut: [...policies.leftOut, ...unplaced, ...rules.flatMap(({ leftOut }) => leftOut)],
  };
}

function itemsIn<T>(choices: readonly Choice<T>[]): readonly T[] {
  return choices.map(({ item }) => item);
}

function declared<T>(items: readonly T[]): Declared<T> | undefined {
  return items.length === 0 ? undefined : { items, unmanaged: "report" };
}

interface ImportContext<T> {
  readonly live: LiveZone;
  readonly owner: string;
  readonly whyNotWritable: WhyNotWritable;
  readonly contentOf: (items: readonly T[]) => ZoneContent;
}

function declareKind<T extends Policy | Rule | CustomRuleset>(
  kind: Kind,
  { candidates, leftOut }: Candidates<T>,
  context: ImportContext<T>,
): DeclaredKind<T> {
  // Most live resources can be written as they are: then one check is enough for all of them.
  const preferred = candidates.flatMap((candidate) =>
    candidate.options.slice(0, 1).map((item) => ({ candidate, item })),
  );
  if (preferred.length === candidates.length && whyNot(preferred, context) === undefined) {
    const settled = withoutChanges(kind, preferred, context);
    return { ...settled, leftOut: joined(leftOut, settled.leftOut) };
  }
  const rejected = [...leftOut];
  const choices: Choice<T>[] = [];
  for (const candidate of candidates) {
    const reasons: string[] = [];
    const item = candidate.options.find((option) => {
      const reason = whyNot([{ candidate, item: option }], context);
      if (reason !== undefined) reasons.push(reason);
      return reason === undefined;
    });
    if (item === undefined) rejected.push(leaveOut(kind, candidate, reasons[0] ?? ""));
    else choices.push({ candidate, item });
  }
  const settled = writable(kind, choices, context);
  return { ...settled, leftOut: joined(rejected, settled.leftOut) };
}

function whyNot<T>(choices: readonly Choice<T>[], context: ImportContext<T>): string | undefined {
  return context.whyNotWritable(context.contentOf(itemsIn(choices)));
}

/** One line for each resource, with both reasons. */
function joined(rejected: readonly LeftOut[], settled: readonly LeftOut[]): readonly LeftOut[] {
  const reasonOf = new Map(settled.map(({ id, reason }) => [id, reason]));
  const ids = new Set(rejected.map(({ id }) => id));
  return [
    ...rejected.map((each) => {
      const reason = reasonOf.get(each.id);
      return reason === undefined || reason === each.reason
        ? each
        : { ...each, reason: `${each.reason}; ${reason}` };
    }),
    ...settled.filter(({ id }) => !ids.has(id)),
  ];
}

function omitted<T>(
  kind: Kind,
  choices: readonly Choice<T>[],
  reason: string,
): DeclaredKind<never> {
  return {
    choices: [],
    leftOut: choices.map(({ candidate }) => leaveOut(kind, candidate, reason)),
  };
}

/** Leaves out all if they cannot be written together, else what a plan would change. */
function writable<T extends Policy | Rule | CustomRuleset>(
  kind: Kind,
  choices: readonly Choice<T>[],
  context: ImportContext<T>,
): DeclaredKind<T> {
  const reason = whyNot(choices, context);
  return reason === undefined
    ? withoutChanges(kind, choices, context)
    : omitted(kind, choices, reason);
}

/** Leaves out what a plan would change, until the plan is empty. */
function withoutChanges<T extends Policy | Rule | CustomRuleset>(
  kind: Kind,
  choices: readonly Choice<T>[],
  context: ImportContext<T>,
): DeclaredKind<T> {
  const content = context.contentOf(itemsIn(choices));
  const { changes } = plan({ zone: context.live.zone, content }, context.live, context.owner);
  const [first] = changes;
  if (first === undefined) return { choices, leftOut: choices.flatMap(unknownFieldsLeftOut(kind)) };
  const changed = new Set<string>(
    changes.filter(({ verb }) => verb !== "delete").map(({ key }) => key),
  );
  const isChanged = ({ item }: Choice<T>): boolean =>
    changed.has(`${kind}/${item.key}`) ||
    ("rules" in item &&
      item.rules.some(({ key }) => changed.has(`custom_rule/${item.key}/${key}`)));
  const unchanged = choices.filter((choice) => !isChanged(choice));
  if (unchanged.length === choices.length) {
    // Only deletes are left, of what cannot be declared.
    const keys = new Set<string>(changes.map(({ key }) => key));
    const deletes = changes
      .filter((change) => change.verb === "delete")
      // The rules of a ruleset go with it.
      .filter(({ key }) => !keys.has(`custom_ruleset/${rulesetIn(key) ?? ""}`));
    const preventing = deletes.map(({ id, title }) => ({
      kind,
      id,
      title,
      reason: `declaring the others would delete it, so no ${kindWords(kind)} of this zone is imported: delete it or remove its mark, and import again`,
    }));
    const because = `is left out because of ${deletes.map(({ id }) => id).join(", ")}`;
    const others = omitted(kind, choices, because);
    return {
      choices: [],
      leftOut: [...preventing, ...others.leftOut.map((each) => ({ ...each, isFollowUp: true }))],
    };
  }
  const dropped = choices
    .filter(isChanged)
    .map(({ candidate }) =>
      leaveOut(kind, candidate, "a plan of its declaration would not match it"),
    );
  const settled = writable(kind, unchanged, context);
  return { ...settled, leftOut: [...dropped, ...settled.leftOut] };
}

function leaveOut(kind: Kind, { id, title }: Importable<unknown>, reason: string): LeftOut {
  return { kind, id, title, reason };
}

/** Reports the live fields that no file can express; writes repeat them nevertheless. */
function unknownFieldsLeftOut(kind: Kind): (choice: Choice<unknown>) => readonly LeftOut[] {
  return ({ candidate }) => {
    if (candidate.unknown.length === 0) return [];
    const names = candidate.unknown.join(", ");
    return [
      leaveOut(kind, candidate, `is declared without fields that files do not support: ${names}`),
    ];
  };
}
