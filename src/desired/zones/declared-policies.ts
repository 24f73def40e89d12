import { checkCsp } from "../../syntax/csp/check-csp.ts";
import { certainlyImplies, selectsNothing } from "../../syntax/expression/certainty/certainty.ts";
import {
  commonRequest,
  type SampleRequest,
} from "../../syntax/expression/certainty/common-request.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { coerceTexts } from "../../syntax/json.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { Policy } from "../../zone/resource.ts";
import { type Converted, missing, type UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { canonicalValue, type CspInFile, cspText } from "./csp-text.ts";
import { declaredList, limitedComparison, selectsNoRequest } from "./declared-list.ts";
import { policySteps, promotionOf } from "./declared-promotion.ts";
import { isChangedList } from "./list-change.ts";
import type { Merged } from "./merged-values.ts";
import type { YamlPolicies, YamlPolicy } from "./zone-file.ts";
import { policyList } from "./zone-lists.ts";

/** The policies of a zone; no value if they are not declared. */
export function policiesOf({
  items,
  unmanaged,
}: Merged<YamlPolicies>): Converted<Declared<Policy> | undefined> {
  return declaredList(policyList, items, unmanaged, policyOf, (policies) => [
    ...overlaps(policies),
    ...repeated(policies),
  ]);
}

function policyOf(item: Merged<YamlPolicy>, path: Path): Converted<Policy | undefined> {
  const { key, was, description = "", expression, enabled = true, value, promote } = item;
  const { action = promote?.to } = item;
  const promoted = { key, enabled, value: action };
  const promotion = promotionOf(promote, "action", policySteps, promoted, path);
  const diagnostics = [
    ...needed
      .filter(([name]) => (name === "action" ? action : item[name]) === undefined)
      .map(([name, remedy]) => missing(path, `"${name}" of the policy "${key}"`, remedy)),
    ...(enabled && expression && selectsNothing(expression)
      ? selectsNoRequest("policy", item, [...path, "expression"])
      : []),
    ...inChangedSources(value, [...path, "value"]),
    ...promotion.diagnostics,
  ];
  if (!action || !expression || !value) return { value: undefined, diagnostics };
  return {
    value: {
      key,
      was,
      description: description.trim(),
      action,
      expression: canonicalExpression(expression),
      enabled,
      value: canonicalValue(value),
      acknowledge: [...new Set(item.acknowledge)].toSorted(),
      promotion: promotion.value,
    },
    diagnostics,
  };
}

/** What is wrong with lists of sources that layers change: no file has the whole list. */
function inChangedSources(value: CspInFile | undefined, path: Path): readonly UnplacedDiagnostic[] {
  if (typeof value !== "object") return [];
  const changed = Object.entries(value).filter(([, sources]) => isChangedList(sources));
  if (changed.length === 0) return [];
  const map = Object.fromEntries(changed);
  const { text, diagnostics, pathAt } = cspText(map);
  const found = diagnostics.length > 0 ? diagnostics : checkCsp(text);
  return found.map(({ code, message, remedy, offset }) => {
    const [directive = "", index] = pathAt?.(offset) ?? [];
    const source = coerceTexts(map[directive])[Number(index)] ?? "";
    // What is wrong with no source by itself comes from the change.
    const isOwn = checkCsp(`${directive} ${source}`).some((alone) => alone.code === code);
    const at = source !== "" && (isOwn || diagnostics.length > 0) ? [source] : [];
    return { code, path: [...path, directive, ...at], atKey: true, message, remedy };
  });
}

const needed = [
  ["action", "use log, allow or add_reporting_directives"],
  ["expression", 'write which requests it applies to, like: http.host eq "shop.example.com"'],
  ["value", "write the policy, like: script-src 'self'"],
] as const;

/**
 * Where two enabled `allow` policies meet, the browser enforces what both allow (SERVICE.md A.7).
 */
function overlaps(items: readonly Policy[]): readonly UnplacedDiagnostic[] {
  const allowed = items.filter(({ action, enabled }) => action === "allow" && enabled);
  const common = limitedComparison(commonRequest);
  return allowed.flatMap((later, index) => {
    for (const earlier of allowed.slice(0, index)) {
      const page = common(earlier.expression, later.expression);
      if (page !== undefined) return [overlap(later.key, earlier.key, page)];
    }
    return [];
  });
}

/** Policies that do what an earlier one does, for no other requests. */
function repeated(items: readonly Policy[]): readonly UnplacedDiagnostic[] {
  const alike = Map.groupBy(
    items.filter(({ enabled }) => enabled),
    ({ action, value }) => `${action} ${value}`,
  );
  const implies = limitedComparison(certainlyImplies);
  return [...alike.values()].flatMap((group) =>
    group.flatMap((later, index) => {
      const earlier = group
        .slice(0, index)
        .find(({ expression }) => implies(later.expression, expression));
      if (earlier === undefined) return [];
      return [
        {
          code: "REPEATED_POLICY" as const,
          path: [...policyList, later.key],
          message: `"${earlier.key}" already does what "${later.key}" does, for all of its requests`,
          remedy: `delete "${later.key}"`,
        },
      ];
    }),
  );
}

function overlap(key: string, other: string, page: SampleRequest): UnplacedDiagnostic {
  const url = `${page.ssl ? "https" : "http"}://${page.host}${page.path}`;
  return {
    code: "ALLOW_OVERLAP",
    path: [...policyList, key],
    message: `"${key}" and "${other}" can both apply to one page, such as ${page.method} ${url}, where browsers then allow only what both allow`,
    remedy: `add "and not (…)" with the expression of "${other}", or merge the two policies`,
  };
}
