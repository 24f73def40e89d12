import { isDeepStrictEqual } from "node:util";

import type { ExpressionOrder } from "../../syntax/expression/certainty/certainty.ts";
import type { RateLimit } from "../../zone/resource.ts";
import { type Effect, combine, neutral, strengthens, unclear, weakens } from "../change.ts";
import { effectOfNumber } from "./severity.ts";

/**
 * The effect of another rate limit on how many requests a rule acts on. A shorter period and other
 * characteristics count other requests together: more of them may exceed the rate, or fewer.
 *
 * @param counted how the requests that count compare; asked only where another expression counts them.
 */
export function effectOfRateLimit(
  was: RateLimit | undefined,
  is: RateLimit | undefined,
  counted: () => ExpressionOrder,
): Effect {
  if (was === undefined && is === undefined) return neutral;
  if (was === undefined || is === undefined) return unclear("limits requests in another way", true);
  return combine([
    isDeepStrictEqual(was.characteristics, is.characteristics)
      ? neutral
      : unclear("counts by other characteristics", true),
    was.period === is.period ? neutral : unclear(`period ${was.period} → ${is.period}`, true),
    effectOfThreshold(was.requests_per_period, is.requests_per_period, "requests_per_period"),
    effectOfThreshold(was.score_per_period, is.score_per_period, "score_per_period"),
    effectOfNumber(was.mitigation_timeout, is.mitigation_timeout, "mitigation_timeout", "higher"),
    effectOfOrigin(was, is),
    // Where only the rule's own expression counts, its effect is told with the rule's reach.
    was.counting_expression === is.counting_expression ? neutral : countingEffects[counted()],
    was.score_response_header_name === is.score_response_header_name
      ? neutral
      : unclear("takes the score from another header", true),
  ]);
}

function effectOfThreshold(was: number | undefined, is: number | undefined, name: string): Effect {
  if (was !== undefined && is !== undefined) return effectOfNumber(was, is, name, "lower");
  return was === is ? neutral : unclear(`${name} ${was ?? "–"} → ${is ?? "–"}`, true);
}

function effectOfOrigin(was: RateLimit, is: RateLimit): Effect {
  if (was.requests_to_origin === is.requests_to_origin) return neutral;
  return is.requests_to_origin
    ? weakens("counts only requests to the origin")
    : strengthens("counts also requests that the cache answers", true);
}

const countingEffects = {
  equal: neutral,
  wider: strengthens("counts more requests", true),
  narrower: weakens("counts fewer requests"),
  unclear: unclear("counts other requests", true),
} as const;
