import {
  certainlyImplies,
  certaintyOf,
  selectsNothing,
} from "../../syntax/expression/certainty/certainty.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import { type CustomRuleset, placeAmong, type Rule, type RuleBase } from "../../zone/resource.ts";
import type { RulePhase } from "../../zone/rule-phase.ts";
import type { Converted, UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { declaredList, limitedComparison, selectsNoRequest } from "./declared-list.ts";
import { deployedTwice, managedRuleOf } from "./managed-rule.ts";
import type { AnyRule, RuleInFile, RulesetInFile, RulesInFile } from "./merged-values.ts";
import { customRuleOf, mitigationOf } from "./mitigate-rule.ts";
import { rateLimitOf } from "./rate-limiting-rule.ts";
import {
  impossibleAmong,
  impossiblePositions,
  inOrder,
  misplaced,
  positionOf,
} from "./rule-order.ts";
import { covers, endsFor, skipsEveryRequest, skipsWithoutEffect } from "./skip-rule.ts";
import { ruleListOf, rulesetList } from "./zone-lists.ts";

/** What a rule of a phase does; no value if that is not complete. */
type RuleConverter<R> = (rule: R, base: RuleBase, path: Path) => Converted<Rule | undefined>;

const converters: { readonly [P in RulePhase]: RuleConverter<RuleInFile[P]> } = {
  custom_rules: customRuleOf,
  rate_limiting_rules: rateLimitingRuleOf,
  managed_rules: managedRuleOf,
};

/**
 * The rules of a phase of a zone in order; no value if they are not declared.
 *
 * @param list where they are in a zone
 */
export function rulesOf<P extends RulePhase>(
  phase: P,
  { rules, unmanaged }: RulesInFile<P>,
  list: Path = ruleListOf(phase),
): Converted<Declared<Rule> | undefined> {
  const keys = new Set(rules?.map(({ key }) => key));
  const convert = converters[phase];
  return declaredList(
    list,
    rules && inOrder(rules),
    unmanaged,
    (rule, path) => {
      const base = baseOf(rule, keys);
      const { value, diagnostics } = convert(rule, base, path);
      const certain = value?.enabled ? certainExpression(value, rule, path) : [];
      return { value, diagnostics: [...diagnostics, ...certain] };
    },
    (items) => [
      ...misplaced(rules ?? [], list),
      ...impossiblePositions(items, list),
      ...deployedTwice(items, list),
      ...(phase === "managed_rules" ? skipsWithoutEffect(items, list) : []),
      ...shadowed(items, list, phase === "managed_rules" ? covers : endsFor),
    ],
  );
}

/** The custom rulesets of a zone in order. */
export function customRulesetsOf(
  written: readonly RulesetInFile[],
): Converted<Declared<CustomRuleset> | undefined> {
  const keys = new Set(written.map(({ key }) => key));
  return declaredList(
    rulesetList,
    inOrder(written),
    "report",
    (ruleset, path): Converted<CustomRuleset> => {
      const { value, diagnostics } = rulesOf("custom_rules", ruleset, [...path, "rules"]);
      const base = baseOf(ruleset, keys);
      const unused =
        base.enabled && selectsNothing(base.expression)
          ? selectsNoRequest("custom ruleset", ruleset, [...path, "expression"])
          : [];
      return {
        value: { ...base, rules: value?.items ?? [] },
        diagnostics: [...diagnostics, ...unused],
      };
    },
    () => [],
  );
}

/**
 * Positions of custom rulesets that cannot be, beside others or beside rules of the entry point.
 *
 * @param rules the keys of those rules
 */
export function misplacedRulesets(
  written: readonly RulesetInFile[],
  rules: readonly string[],
): readonly UnplacedDiagnostic[] {
  const keys = new Set(written.map(({ key }) => key));
  const items = inOrder(written).map((each) => ({
    key: each.key,
    position: positionOf(each, keys),
  }));
  const isAmong = ({ position }: Pick<RuleBase, "position">): boolean =>
    placeAmong(rules, position) !== undefined;
  return [
    ...misplaced(written, rulesetList, rules),
    ...impossiblePositions(
      items.filter((item) => !isAmong(item)),
      rulesetList,
    ),
    ...impossibleAmong(rules, items, rulesetList),
  ];
}

/** A rule of the phase of rate limits; no value if something is missing. */
function rateLimitingRuleOf(
  rule: RuleInFile["rate_limiting_rules"],
  base: RuleBase,
  path: Path,
): Converted<Rule | undefined> {
  const { action = rule.promote?.to } = rule;
  const mitigation = mitigationOf("rate_limiting_rules", rule, action, base, path);
  const limit = rateLimitOf(rule.ratelimit, base, [...path, "ratelimit"]);
  return {
    value: mitigation.value && limit.value && { ...mitigation.value, ratelimit: limit.value },
    diagnostics: [...mitigation.diagnostics, ...limit.diagnostics],
  };
}

function baseOf(rule: AnyRule, keys: ReadonlySet<string>): RuleBase {
  return {
    key: rule.key,
    was: rule.was,
    description: rule.description?.trim() ?? "",
    // The converters of the phases that need one tell if there is none.
    expression: canonicalExpression(rule.expression ?? "true"),
    enabled: rule.enabled ?? true,
    position: positionOf(rule, keys),
  };
}

/** An exception for every request, or another rule for none. */
function certainExpression(value: Rule, rule: AnyRule, path: Path): readonly UnplacedDiagnostic[] {
  if (value.action === "skip") {
    return certaintyOf(value.expression) === "always" ? skipsEveryRequest(rule, path) : [];
  }
  const limit = value.action === "execute" ? undefined : value.ratelimit;
  return [
    ...(selectsNothing(value.expression)
      ? selectsNoRequest("rule", rule, [...path, "expression"])
      : []),
    ...(limit && selectsNothing(limit.counting_expression)
      ? selectsNoRequest("rule", rule, [...path, "ratelimit", "counting_expression"])
      : []),
  ];
}

/** Rules that an earlier one makes needless: their requests never reach them. */
function shadowed(
  items: readonly Rule[],
  list: Path,
  isEnd: (earlier: Rule, later: Rule) => boolean,
): readonly UnplacedDiagnostic[] {
  const enabled = items.filter((rule) => rule.enabled);
  const known = new Map(enabled.map((rule) => [rule, fieldsIn(rule.expression)]));
  const implies = limitedComparison(certainlyImplies);
  return enabled.flatMap((later, index): readonly UnplacedDiagnostic[] => {
    const earlier = enabled.slice(0, index).find((each) => {
      const fields = isEnd(each, later) ? known.get(each) : undefined;
      if (fields?.every((field) => later.expression.includes(field)) !== true) return false;
      return implies(later.expression, each.expression);
    });
    if (earlier === undefined) return [];
    const path = [...list, later.key];
    if (covers(earlier, later)) {
      const message = `"${earlier.key}" before it already skips what "${later.key}" skips`;
      const remedy = `delete "${later.key}"`;
      return [{ code: "SHADOWED_EXCEPTION", path, message, remedy }];
    }
    const message = `no request reaches "${later.key}": "${earlier.key}" before it ends the evaluation for all of them`;
    const remedy = `delete "${later.key}", or write \`before: ${earlier.key}\` in it`;
    return [{ code: "SHADOWED_RULE", path, message, remedy }];
  });
}

/**
 * The fields of an expression without alternatives: only one that depends on all of them too can
 * select a part of its requests.
 */
function fieldsIn(expression: string): readonly string[] {
  const withoutTexts = expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/\bx?or\b|\|\||\^\^/.test(withoutTexts)) return [];
  return withoutTexts.match(/\b[a-z]\w*(?:\.\w+)+|\bssl\b/g) ?? [];
}
