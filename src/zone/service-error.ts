import type { ConnectionFault } from "./service-request.ts";

/** Why a request failed. Stable: reports, metrics and tests rely on these codes. */
export type ServiceErrorCode =
  /** No connection, or it broke before the whole answer arrived. */
  | "API_UNREACHABLE"
  /** No whole answer within the timeout of one request. */
  | "API_TIMEOUT"
  /** The answer is not JSON, or not of the documented shape. */
  | "API_MALFORMED"
  /** The answer exceeds the size limit. */
  | "API_TOO_LARGE"
  /** The token is unknown, disabled or expired (401, or an equivalent code: SERVICE.md C.2). */
  | "API_UNAUTHORIZED"
  /**
   * The token lacks the permission, or the zone is not its own or does not exist
   * (403: SERVICE.md C.2).
   */
  | "API_FORBIDDEN"
  /** The resource does not exist (404). */
  | "API_NOT_FOUND"
  /** The state of the resource does not allow the request now (409). */
  | "API_CONFLICT"
  /** The zone has no room for another resource (400 with code 50001: SERVICE.md A.6, B.8). */
  | "API_QUOTA"
  /** The service rejects the request: an invalid value, no entitlement (other 4xx). */
  | "API_REFUSED"
  /** Too many requests (429). */
  | "API_RATE_LIMITED"
  /** The service failed (5xx). */
  | "API_SERVER"
  /** A write was sent, and whether it took effect is unknown. */
  | "API_UNKNOWN_OUTCOME"
  /**
   * The request budget, or the service's rate limit, leaves no room within the time that a request
   * may wait.
   */
  | "API_BUDGET"
  /** No credential serves the zone. */
  | "API_NO_CREDENTIAL"
  /** The source of the token cannot be read, or is empty. */
  | "API_NO_TOKEN"
  /** A run of one zone exceeded its deadline. */
  | "API_DEADLINE";

/** The facts of a {@link ServiceError} beside code and message. */
interface ServiceErrorFacts {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The service's id of the request (`cf-ray`); "" without an answer. */
  readonly ray: string;
  /** Why there is no status, or no usable answer. */
  readonly fault: ConnectionFault | undefined;
  /** Whether a retry may help although nobody changes anything. */
  readonly transient: boolean;
  /** Milliseconds that the service, or the request budget, asks to wait; 0 if it does not. */
  readonly retryAfterMs: number;
  /** The codes in the answer's `errors`, in order. */
  readonly wireCodes: readonly number[];
  /** Whether the request may have taken effect nevertheless. */
  readonly mayHaveHappened: boolean;
  /**
   * When the attempt was sent that led to the error, by the monotonic clock; `undefined` without an
   * attempt.
   */
  readonly sentAt: number | undefined;
  readonly cause: unknown;
}

const noFacts: ServiceErrorFacts = {
  status: 0,
  ray: "",
  fault: undefined,
  transient: false,
  retryAfterMs: 0,
  wireCodes: [],
  mayHaveHappened: false,
  sentAt: undefined,
  cause: undefined,
};

/** A request to the service that failed. The message never holds a token or a body. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: ServiceErrorCode;
  readonly status: number;
  readonly ray: string;
  readonly fault: ConnectionFault | undefined;
  readonly transient: boolean;
  readonly retryAfterMs: number;
  readonly wireCodes: readonly number[];
  readonly mayHaveHappened: boolean;
  readonly sentAt: number | undefined;
  readonly #facts: ServiceErrorFacts;

  constructor(code: ServiceErrorCode, message: string, facts: Partial<ServiceErrorFacts> = {}) {
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
    this.sentAt = known.sentAt;
  }

  /** The same error with other facts. */
  with(facts: Partial<ServiceErrorFacts>): ServiceError {
    return new ServiceError(this.code, this.message, { ...this.#facts, ...facts });
  }
}
