import { describe, it } from "vitest";

import { answerIn } from "../../src/measure/measure-answer.ts";

describe("an error of the analytics", () => {
  it.for([
    {
      message: "rate limiter budget depleted, try again after 5 minutes",
      code: "budget",
      result: "rate_limited",
    },
    {
      message: "quota exceeded, please repeat your request in the next minute",
      code: "quota",
      result: "rate_limited",
    },
    { message: "cannot request data older than 1w1d", code: "quota", result: "failed" },
    {
      message: "query time range is too large. Time range can't be wider than 86400s",
      code: "quota",
      result: "failed",
    },
    { message: "zones [a b] are not authorized", code: "authz", result: "refused" },
    { message: "zone 'a' does not have access to the path", code: "authz", result: "refused" },
  ])("$code: $message is $result", ({ message, code, result }, { expect }) => {
    const errors = [{ message, path: null, extensions: { code } }];
    const answer = answerIn({ data: null, errors }, [], () => undefined);
    expect(answer.result).toBe(result);
  });
});
