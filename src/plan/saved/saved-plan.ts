import { sha256 } from "../../syntax/digest.ts";
import { type Json, canonicalJson, coerceText } from "../../syntax/json.ts";
import { listAt, type LiveZone, type RuleListPlace, rulesIn } from "../../zone/live-zone.ts";
import { refOf, unmarked } from "../../zone/mark.ts";
import { settingNames } from "../../zone/resource.ts";
import { factsOfPhase } from "../../zone/rule-phase.ts";
import { isRulesetWrite, partOf, type Write, type ZonePart } from "../../zone/write.ts";
import type { Plan } from "../plan.ts";
import { withMarkOf } from "../policies/policy-match.ts";

/** A plan that can be applied later, unless what its writes depend on has changed. */
export interface SavedPlan extends Plan {
  readonly fingerprints: Fingerprints;
}

/** Digests of the live resources that the writes of a plan depend on, by name, at the time of the plan. */
export type Fingerprints = Readonly<Record<string, string>>;

/** @param live the state that the plan was made from. */
export function savedPlan(plan: Plan, live: LiveZone): SavedPlan {
  return { ...plan, fingerprints: fingerprintsOf(plan.writes, live) };
}

/**
 * The digests of what some writes of a plan depend on.
 *
 * @param all all writes of the plan: a resource that another one of them changes is not as it was when the plan was saved.
 */
export function fingerprintsOf(
  writes: readonly Write[],
  live: LiveZone,
  all = writes,
): Fingerprints {
  const resources = writes.flatMap((write) => resourcesOf(write, live, all));
  return Object.fromEntries(
    resources.map(([name, state]) => [name, `sha256:${sha256(canonicalJson(state)).slice(0, 32)}`]),
  );
}

/** The parts of a zone that must be read before a saved plan is applied. */
export function partsTouched({ writes }: Plan): ReadonlySet<ZonePart> {
  return new Set(writes.map(partOf));
}

/** What the service says of a resource; `null`: not found. */
type LiveResource = readonly [name: string, state: Json | object];

/** The live resources that a write depends on. What a rule does in a place depends on the rules around it. */
function resourcesOf(write: Write, live: LiveZone, all: readonly Write[]): readonly LiveResource[] {
  if (isRulesetWrite(write)) return [customRuleset(write.custom_ruleset, live)];
  switch (write.call) {
    case "update-settings":
      return settingNames
        .filter((name) => name in write.body)
        .map((name) => [`setting/${name}`, live.settings?.[name] ?? null]);
    case "create-policy":
      return [policiesOfMark(write.body["description"], live)];
    case "update-policy":
    case "delete-policy":
      return [[`policy/${write.id}`, live.policies?.find(({ id }) => id === write.id) ?? null]];
    case "update-rule":
      return [rule(write, live), ...(write.position === null ? [] : [othersIn(write, all, live)])];
    case "delete-rule":
      return [rule(write, live)];
    case "create-rule":
      return [othersIn(write, all, live)];
    case "create-entrypoint":
    case "put-entrypoint":
      return [[`entrypoint/${write.phase}`, live.entrypoints[write.phase] ?? null]];
  }
}

/** A new policy depends on that there is none: a run of which the answer was lost may have made it (SERVICE.md A.6). */
function policiesOfMark(description: Json | undefined, { policies }: LiveZone): LiveResource {
  const { owner = "", key = "" } = unmarked(coerceText(description));
  const found = policies === undefined ? null : withMarkOf(description, policies);
  return [`mark/${refOf(owner, key)}`, found];
}

/** The rules that no write of a plan touches, in their order: a plan that was carried out in part leaves them as they are. */
function othersIn(place: RuleListPlace, writes: readonly Write[], live: LiveZone): LiveResource {
  const ids = new Set(writes.flatMap((write) => ("id" in write ? write.id : [])));
  const refs = new Set<unknown>(
    writes.flatMap((write) => (write.call === "create-rule" ? [write.body["ref"]] : [])),
  );
  const others = rulesIn(listAt(live, place)).filter(
    ({ id, ref }) => !ids.has(id) && !refs.has(ref),
  );
  const { phase, custom_ruleset: key } = place;
  const list = key === undefined ? `entrypoint/${phase}` : `custom_ruleset/${key}`;
  return [`${list}/others`, others.map(({ wire }) => wire)];
}

function rule(place: RuleListPlace & { readonly id: string }, live: LiveZone): LiveResource {
  const found = rulesIn(listAt(live, place)).find(({ id }) => id === place.id);
  return [`${factsOfPhase(place.phase).kind}/${place.id}`, found?.wire ?? null];
}

/** All custom rulesets with the key in their mark, whoever owns them. */
function customRuleset(key: string, { customRulesets = [] }: LiveZone): LiveResource {
  const found = customRulesets.filter(({ description }) => unmarked(description).key === key);
  const shown = found.map(({ id, description, rules = [] }) => {
    return { id, description, rules: rules.map(({ wire }) => wire) };
  });
  return [`custom_ruleset/${key}`, shown];
}
