import { byEntryName } from "../../syntax/by-text.ts";
import type { Rule, SkipParameters, SkipRule } from "../../zone/resource.ts";
import {
  type Converted,
  type DeclarationDiagnostic,
  contradiction,
  missing,
} from "../complaint.ts";
import { rulesetId } from "./execute-rule.ts";
import type { MergedPath } from "./layer.ts";
import type { ManagedRule, Skip } from "./zone-file.ts";

/** An exception; no value where it skips nothing. */
export function skipOf(
  rule: ManagedRule,
  base: Omit<SkipRule, "action" | "skip" | "logging">,
  path: MergedPath,
): Converted<SkipRule> {
  const skip = parametersOf(rule.skip ?? {});
  const foreign = (["paranoia_level", "score_threshold", "action", "overrides"] as const)
    .filter((name) => rule[name] !== undefined)
    .map((name) =>
      contradiction([...path, name], `"${name}" is for rules that deploy`, "delete it here"),
    );
  const complaints: DeclarationDiagnostic[] = [...foreign];
  if (skipsNothing(skip)) {
    complaints.push(
      missing(
        [...path, "skip"],
        "what the exception skips",
        "name rulesets, rules or `ruleset: current`",
      ),
    );
  }
  return { value: { ...base, action: "skip", skip, logging: rule.logging ?? true }, complaints };
}

/** Exceptions that no rule after them is about: a skip rule acts on later rules only (SERVICE.md B.4). */
export function skipWithoutEffect(
  items: readonly Rule[],
  list: MergedPath,
): readonly DeclarationDiagnostic[] {
  return items.flatMap((rule, index) => {
    if (rule.action !== "skip" || reachesFurther(rule.skip)) return [];
    const later = items.slice(index + 1).filter(({ action }) => action === "execute");
    if (later.some((other) => other.action === "execute" && isSkipped(rule.skip, other.ruleset))) {
      return [];
    }
    return [
      {
        code: "SKIP_WITHOUT_EFFECT" as const,
        path: [...list, rule.key],
        message: `nothing after "${rule.key}" is what it skips`,
        remedy: "place it with `before:` and the key of the rule that it is an exception to",
      },
    ];
  });
}

function parametersOf(skip: NonNullable<Skip>): SkipParameters {
  const rules = Object.entries(skip.rules ?? {}).map(([ruleset, ids]): [string, string[]] => [
    rulesetId(ruleset),
    unique(ids ?? []),
  ]);
  return {
    ruleset: skip.ruleset === "current",
    phase: skip.phase === "current",
    rulesets: unique((skip.rulesets ?? []).map(rulesetId)),
    rules: Object.fromEntries(rules.filter(([, ids]) => ids.length > 0).toSorted(byEntryName)),
    phases: unique(skip.phases ?? []),
    products: unique(skip.products ?? []),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].toSorted();
}

function skipsNothing({
  ruleset,
  phase,
  rulesets,
  rules,
  phases,
  products,
}: SkipParameters): boolean {
  const named = [rulesets, Object.keys(rules), phases, products];
  return !ruleset && !phase && named.every(({ length }) => length === 0);
}

/** Whether something beyond this entry point is skipped, which the order of its rules does not tell. */
function reachesFurther({ phase, phases, products }: SkipParameters): boolean {
  return phase || phases.length > 0 || products.length > 0;
}

function isSkipped(skip: SkipParameters, ruleset: string): boolean {
  return skip.ruleset || skip.rulesets.includes(ruleset) || Object.hasOwn(skip.rules, ruleset);
}
