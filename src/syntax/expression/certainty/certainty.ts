import { remembered } from "../../remembered.ts";
import { canonicalExpression, validTree } from "../expression.ts";
import { type Certainty, CertaintyJudge } from "./certainty-judge.ts";
import { selectedBy } from "./selected-requests.ts";

/**
 * The certainty of an expression: `depends` if it is invalid. `zone`: the zone whose requests are
 * meant.
 */
export function certaintyOf(expression: string, zone?: string): Certainty {
  return decided(`${zone ?? ""} ${expression}`, () => {
    const tree = validTree(expression);
    return tree === undefined ? "depends" : new CertaintyJudge(zone).certaintyOf(tree);
  });
}

/** Many zones have the same expressions. */
const decided = remembered<Certainty>(1_000);

/**
 * Whether an expression certainly selects no request; not so if it is invalid. `zone`: the zone
 * whose requests are meant.
 */
export function selectsNothing(expression: string, zone?: string): boolean {
  const { isNever, host } = selectedBy(expression, validTree);
  if (isNever || zone === undefined) return isNever;
  if (host !== undefined && (host === zone || host.endsWith(`.${zone}`))) return false;
  return certaintyOf(expression, zone) === "never";
}

/** Whether every request that `a` selects is certainly selected by `b` too. */
export function certainlyImplies(a: string, b: string): boolean {
  const [one, other] = [validTree(a), validTree(b)];
  return one !== undefined && other !== undefined && new CertaintyJudge().implies(one, other);
}

/** Whether certainly no request is selected by both `a` and `b`. */
export function certainlyExclude(a: string, b: string): boolean {
  const [one, other] = [validTree(a), validTree(b)];
  return one !== undefined && other !== undefined && new CertaintyJudge().isNever(one, other);
}

/**
 * The requests of the second expression are the same, a subset or a superset; `unclear`: none of it
 * could be proved.
 */
export type ExpressionOrder = "equal" | "narrower" | "wider" | "unclear";

/** Compares what two expressions select, as far as that is certain. */
export function compareExpressions(before: string, after: string): ExpressionOrder {
  if (canonicalExpression(before) === canonicalExpression(after)) return "equal";
  const isNarrower = certainlyImplies(after, before);
  const isWider = certainlyImplies(before, after);
  if (isNarrower) return isWider ? "equal" : "narrower";
  return isWider ? "wider" : "unclear";
}
