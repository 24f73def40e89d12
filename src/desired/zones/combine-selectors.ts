import { isDeepStrictEqual } from "node:util";

import type { Declared, Suspension, ZoneContent } from "../../zone/desired-zone.ts";
import type { Rule } from "../../zone/resource.ts";
import { type RulePhase, rulePhases } from "../../zone/rule-phase.ts";

/** What two selectors declare together, or what they contradict each other in. */
export type Combined = { readonly content: ZoneContent } | { readonly conflict: string };

/**
 * Joins what two selectors declare for one zone. What only one of them declares is used; what both
 * declare must be equal. Of `mode` and `suspend` the stricter one is used.
 */
export function combineSelectors(a: ZoneContent, b: ZoneContent): Combined {
  const settings = union(a.settings, b.settings, ({ name }) => name);
  if (settings === undefined) return { conflict: "settings" };
  const policies = combineDeclared(a.policies, b.policies, (first, second) =>
    union(first, second, ({ key }) => key),
  );
  if (policies === "conflict") return { conflict: "policies" };
  // Rules must be equal: two lists do not define the order between them.
  const rules: Partial<Record<RulePhase, Declared<Rule>>> = {};
  for (const phase of rulePhases) {
    const same = combineDeclared(a.rules[phase], b.rules[phase], (first, second) =>
      isDeepStrictEqual(first, second) ? first : undefined,
    );
    if (same === "conflict") return { conflict: phase.replaceAll("_", " ") };
    if (same !== undefined) rules[phase] = same;
  }
  const scripts = a.scripts ?? b.scripts;
  if (b.scripts !== undefined && !isDeepStrictEqual(scripts, b.scripts)) {
    return { conflict: "scripts" };
  }
  const mode = a.mode === "observe" ? a.mode : b.mode;
  const suspension = longer(a.suspension, b.suspension);
  return { content: { mode, suspension, settings, policies, rules, scripts } };
}

/** The items of both lists; `undefined` if two differ that have the same name. */
function union<T>(
  a: readonly T[],
  b: readonly T[],
  nameOf: (item: T) => string,
): readonly T[] | undefined {
  const known = new Map(a.map((item) => [nameOf(item), item]));
  const added = b.filter((item) => !isDeepStrictEqual(known.get(nameOf(item)), item));
  return added.some((item) => known.has(nameOf(item))) ? undefined : [...a, ...added];
}

function combineDeclared<T>(
  a: Declared<T> | undefined,
  b: Declared<T> | undefined,
  combine: (a: readonly T[], b: readonly T[]) => readonly T[] | undefined,
): Declared<T> | undefined | "conflict" {
  if (a === undefined || b === undefined) return a ?? b;
  const items = combine(a.items, b.items);
  if (items === undefined || a.unmanaged !== b.unmanaged) return "conflict";
  return { items, unmanaged: a.unmanaged };
}

function longer(a: Suspension | undefined, b: Suspension | undefined): Suspension | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  if (a.until === undefined) return a;
  return b.until === undefined || a.until < b.until ? b : a;
}
