import { isDeepStrictEqual } from "node:util";

import { coerceObject } from "../../syntax/json.ts";
import type { LiveRule, LiveZone } from "../../zone/live-zone.ts";
import { owaspRulesetId, rulesetNameOf } from "../../zone/managed-ruleset.ts";
import { keyOfRef, markOfRef } from "../../zone/mark.ts";
import { type Overrides, type OwaspTuning, type Rule, scoreActions } from "../../zone/resource.ts";
import { canonicalLevels, type Tuned, resolveOverrides, tuningOf } from "../rules/owasp-tuning.ts";
import {
  parameterFields,
  ruleFields,
  serverMadeFields,
  unknownInOverrides,
} from "../rules/rule-body.ts";
import { type Candidates, Keys, candidatesOf } from "./candidate.ts";

/** The live rules as they could be declared, in their order. */
export function ruleCandidates(
  { entrypoint, scoreRule }: LiveZone,
  owner: string,
): Candidates<Rule> {
  const rules = entrypoint?.state === "present" ? entrypoint.rules : [];
  const keys = new Keys(rules.flatMap(({ ref }) => keyOfRef(owner, ref) ?? []));
  return candidatesOf("rule", rules, (rule) => {
    const { id, ref, description } = rule;
    const title = description === "" ? ref : description;
    const mark = markOfRef(ref);
    if (mark.owner !== undefined && mark.owner !== owner) {
      return { id, title, why: `belongs to ${mark.owner}` };
    }
    if (rule.does.action === "other") {
      return { id, title, why: `its action "${rule.does.name}" is none that a file can name` };
    }
    const key = mark.key === undefined ? newKey(rule, keys) : keys.claim(mark.key);
    if (key === undefined) return { id, title, why: "bears the same ref as another rule" };
    return { id, title, ways: waysToSay(rule, key, scoreRule?.id), unknown: unknownIn(rule) };
  });
}

function newKey({ does, description }: LiveRule, keys: Keys): string {
  if (does.action !== "execute") return keys.keyFor([description], "exception");
  const name = rulesetNameOf(does.ruleset)?.replaceAll("_", "-");
  return keys.keyFor([name ?? description], "ruleset");
}

function waysToSay(
  { does, description, expression, enabled }: LiveRule,
  key: string,
  scoreRuleId: string | undefined,
): readonly Rule[] {
  const base = { key, was: undefined, description, expression, enabled };
  switch (does.action) {
    case "execute": {
      const { action, ruleset, overrides } = does;
      return waysToTune(ruleset, overrides, scoreRuleId).map((way) => ({
        ...base,
        action,
        ruleset,
        ...way,
      }));
    }
    case "skip":
      return [{ ...base, ...does }];
    case "other":
      return [];
  }
}

/** Overrides in the words of a file where those bring them about again, and as they are. */
function waysToTune(
  ruleset: string,
  overrides: Overrides,
  scoreRuleId: string | undefined,
): readonly Tuned[] {
  const raw: Tuned = { tuning: untuned, overrides };
  if (ruleset !== owaspRulesetId || scoreRuleId === undefined) return [raw];
  const found = tuningOf(overrides, scoreRuleId);
  const score = {
    scoreThreshold: found.scoreThreshold,
    action: scoreActions.find((each) => each === found.action),
  };
  const level = { paranoiaLevel: found.paranoiaLevel };
  const { categories, rules } = found;
  const ways: readonly Tuned[] = [
    { tuning: { ...level, ...score }, overrides: { ...overrides, categories, rules } },
    { tuning: { ...untuned, ...level }, overrides: { ...overrides, categories } },
    { tuning: { ...untuned, ...score }, overrides: { ...overrides, rules } },
  ];
  const meant = canonicalLevels(overrides);
  const isMeant = (way: Tuned): boolean =>
    isDeepStrictEqual(canonicalLevels(resolveOverrides(way, scoreRuleId)), meant);
  return [...ways.filter(isMeant), raw];
}

const untuned: OwaspTuning = {
  paranoiaLevel: undefined,
  scoreThreshold: undefined,
  action: undefined,
};

/** Paths of what a rule carries beyond what we know. */
function unknownIn({ wire, does }: LiveRule): readonly string[] {
  const parameters = coerceObject(wire["action_parameters"]);
  const isKnown = (name: string) =>
    ruleFields.has(name) ||
    serverMadeFields.has(name) ||
    (does.action === "skip" && name === "logging");
  return [
    ...Object.keys(wire).filter((name) => !isKnown(name)),
    ...Object.keys(parameters)
      .filter((name) => !parameterFields[does.action].has(name))
      .map((name) => `action_parameters.${name}`),
    ...unknownInOverrides(parameters["overrides"]).map(
      (name) => `action_parameters.overrides.${name}`,
    ),
  ].toSorted();
}
