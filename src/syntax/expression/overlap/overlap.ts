import type { Expression } from "../expression-tree.ts";
import { parseExpression } from "../expression.ts";
import { printExpression } from "../print-expression.ts";
import { type Conjunction, conjunctionsOf } from "./conjunctions.ts";
import type { SampleRequest } from "./sample-request.ts";
import { selects } from "./sample-value.ts";
import { samplesFor } from "./samples.ts";

/** Requests that are tried for a pair before giving up. */
const maxRequests = 2_000;

/**
 * A request that both expressions select. `undefined` if there is none, or if none was found: conditions on lists, headers
 * and regular expressions are not decided.
 */
export function commonRequest(a: string, b: string): SampleRequest | undefined {
  const [one, other] = [parseExpression(a).tree, parseExpression(b).tree];
  return one === undefined || other === undefined ? undefined : requestFor(one, other);
}

function requestFor(one: Expression, other: Expression): SampleRequest | undefined {
  const others = conjunctionsOf(other, true).map(withOutcomes);
  let left = maxRequests;
  for (const [first, outcomes] of conjunctionsOf(one, true).map(withOutcomes)) {
    for (const [second, otherOutcomes] of others) {
      left -= 1;
      if (isContradictory(outcomes, otherOutcomes)) continue;
      for (const request of samplesFor([...first, ...second])) {
        if (selects(one, request) === true && selects(other, request) === true) return request;
        left -= 1;
        if (left <= 0) return undefined;
      }
      if (left <= 0) return undefined;
    }
  }
  return undefined;
}

/** Whether each condition must hold, by its text. */
type Outcomes = ReadonlyMap<string, boolean>;

function withOutcomes(conjunction: Conjunction): readonly [Conjunction, Outcomes] {
  const outcomes = conjunction.map(
    ({ condition, holds }) => [printExpression(condition), holds] as const,
  );
  return [conjunction, new Map(outcomes)];
}

/** Whether a condition must hold in one, and fail in the other. */
function isContradictory(one: Outcomes, other: Outcomes): boolean {
  return one.entries().some(([text, holds]) => other.get(text) === !holds);
}
