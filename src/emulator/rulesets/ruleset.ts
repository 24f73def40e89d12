import { wireCodes } from "../../api/wire.ts";
import type { JsonObject } from "../../syntax/json.ts";
import { refused, unpublishedCodes } from "../http/api-error.ts";
import { type FieldReader, fieldsOf } from "../http/fields.ts";
import { timestamp } from "../http/time.ts";
import type { Owner, Rule, Ruleset, StoredRuleset } from "../state.ts";
import type { RulePlace } from "./action-parameters.ts";
import { sourceOf } from "./phases.ts";
import { type RuleDraft, draftOf, ruleFrom } from "./rule.ts";

/** Earlier versions that are kept of each ruleset. */
const mostVersions = 200;

/** Most rules in an entry point of an account. */
const accountRules = 1_000;

/** What the writing of rulesets needs from outside. */
export interface Maker {
  readonly now: Date;
  newId(): string;
}

/** A reader of a rulesets body. */
export function rulesetFields(body: JsonObject): FieldReader {
  return fieldsOf(body, "", unpublishedCodes.ruleset);
}

/** Where rules of a ruleset stand. */
export function placeOf(owner: Owner, kind: string, phase: string): RulePlace {
  const custom = owner.rulesets.filter(({ current }) => current.kind === "custom");
  return {
    level: owner.level,
    kind,
    phase,
    plan: owner.level === "zone" ? owner.plan : "",
    customRulesets: custom.map(({ current }) => current.id),
  };
}

/** The kind of the entry points of a zone or account. */
export function entrypointKind(owner: Owner): "zone" | "root" {
  return owner.level === "zone" ? "zone" : "root";
}

/** The entry point of a phase. */
export function entrypointOf(owner: Owner, phase: string): StoredRuleset | undefined {
  return owner.rulesets.find(
    ({ current }) => current.phase === phase && current.kind === entrypointKind(owner),
  );
}

/** A ruleset without rules and without a version, ready for its first one. */
export function emptyRuleset(
  id: string,
  facts: { readonly name: string; readonly kind: string; readonly phase: string },
): Ruleset {
  return {
    id,
    name: facts.name,
    description: "",
    kind: facts.kind,
    phase: facts.phase,
    version: "0",
    last_updated: "",
    ...sourceOf(facts.phase),
    rules: [],
  };
}

/** The list that replaces a ruleset's rules: a rule with the `id` or `ref` of a live one keeps its id (SERVICE.md B.4). */
export function replacedRules(
  items: readonly FieldReader[],
  before: Ruleset,
  owner: Owner,
  maker: Maker,
): readonly Rule[] {
  const place = placeOf(owner, before.kind, before.phase);
  const claimed = new Set<string>();
  const rules = items.map((fields) => {
    const draft = draftOf(fields, place);
    const live = claimedBy(draft, fields, before.rules);
    if (live !== undefined && claimed.has(live.id)) {
      throw fields.mistake("", `rule ${live.id} is claimed twice`);
    }
    if (live !== undefined) claimed.add(live.id);
    return ruleFrom(draft, live, () => maker.newId(), timestamp(maker.now));
  });
  return checkedRules(rules, before, owner);
}

function claimedBy(draft: RuleDraft, fields: FieldReader, live: readonly Rule[]): Rule | undefined {
  if (draft.id === undefined) return live.find(({ ref }) => ref === draft.ref);
  const found = live.find(({ id }) => id === draft.id);
  if (found === undefined) throw fields.mistake("id", `could not find a rule ${draft.id}`);
  return found;
}

/** Refuses a list of rules that the service refuses as a whole (SERVICE.md B.8). */
export function checkedRules(
  rules: readonly Rule[],
  ruleset: Ruleset,
  owner: Owner,
): readonly Rule[] {
  const most = owner.level === "zone" ? owner.entitlements.rules : accountRules;
  if (rules.length > most) {
    throw refused(
      400,
      wireCodes.tooManyRules,
      `exceeded the maximum number of rules in the phase ${ruleset.phase}: ${rules.length} out of ${most}`,
      "/rules",
    );
  }
  refuseRepeated(
    rules.map(({ ref }) => ref),
    unpublishedCodes.ruleset,
    "ref",
    "refs must be unique in a ruleset",
  );
  if (owner.level === "zone") {
    refuseRepeated(
      rules.map(executedBy),
      wireCodes.duplicateExecute,
      "action_parameters/id",
      "more than one rule is trying to execute the same managed ruleset",
    );
  }
  return rules;
}

function refuseRepeated(
  values: readonly (string | undefined)[],
  code: number,
  member: string,
  message: string,
): void {
  const index = values.findIndex(
    (value, place) => value !== undefined && values.indexOf(value) < place,
  );
  if (index >= 0) throw refused(400, code, message, `/rules/${index}/${member}`);
}

/** Id of the ruleset that a rule executes. */
export function executedBy({ action, action_parameters: parameters }: Rule): string | undefined {
  const id = action === "execute" ? parameters?.["id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** The ruleset with what a write makes of it: always a new version, and the one before is kept. */
export function nextVersion(
  before: StoredRuleset | Ruleset,
  change: Partial<Pick<Ruleset, "description" | "rules">>,
  now: Date,
): StoredRuleset {
  const { current, past } = "current" in before ? before : { current: before, past: [] };
  const version = Number(current.version) + 1;
  return {
    current: { ...current, ...change, version: String(version), last_updated: timestamp(now) },
    past: current.version === "0" ? [] : [...past, current].slice(-mostVersions),
  };
}

/** The owner with `ruleset` in the place of the one with its id, or added. */
export function withRuleset<T extends Owner>(owner: T, ruleset: StoredRuleset): T {
  const index = owner.rulesets.findIndex(({ current }) => current.id === ruleset.current.id);
  const rulesets = index < 0 ? [...owner.rulesets, ruleset] : owner.rulesets.with(index, ruleset);
  return { ...owner, rulesets };
}
