import type { AskAnalytics } from "../zone/ports.ts";
import { ServiceError } from "../zone/service-error.ts";
import { malformedResult } from "./request/answer.ts";
import { graphql } from "./request/call.ts";
import { sendWithRetries } from "./request/retry.ts";
import { type Service, sessionOf } from "./service.ts";

/** Sends queries of the analytics, behind all other requests. It cannot write. */
export function createAnalytics(service: Service): AskAnalytics {
  return async (zones, query, signal) => {
    const [first] = zones;
    if (first === undefined) throw new Error("a query about no zone");
    const session = sessionOf(service, first);
    const { analyticsShare, budget } = session.credential;
    await analyticsShare.take(signal);
    // A query as the only request that is sent would let the protection wait for an answer that it does not need.
    if (budget.state.isCircuitOpen) {
      throw new ServiceError("API_UNREACHABLE", "the service is unreachable");
    }
    const retry = { ...session.retry, rateLimitDeadlineMs: 0 };
    const call = graphql(query);
    const answer = await sendWithRetries({ ...session, retry }, "inventory", call, signal);
    analyticsShare.note(answer.attempts - 1);
    if (answer.document === undefined) throw malformedResult(call, answer, "no answer to a query");
    return answer.document;
  };
}
