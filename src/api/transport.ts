import { ApiError } from "./api-error.ts";
import type { Call } from "./call.ts";
import type { NoStatus } from "./observer.ts";

/** Why a request got no whole answer: as an error, and as a label to count by. */
export interface TransportFailure {
  readonly error: ApiError;
  readonly label: NoStatus;
}

/** The connection never came about: the request has certainly not been seen. */
const neverConnected =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
const nameUnknown = /^(ENOTFOUND|EAI_AGAIN|EAI_[A-Z]+)$/;
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;
const notHttp = /^HPE_/;

/** Understands what kept a request from an answer. */
export function failureOf(
  call: Call,
  cause: unknown,
  timedOut: boolean,
  timeoutMs: number,
): TransportFailure {
  const code = codeOf(cause);
  const place = `${call.method} ${call.route}`;
  const mayHaveHappened = call.method !== "GET" && !wasNeverSent(code);
  const facts = { transient: true, mayHaveHappened, cause: plain(cause, code) };

  if (timedOut || code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    const message = `${place}: no whole answer within ${timeoutMs / 1000} s; raise api.timeout if the service is only slow`;
    return { label: "timeout", error: new ApiError("API_TIMEOUT", message, facts) };
  }
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
    const message = `${place}: the answer is longer than 32 MiB; check that api.base_url is the service's`;
    const error = new ApiError("API_TOO_LARGE", message, { ...facts, transient: false });
    return { label: "parse", error };
  }
  if (notHttp.test(code)) {
    const message = `${place}: the answer is not HTTP (${code}); check that api.base_url is the service's`;
    return { label: "parse", error: new ApiError("API_MALFORMED", message, facts) };
  }
  const message = `${place}: no answer (${code}); check api.base_url and the way to it`;
  return { label: labelOf(code), error: new ApiError("API_UNREACHABLE", message, facts) };
}

function labelOf(code: string): NoStatus {
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "timeout";
  if (nameUnknown.test(code)) return "dns";
  return certificate.test(code) ? "tls" : "reset";
}

function wasNeverSent(code: string): boolean {
  return neverConnected.test(code) || nameUnknown.test(code) || certificate.test(code);
}

/** The system's or undici's name of the fault; several addresses tried one after the other give it one level down. */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown fault";
  if ("code" in cause && typeof cause.code === "string") return cause.code;
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : cause.name;
}

/** The cause without what hangs on it: errors of the transport can carry headers and raw answers. */
function plain(cause: unknown, code: string): Error {
  return new Error(cause instanceof Error ? `${cause.name} ${code}` : code);
}
