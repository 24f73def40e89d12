import { canonicalCsp } from "../../syntax/csp/csp.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { hostsOf, hostsOverlap } from "../../syntax/expression/hosts.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import type { Policy } from "../../zone/resource.ts";
import {
  type Converted,
  formerKeyConflicts,
  markInDescription,
  missing,
  type UnplacedDiagnostic,
} from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { cspText } from "./csp-text.ts";
import type { Policies, Policy as PolicyInFile } from "./zone-file.ts";

const list: Path = ["page_shield", "policies", "items"];

/** The policies of a zone, from merged values; no value if they are not declared. */
export function policiesOf(merged: NonNullable<Policies>): Converted<Declared<Policy> | undefined> {
  if (merged.items === undefined || merged.items === null) {
    return { value: undefined, diagnostics: [] };
  }
  const converted = merged.items.map((item) => policyOf(item, [...list, item.key]));
  const items = converted.flatMap(({ value }) => value ?? []);
  return {
    value: { items, unmanaged: merged.unmanaged ?? "report" },
    diagnostics: [
      ...converted.flatMap(({ diagnostics }) => diagnostics),
      ...formerKeyConflicts(items, list),
      ...overlaps(items),
    ],
  };
}

function policyOf(item: PolicyInFile, path: Path): Converted<Policy | undefined> {
  const { key, action, expression, value, description } = item;
  const diagnostics = [...incomplete(item, path), ...markInDescription(description, path)];
  if (!action || !expression || !value) return { value: undefined, diagnostics };
  return {
    value: {
      key,
      was: item.was ?? undefined,
      description: description?.trim() ?? "",
      action,
      expression: canonicalExpression(expression),
      enabled: item.enabled ?? true,
      value: canonicalCsp(cspText(value).text),
      acknowledge: [...new Set(item.acknowledge)].toSorted(),
    },
    diagnostics,
  };
}

const needed = {
  action: "use log, allow or add_reporting_directives",
  expression: 'write which requests it applies to, like: http.host eq "shop.example.com"',
  value: "write the policy, like: script-src 'self'",
} as const;

function incomplete(item: PolicyInFile, path: Path): readonly UnplacedDiagnostic[] {
  return (["action", "expression", "value"] as const)
    .filter((name) => item[name] === undefined || item[name] === null)
    .map((name) => missing(path, `"${name}" of the policy "${item.key}"`, needed[name]));
}

/** Where two enabled `allow` policies meet, the browser enforces what both allow (SERVICE.md A.7). */
function overlaps(items: readonly Policy[]): readonly UnplacedDiagnostic[] {
  const allowing = items
    .filter(({ action, enabled }) => action === "allow" && enabled)
    .map((policy) => ({ key: policy.key, hosts: hostsOf(policy.expression) }));
  return allowing.flatMap((later, index) => {
    const earlier = allowing
      .slice(0, index)
      .find(({ hosts }) => hostsOverlap(hosts, later.hosts) !== "no");
    if (earlier === undefined) return [];
    return [
      {
        code: "ALLOW_OVERLAP" as const,
        path: [...list, later.key],
        message: `"${later.key}" and "${earlier.key}" can both apply to one page, where browsers then allow only what both allow`,
        remedy: "make their expressions exclude each other, or merge the two policies",
      },
    ];
  });
}
