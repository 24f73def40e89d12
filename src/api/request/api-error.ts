import type { Fault } from "./observer.ts";

/** What can go wrong with a request. Stable: reports, metrics and tests hold on to these. */
export type ApiErrorCode =
  /** No connection, or it broke before the whole answer was here. */
  | "API_UNREACHABLE"
  /** No whole answer within the time of one request. */
  | "API_TIMEOUT"
  /** The answer is not JSON, or not of the documented kind. */
  | "API_MALFORMED"
  /** The answer is longer than we are ready to hold. */
  | "API_TOO_LARGE"
  /** The token is unknown, disabled or expired (401, or a code that says so: SERVICE.md C.2). */
  | "API_UNAUTHORIZED"
  /** The token may not do this, or the zone is not its own or does not exist (403: SERVICE.md C.2). */
  | "API_FORBIDDEN"
  /** There is no such thing (404). */
  | "API_NOT_FOUND"
  /** The state of the thing does not allow it now (409). */
  | "API_CONFLICT"
  /** The zone has no room for what is to be created (400 with code 50001: SERVICE.md A.6, B.8). */
  | "API_QUOTA"
  /** The service does not accept the request: a bad value, no entitlement (other 4xx). */
  | "API_REFUSED"
  /** Too many requests (429). */
  | "API_RATE_LIMITED"
  /** The service failed (5xx). */
  | "API_SERVER"
  /** A write was sent, and whether it took effect cannot be told. */
  | "API_UNKNOWN_OUTCOME"
  /** Our own budget, or the service's lock-out, leaves no room for longer than we are ready to wait. */
  | "API_BUDGET"
  /** No credential serves the zone. */
  | "API_NO_CREDENTIAL"
  /** The source of the token cannot be read, or holds none. */
  | "API_NO_TOKEN"
  /** A look at one zone took too long in all: the loop gives it up, not the client. */
  | "API_DEADLINE";

/** The facts of an {@link ApiError} beside code and message. */
export interface ApiErrorFacts {
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The service's id of the request (`cf-ray`); "" where there was none. */
  readonly ray: string;
  /** Why there is no status, or none that could be used. */
  readonly fault: Fault | undefined;
  /** Whether another try may help without anybody changing anything. */
  readonly transient: boolean;
  /** Milliseconds that the service, or our budget, asks us to wait; 0 where nothing was asked. */
  readonly retryAfterMs: number;
  /** The codes in the answer's `errors`, in their order. */
  readonly wireCodes: readonly number[];
  /** Whether the request may have taken effect all the same. */
  readonly mayHaveHappened: boolean;
  readonly cause: unknown;
}

const noFacts: ApiErrorFacts = {
  status: 0,
  ray: "",
  fault: undefined,
  transient: false,
  retryAfterMs: 0,
  wireCodes: [],
  mayHaveHappened: false,
  cause: undefined,
};

/** A request that did not give what it was sent for. Its text never holds a token or a body. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly ray: string;
  readonly fault: Fault | undefined;
  readonly transient: boolean;
  readonly retryAfterMs: number;
  readonly wireCodes: readonly number[];
  readonly mayHaveHappened: boolean;
  readonly #facts: ApiErrorFacts;

  constructor(code: ApiErrorCode, message: string, facts: Partial<ApiErrorFacts> = {}) {
    const known = { ...noFacts, ...facts };
    super(message, known.cause === undefined ? {} : { cause: known.cause });
    this.#facts = known;
    this.code = code;
    this.status = known.status;
    this.ray = known.ray;
    this.fault = known.fault;
    this.transient = known.transient;
    this.retryAfterMs = known.retryAfterMs;
    this.wireCodes = known.wireCodes;
    this.mayHaveHappened = known.mayHaveHappened;
  }

  /** The same error with other facts. */
  with(facts: Partial<ApiErrorFacts>): ApiError {
    return new ApiError(this.code, this.message, { ...this.#facts, ...facts });
  }
}
