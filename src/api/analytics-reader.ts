import { ServiceError } from "../zone/service-error.ts";
import type { Zone } from "../zone/zone.ts";
import { malformedResult } from "./request/answer.ts";
import { graphql } from "./request/call.ts";
import { sendWithRetries } from "./request/retry.ts";
import { type Service, sessionOf } from "./service.ts";

/** An answer of the analytics, not validated. */
export interface AnalyticsAnswer {
  readonly body: unknown;
  /** When the service answered, by its clock; `undefined`: the answer has no date. */
  readonly at: Date | undefined;
}

/** Sends queries of the analytics, behind all other requests. It cannot write. */
export class AnalyticsReader {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Sends a query about zones that have one credential; its errors are in the answer. Does not wait after a 429: whoever
   * measures asks again later.
   *
   * @throws {ServiceError} where there is no answer to the query.
   */
  async ask(zones: readonly Zone[], query: string, signal: AbortSignal): Promise<AnalyticsAnswer> {
    const [first] = zones;
    if (first === undefined) throw new Error("a query about no zone");
    const session = sessionOf(this.#service, first);
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
  }
}
