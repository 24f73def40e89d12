import type { Rule, RuleBase } from "../../zone/resource.ts";
import type { Converted } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { misused, mitigationOf, neverPromoted, withoutParts } from "./mitigate-rule.ts";
import type { RuleInFile } from "./rule-in-file.ts";
import { skipRuleOf } from "./skip-rule.ts";

/** A rule of the custom phase; no value if something is missing. */
export function customRuleOf(
  rule: RuleInFile["custom_rules"],
  base: RuleBase,
  path: Path,
): Converted<Rule | undefined> {
  const { response, skip, promote, action = promote?.to } = rule;
  const incomplete = withoutParts(rule, action, path);
  if (action === "skip") {
    const exception = skipRuleOf(skip ?? {}, base, path);
    const diagnostics = [
      ...incomplete,
      ...misused("response", response, "block", path),
      ...(promote === undefined ? [] : [neverPromoted(path)]),
    ];
    return { ...exception, diagnostics: [...diagnostics, ...exception.diagnostics] };
  }
  const mitigation = mitigationOf("custom_rules", { action, response, promote }, base, path);
  const diagnostics = [...incomplete, ...misused("skip", skip, "skip", path)];
  return { ...mitigation, diagnostics: [...diagnostics, ...mitigation.diagnostics] };
}
