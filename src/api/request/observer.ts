import type { Method } from "./call.ts";

/** Why there was no status, or none that could be used. */
export type Fault = "timeout" | "reset" | "dns" | "tls" | "parse";

/** One request that was sent. */
export interface RequestFact {
  /** Route template, `/zones/{zone_id}/page_shield`: never an id. */
  readonly endpoint: string;
  readonly method: Method;
  /** HTTP status, or why there was none. */
  readonly code: number | Fault;
  readonly ms: number;
  /** Name of the credential. */
  readonly credential: string;
}

/** A request that is sent once more. */
export interface RetryFact {
  readonly endpoint: string;
  readonly method: Method;
  /** What the last sending came to. */
  readonly code: number | Fault;
  readonly credential: string;
  /** Milliseconds until it is sent. */
  readonly waitMs: number;
}

/** Hears of every request and every repetition; metrics and the progress line stand on it. */
export interface Observer {
  request(fact: RequestFact): void;
  retry(fact: RetryFact): void;
}

/** Hears and says nothing. */
export const quietObserver: Observer = { request: () => undefined, retry: () => undefined };
