import { selects } from "../evaluate-expression.ts";
import type { Expression } from "../expression-tree.ts";
import { parseExpression } from "../expression.ts";
import { type Conjunction, conjunctionsOf, outcomesOf } from "./conjunctions.ts";
import { type SampleRequest, valueOfField } from "./sample-request.ts";
import { samplesFor } from "./samples.ts";

/** Requests that are tried for a pair before giving up. */
const maxRequests = 2_000;

/**
 * Requests that are tried first for each way in which both can hold: no way uses up what others
 * need.
 */
const requestsOfWay = 50;

/**
 * A request that both expressions select. `undefined` if there is none, or if none was found:
 * conditions on lists, headers and regular expressions are not decided.
 */
export function commonRequest(a: string, b: string): SampleRequest | undefined {
  const [one, other] = [parseExpression(a).tree, parseExpression(b).tree];
  return one === undefined || other === undefined ? undefined : requestFor(one, other);
}

function requestFor(one: Expression, other: Expression): SampleRequest | undefined {
  const others = possible(conjunctionsOf(other, true));
  const ways = possible(conjunctionsOf(one, true))
    .values()
    .flatMap(([first, outcomes]) =>
      others
        .values()
        .filter(([, otherOutcomes]) => !isContradictory(outcomes, otherOutcomes))
        .map(([second]) => [...first, ...second]),
    )
    .take(maxRequests)
    .toArray();
  const isCommon = (request: SampleRequest): boolean =>
    [one, other].every((each) => selects(each, (field) => valueOfField(field, request)) === true);
  return (
    firstOf(ways, (way) => samplesFor(way).take(requestsOfWay), isCommon) ??
    firstOf(ways, (way) => samplesFor(way).drop(requestsOfWay), isCommon)
  );
}

/** The first request that is common, of the first {@link maxRequests} of all ways. */
function firstOf(
  ways: readonly Conjunction[],
  requestsFor: (way: Conjunction) => IteratorObject<SampleRequest>,
  isCommon: (request: SampleRequest) => boolean,
): SampleRequest | undefined {
  let left = maxRequests;
  for (const way of ways) {
    left -= 1;
    for (const request of requestsFor(way).take(Math.max(0, left))) {
      if (isCommon(request)) return request;
      left -= 1;
    }
    if (left <= 0) return undefined;
  }
  return undefined;
}

type Outcomes = ReadonlyMap<string, boolean>;

/** The ways that are possible: none in which a condition must hold and fail. */
function possible(ways: readonly Conjunction[]): readonly (readonly [Conjunction, Outcomes])[] {
  return ways.flatMap((way) => {
    const outcomes = outcomesOf(way);
    return outcomes === undefined ? [] : [[way, outcomes] as const];
  });
}

/** Whether a condition must hold in one, and fail in the other. */
function isContradictory(one: Outcomes, other: Outcomes): boolean {
  return one.entries().some(([text, holds]) => other.get(text) === !holds);
}
