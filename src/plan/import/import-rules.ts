import { isDeepStrictEqual } from "node:util";

import type { LiveRule, LiveZone } from "../../zone/live-zone.ts";
import { owaspRulesetId, rulesetNameOf } from "../../zone/managed-ruleset.ts";
import { keyOfRef, markOfRef } from "../../zone/mark.ts";
import {
  type Overrides,
  type OwaspTuning,
  type Rule,
  mitigateActions,
} from "../../zone/resource.ts";
import type { PhaseFacts } from "../../zone/rule-phase.ts";
import {
  canonicalLevels,
  type DeclaredOverrides,
  resolveOverrides,
  tuningOf,
} from "../rules/owasp-tuning.ts";
import { unknownFieldsOf } from "../rules/rule-body.ts";
import { type Candidates, candidatesOf, Keys } from "./candidate.ts";

/** The live rules of a phase as candidates for a declaration, in their order. */
export function ruleCandidates(
  { zone, scoreRule }: LiveZone,
  { kind, actions, isRateLimited }: PhaseFacts,
  rules: readonly LiveRule[],
  owner: string,
): Candidates<Rule> {
  const keys = new Keys(
    rules.flatMap(({ ref }) => keyOfRef(owner, ref) ?? []),
    zone.name,
  );
  return candidatesOf(kind, rules, (rule) => {
    const { id, ref, description } = rule;
    const title = description === "" ? ref : description;
    const mark = markOfRef(ref);
    if (mark.owner !== undefined && mark.owner !== owner) {
      return { id, title, reason: `belongs to ${mark.owner}` };
    }
    const action = actionName(rule);
    const isDeclarable = rule.action.type !== "other" && actions.has(action);
    if (!isDeclarable || (rule.ratelimit !== undefined) !== isRateLimited) {
      return { id, title, reason: `has the action "${action}", which files do not support` };
    }
    const key = mark.key === undefined ? newKey(rule, keys) : keys.claim(mark.key);
    if (key === undefined) return { id, title, reason: "bears the same ref as another rule" };
    return {
      id,
      title,
      options: declarationsOf(rule, key, scoreRule?.id),
      unknown: unknownFieldsOf(rule),
    };
  });
}

function actionName({ action }: LiveRule): string {
  return action.type === "execute" || action.type === "skip" ? action.type : action.name;
}

function newKey({ action, description }: LiveRule, keys: Keys): string {
  if (action.type !== "execute") {
    return keys.keyFor([description], action.type === "skip" ? "exception" : "rule");
  }
  return keys.keyFor([rulesetNameOf(action.ruleset) ?? description], "ruleset");
}

function declarationsOf(
  { action, description, expression, enabled, ratelimit }: LiveRule,
  key: string,
  scoreRuleId: string | undefined,
): readonly Rule[] {
  const base = { key, was: undefined, description, expression, enabled, position: undefined };
  switch (action.type) {
    case "execute": {
      const { type, ruleset, overrides } = action;
      return tuningOptions(ruleset, overrides, scoreRuleId).map((option) => ({
        ...base,
        action: type,
        ruleset,
        ...option,
        promotion: undefined,
      }));
    }
    case "skip":
      return [{ ...base, action: "skip", skip: action.skip, logging: action.logging }];
    case "mitigate":
      return [
        {
          ...base,
          action: action.name,
          response: action.response,
          ratelimit,
          promotion: undefined,
        },
      ];
    case "other":
      return [];
  }
}

/** The overrides as OWASP tuning, where tuning resolves to the same overrides again, and last as they are. */
function tuningOptions(
  ruleset: string,
  overrides: Overrides,
  scoreRuleId: string | undefined,
): readonly DeclaredOverrides[] {
  const asTheyAre: DeclaredOverrides = { tuning: untuned, overrides };
  if (ruleset !== owaspRulesetId || scoreRuleId === undefined) return [asTheyAre];
  const found = tuningOf(overrides, scoreRuleId);
  const score = {
    scoreThreshold: found.scoreThreshold,
    action: mitigateActions.find((each) => each === found.action),
  };
  const level = { paranoiaLevel: found.paranoiaLevel };
  const { categories, rules } = found;
  const options: readonly DeclaredOverrides[] = [
    { tuning: { ...level, ...score }, overrides: { ...overrides, categories, rules } },
    { tuning: { ...untuned, ...level }, overrides: { ...overrides, categories } },
    { tuning: { ...untuned, ...score }, overrides: { ...overrides, rules } },
  ];
  const expected = canonicalLevels(overrides);
  const isEquivalent = (option: DeclaredOverrides): boolean =>
    isDeepStrictEqual(canonicalLevels(resolveOverrides(option, scoreRuleId)), expected);
  return [...options.filter(isEquivalent), asTheyAre];
}

const untuned: OwaspTuning = {
  paranoiaLevel: undefined,
  scoreThreshold: undefined,
  action: undefined,
};
