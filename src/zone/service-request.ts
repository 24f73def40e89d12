/** The HTTP methods that the service is called with. */
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export type Method = (typeof methods)[number];

/** Why a request got no HTTP status, or an answer that could not be parsed. */
export const connectionFaults = ["timeout", "reset", "dns", "tls", "parse"] as const;

export type ConnectionFault = (typeof connectionFaults)[number];

/** One request that was sent. */
export interface RequestFact {
  /** Route template, `/zones/{zone_id}/page_shield`: never an id. */
  readonly endpoint: string;
  readonly method: Method;
  /** HTTP status, or why there was none. */
  readonly code: number | ConnectionFault;
  readonly ms: number;
  /** Name of the credential. */
  readonly credential: string;
  /** The `Date` header of the answer: the time of the service; "" without one. */
  readonly date: string;
}

/** A request that is about to be sent again. */
export interface RetryFact extends Omit<RequestFact, "ms" | "date"> {
  /** Milliseconds until it is sent. */
  readonly waitMs: number;
}

/** Receives every request and every retry, for metrics and progress lines. */
export interface RequestObserver {
  request(fact: RequestFact): void;
  retry(fact: RetryFact): void;
}
