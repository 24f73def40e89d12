import { canonicalCsp } from "../../syntax/csp/csp.ts";
import { canonicalExpression } from "../../syntax/expression/expression.ts";
import { hostsOf, hostsOverlap } from "../../syntax/expression/hosts.ts";
import type { Declared } from "../../zone/desired-zone.ts";
import { unmarked } from "../../zone/mark.ts";
import type { Policy } from "../../zone/resource.ts";
import {
  type Converted,
  type DeclarationDiagnostic,
  isDiagnosticList,
  missing,
} from "../complaint.ts";
import { cspText } from "./csp-text.ts";
import type { MergedPath } from "./layer.ts";
import type { Policies, Policy as PolicyInFile } from "./zone-file.ts";

const list: MergedPath = ["page_shield", "policies", "items"];

/** The policies of a zone from their merged values; no value where they are not declared. */
export function policiesOf(merged: NonNullable<Policies>): Converted<Declared<Policy>> {
  if (merged.items === undefined || merged.items === null) {
    return { value: undefined, complaints: [] };
  }
  const converted = merged.items.map((item) => policyOf(item, [...list, item.key]));
  const items = converted.flatMap(({ value }) => value ?? []);
  return {
    value: { items, unmanaged: merged.unmanaged ?? "report" },
    complaints: [
      ...converted.flatMap(({ complaints }) => complaints),
      ...isDiagnosticList(items, list),
      ...overlaps(items),
    ],
  };
}

function policyOf(item: PolicyInFile, path: MergedPath): Converted<Policy> {
  const { key, action, expression, value, description } = item;
  const complaints = [...incomplete(item, path), ...descriptionComplaints(description, path)];
  if (!action || !expression || !value) return { value: undefined, complaints };
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
    complaints,
  };
}

const needed = {
  action: "write log, allow or add_reporting_directives",
  expression: 'write the requests it is about, such as: http.host eq "shop.example.com"',
  value: "write the policy, such as: script-src 'self'",
} as const;

function incomplete(item: PolicyInFile, path: MergedPath): readonly DeclarationDiagnostic[] {
  return (["action", "expression", "value"] as const)
    .filter((name) => item[name] === undefined || item[name] === null)
    .map((name) => missing(path, `"${name}" of the policy "${item.key}"`, needed[name]));
}

/** A description that ends as our marks do would be taken for one. */
export function descriptionComplaints(
  description: string | null | undefined,
  path: MergedPath,
): readonly DeclarationDiagnostic[] {
  if (!description || unmarked(description).key === undefined) return [];
  return [
    {
      code: "DESCRIPTION_MARKED",
      path: [...path, "description"],
      message: "the description ends in something that looks like a mark of ours",
      remedy: "leave the part in brackets out: it is added at the service",
    },
  ];
}

/** Where two enabled `allow` policies meet, the browser enforces what both allow (SERVICE.md A.7). */
function overlaps(items: readonly Policy[]): readonly DeclarationDiagnostic[] {
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
        message: `"${later.key}" and "${earlier.key}" can both apply to one page, and then only what both allow is allowed`,
        remedy: "let their expressions exclude each other, or join the two policies",
      },
    ];
  });
}
