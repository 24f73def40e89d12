import { common, lineOf, numbersOf, type NumberSpan } from "./certainty/number-sets.ts";
import { compareTexts, isAscii } from "./evaluate-expression.ts";
import type { Comparison, Expression, Value } from "./expression-tree.ts";
import { canonicalExpression, parseExpression } from "./expression.ts";
import { intervalOf } from "./intervals.ts";
import { printExpression, printOperand } from "./print-expression.ts";

/**
 * The requests of the second expression are the same, a subset or a superset; `unclear`: none of it
 * could be proved.
 */
export type ExpressionOrder = "equal" | "narrower" | "wider" | "unclear";

/** Compares what two expressions select, as far as their structure proves it. */
export function compareExpressions(before: string, after: string): ExpressionOrder {
  if (canonicalExpression(before) === canonicalExpression(after)) return "equal";
  const was = readable(before);
  const is = readable(after);
  if (was === undefined || is === undefined) return "unclear";
  const isNarrower = implies(is, was, { steps: maxSteps });
  const isWider = implies(was, is, { steps: maxSteps });
  if (isNarrower) return isWider ? "equal" : "narrower";
  return isWider ? "wider" : "unclear";
}

/** The tree of an expression that the service can have: not of one that is too long. */
function readable(text: string): Expression | undefined {
  const { tree, diagnostics } = parseExpression(text);
  return diagnostics.some(({ code }) => code === "EXPR_TOO_LONG") ? undefined : tree;
}

/** Comparisons of parts before giving up: nested alternatives multiply. */
const maxSteps = 20_000;

interface Budget {
  steps: number;
}

/** Whether it is proved that `b` selects every request that `a` selects. */
function implies(a: Expression, b: Expression, budget: Budget): boolean {
  budget.steps -= 1;
  if (budget.steps < 0) return false;
  if (isConstant(a, false) || isConstant(b, true)) return true;
  const alternatives = alternativesOf(a, b);
  if (alternatives.length > 1) return alternatives.every((item) => implies(item, b, budget));
  const conditions = itemsOf(b, "and");
  if (conditions.length > 1) return conditions.every((item) => implies(a, item, budget));
  return (
    impliesDirectly(a, b, budget) ||
    itemsOf(a, "and").some((item) => implies(item, b, budget)) ||
    itemsOf(b, "or").some((item) => implies(a, item, budget))
  );
}

function impliesDirectly(a: Expression, b: Expression, budget: Budget): boolean {
  if (a.kind === "not" && b.kind === "not") return implies(b.item, a.item, budget);
  if (a.kind === "comparison" && b.kind === "comparison" && comparisonImplies(a, b)) return true;
  return a.kind === b.kind && printExpression(a) === printExpression(b);
}

/** The alternatives of `a`; a set is expanded only if `b` has alternatives too. */
function alternativesOf(a: Expression, b: Expression): readonly Expression[] {
  if (a.kind === "comparison" && itemsOf(b, "or").length > 0) return singleComparisons(a);
  return itemsOf(a, "or");
}

function itemsOf(expression: Expression, connective: "and" | "or"): readonly Expression[] {
  const isIt = expression.kind === "logic" && expression.connective === connective;
  return isIt ? expression.items : [];
}

function isConstant(expression: Expression, value: boolean): boolean {
  return expression.kind === "constant" && expression.value === value;
}

/**
 * Whether `a` implies `b`: both have the same left operand, and the values of `b` include those of
 * `a`.
 */
function comparisonImplies(a: Comparison, b: Comparison): boolean {
  if (printOperand(a.left) !== printOperand(b.left)) return false;
  const texts = textsOf(a);
  if (texts !== undefined) {
    const known = new Set(textsOf(b));
    return texts.every((text) => known.has(text) || textFits(text, b));
  }
  // Where there is no value, `ne` holds and every other comparison fails.
  const numbers = a.operator === "ne" ? undefined : numbersOf(a);
  if (numbers !== undefined) return numbers.every(isAmongNumbersOf(b));
  const isContained = a.operator === "contains" && b.operator === "contains";
  return (
    isContained &&
    a.right.kind === "text" &&
    b.right.kind === "text" &&
    a.right.text.includes(b.right.text)
  );
}

/** Whether a comparison holds for all of some numbers; `ne` only for those of its own kind. */
function isAmongNumbersOf(comparison: Comparison): (numbers: NumberSpan) => boolean {
  const excluded = comparison.operator === "ne" ? intervalOf(comparison.right) : undefined;
  const all = numbersOf(comparison) ?? [];
  const known = excluded === undefined ? all : common(all, [lineOf(excluded)]);
  return ([first, last]) => known.some(([from, to]) => from <= first && last <= to);
}

/** A comparison with a set as one comparison a member. */
function singleComparisons(comparison: Comparison): readonly Comparison[] {
  const { right } = comparison;
  if (right.kind !== "set") return [comparison];
  return right.members.map((member) => ({ ...comparison, right: { ...right, members: [member] } }));
}

/** The values for which an `eq` or `in` is true. */
function valuesOf({ operator, right }: Comparison): readonly Value[] | undefined {
  if (right.kind === "set") return right.members;
  return operator === "eq" ? [right] : undefined;
}

function textsOf(comparison: Comparison): readonly string[] | undefined {
  const values = valuesOf(comparison);
  const texts = values?.filter((value) => value.kind === "text").map(({ text }) => text);
  return texts !== undefined && texts.length === values?.length ? texts : undefined;
}

/** An escaped byte can be part of a letter, so only ASCII texts are known to differ. */
function textFits(text: string, { operator, right }: Comparison): boolean {
  if (right.kind !== "text" || (operator === "ne" && !isAscii(text + right.text))) return false;
  return compareTexts(text, operator, right.text) === true;
}
