import { didYouMean } from "../../syntax/nearest.ts";
import type { DeclarationDiagnostic } from "../complaint.ts";
import type { MergedPath } from "./layer.ts";
import type { ManagedRule } from "./zone-file.ts";

/** Rules in their order, and what could not be placed. */
export interface Ordered {
  readonly rules: readonly ManagedRule[];
  readonly complaints: readonly DeclarationDiagnostic[];
}

/**
 * Places rules by their `before` and `after`; all others stay in the order of the list.
 *
 * Rules that stand before (or after) the same one keep their order among themselves.
 */
export function inOrder(rules: readonly ManagedRule[], list: MergedPath): Ordered {
  const placed = [...rules];
  for (const rule of rules.filter(({ before }) => before)) move(placed, rule, rule.before, 0);
  // Each goes directly behind its neighbour, so the last one is placed first.
  for (const rule of rules.toReversed().filter(({ after }) => after)) {
    move(placed, rule, rule.after, 1);
  }
  return { rules: placed, complaints: rules.flatMap((rule) => misplaced(rule, rules, list)) };
}

function move(
  placed: ManagedRule[],
  rule: ManagedRule,
  neighbour: string | null | undefined,
  behind: 0 | 1,
): void {
  if (neighbour === rule.key || !placed.some(({ key }) => key === neighbour)) return;
  placed.splice(placed.indexOf(rule), 1);
  placed.splice(placed.findIndex(({ key }) => key === neighbour) + behind, 0, rule);
}

function misplaced(
  rule: ManagedRule,
  rules: readonly ManagedRule[],
  list: MergedPath,
): readonly DeclarationDiagnostic[] {
  const others = rules.map(({ key }) => key).filter((key) => key !== rule.key);
  return (["before", "after"] as const).flatMap((side) => {
    const neighbour = rule[side];
    if (!neighbour || others.includes(neighbour)) return [];
    const known =
      others.length === 0 ? "there is no other rule" : `there are: ${others.join(", ")}`;
    return [
      {
        code: "UNKNOWN_ORDER" as const,
        path: [...list, rule.key, side],
        message: `"${rule.key}" cannot stand ${side} "${neighbour}": the zone has no other rule of that key`,
        remedy: didYouMean(neighbour, others) || known,
      },
    ];
  });
}
