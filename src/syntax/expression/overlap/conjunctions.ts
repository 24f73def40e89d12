import type { Expression } from "../expression-tree.ts";
import { printExpression } from "../print-expression.ts";

/** A condition without `and`, `or` and `not`, and whether it must hold. */
export interface SignedCondition {
  readonly condition: Extract<Expression, { readonly kind: "comparison" | "truth" }>;
  readonly holds: boolean;
}

/** Conditions that together suffice. */
export type Conjunction = readonly SignedCondition[];

/**
 * Whether each condition of a conjunction must hold, by its text; `undefined` if one must hold and
 * fail.
 */
export function outcomesOf(conjunction: Conjunction): ReadonlyMap<string, boolean> | undefined {
  const outcomes = new Map<string, boolean>();
  for (const { condition, holds } of conjunction) {
    const text = printExpression(condition);
    if (outcomes.get(text) === !holds) return undefined;
    outcomes.set(text, holds);
  }
  return outcomes;
}

/** More conjunctions than these are not worth the time. */
const maxConjunctions = 300;

/** The ways in which `expression` can be `outcome`; those beyond a few hundred are left out. */
export function conjunctionsOf(expression: Expression, outcome: boolean): readonly Conjunction[] {
  switch (expression.kind) {
    case "constant":
      return expression.value === outcome ? [[]] : [];
    case "not":
      return conjunctionsOf(expression.item, !outcome);
    case "truth":
    case "comparison":
      return [[{ condition: expression, holds: outcome }]];
    case "logic": {
      if (expression.connective === "xor") return ofExclusive(expression.items, outcome);
      const ways = expression.items.map((item) => conjunctionsOf(item, outcome));
      return (expression.connective === "and") === outcome
        ? ways.reduce(joined)
        : ways.flat().slice(0, maxConjunctions);
    }
  }
}

function ofExclusive(items: readonly Expression[], outcome: boolean): readonly Conjunction[] {
  const [first, ...rest] = items;
  if (first === undefined) return outcome ? [] : [[]];
  return [true, false]
    .flatMap((own) => joined(conjunctionsOf(first, own), ofExclusive(rest, outcome !== own)))
    .slice(0, maxConjunctions);
}

function joined(a: readonly Conjunction[], b: readonly Conjunction[]): readonly Conjunction[] {
  const all: Conjunction[] = [];
  for (const one of a) {
    for (const other of b) {
      if (all.length >= maxConjunctions) return all;
      all.push([...one, ...other]);
    }
  }
  return all;
}
