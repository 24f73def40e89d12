import { isDeepStrictEqual } from "node:util";

import type { Declared, Suspension, ZoneContent } from "../../zone/desired-zone.ts";
import type { Policy, Rule, Setting } from "../../zone/resource.ts";

/** What two selectors declare together, or what they contradict each other in. */
export type Combined = { readonly content: ZoneContent } | { readonly conflict: string };

/**
 * Joins what two selectors declare for one zone. What only one of them declares is used; what both declare must be
 * equal. Of `mode` and `suspend` the stricter one is used.
 */
export function combineSelectors(a: ZoneContent, b: ZoneContent): Combined {
  const settings = combineSettings(a.settings, b.settings);
  if (settings === undefined) return { conflict: "settings" };
  const policies = combinePolicies(a.policies, b.policies);
  if (policies === "conflict") return { conflict: "policies" };
  const rules = combineRules(a.rules, b.rules);
  if (rules === "conflict") return { conflict: "managed rules" };
  const mode = a.mode === "observe" ? a.mode : b.mode;
  const suspension = longer(a.suspension, b.suspension);
  return { content: { mode, suspension, settings, policies, rules } };
}

function combineSettings(
  a: readonly Setting[],
  b: readonly Setting[],
): readonly Setting[] | undefined {
  const values = new Map(a.map(({ name, value }) => [name, value]));
  if (b.some(({ name, value }) => values.has(name) && values.get(name) !== value)) return undefined;
  return [...a, ...b.filter(({ name }) => !values.has(name))];
}

function combinePolicies(
  a: Declared<Policy> | undefined,
  b: Declared<Policy> | undefined,
): Declared<Policy> | undefined | "conflict" {
  if (a === undefined || b === undefined) return a ?? b;
  const byKey = new Map(a.items.map((item) => [item.key, item]));
  const isSame = b.items.every((item) => {
    const other = byKey.get(item.key);
    return other === undefined || isDeepStrictEqual(other, item);
  });
  if (!isSame || a.unmanaged !== b.unmanaged) return "conflict";
  const added = b.items.filter(({ key }) => !byKey.has(key));
  return { items: [...a.items, ...added], unmanaged: a.unmanaged };
}

/** Rules must be equal: two lists do not define the order between them. */
function combineRules(
  a: Declared<Rule> | undefined,
  b: Declared<Rule> | undefined,
): Declared<Rule> | undefined | "conflict" {
  if (a === undefined || b === undefined) return a ?? b;
  return isDeepStrictEqual(a, b) ? a : "conflict";
}

function longer(a: Suspension | undefined, b: Suspension | undefined): Suspension | undefined {
  if (a?.until === undefined || b?.until === undefined) {
    return [a, b].find((one) => one !== undefined && one.until === undefined) ?? a ?? b;
  }
  return a.until < b.until ? b : a;
}
