import { errorCode } from "../../syntax/error-code.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { ConnectionFault } from "../../zone/service-request.ts";
import { type Call, isRead } from "./call.ts";

/** No connection was established: the service has certainly not seen the request. */
const neverConnected =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|HTTPS_PROXY answers \d+)$/;
const nameUnknown = /^(ENOTFOUND|EAI_AGAIN|EAI_[A-Z]+)$/;
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|EPROTO$)/;
const notHttp = /^(HPE_|HTTPParserError$)/;
const tooLarge = "UND_ERR_RES_EXCEEDED_MAX_SIZE";

/** What is known about a request without a whole answer. */
export interface ConnectionFailure {
  readonly cause: unknown;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
  /** The service's id of the request; "" without response headers. */
  readonly ray: string;
}

/** The error for a request that got no whole answer. */
export function connectionError(
  call: Call,
  { cause, timedOut, timeoutMs, ray }: ConnectionFailure,
): ServiceError {
  const code = timedOut ? "UND_ERR_HEADERS_TIMEOUT" : codeOf(cause);
  const request = `${call.method} ${call.route}`;
  const fault = faultOf(code);
  const facts = {
    fault,
    ray,
    transient: code !== tooLarge,
    mayHaveHappened: !isRead(call) && !wasNeverSent(code),
    cause: plain(cause, code),
  };
  if (code === tooLarge) {
    const message = `${request}: the answer is longer than 32 MiB; check that api.base_url is the service's`;
    return new ServiceError("API_TOO_LARGE", message, facts);
  }
  if (fault === "parse") {
    const message = `${request}: the answer is not HTTP (${code}); check that api.base_url is the service's`;
    return new ServiceError("API_MALFORMED", message, facts);
  }
  if (fault === "timeout" && !wasNeverSent(code)) {
    const message = `${request}: no whole answer within ${timeoutMs / 1000} s; raise api.timeout if the service is only slow`;
    return new ServiceError("API_TIMEOUT", message, facts);
  }
  const message = `${request}: no answer (${code}); check api.base_url and the network`;
  return new ServiceError("API_UNREACHABLE", message, facts);
}

function faultOf(code: string): ConnectionFault {
  if (/^UND_ERR_(HEADERS|BODY|CONNECT)_TIMEOUT$/.test(code)) return "timeout";
  if (nameUnknown.test(code)) return "dns";
  if (certificate.test(code)) return "tls";
  return notHttp.test(code) || code === tooLarge ? "parse" : "reset";
}

function wasNeverSent(code: string): boolean {
  return neverConnected.test(code) || nameUnknown.test(code) || certificate.test(code);
}

/**
 * The error code of the system or of undici. An AggregateError, for several addresses, holds it one
 * level down.
 */
function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown fault";
  const [, status] = /^Proxy response \((\d{3})\)/.exec(cause.message) ?? [];
  if (status !== undefined) return `HTTPS_PROXY answers ${status}`;
  const code = errorCode(cause);
  if (code !== "") return code;
  return cause instanceof AggregateError ? codeOf(cause.errors[0]) : cause.name;
}

/** The cause without its properties: errors of the transport can carry headers and raw answers. */
function plain(cause: unknown, code: string): Error {
  return new Error(cause instanceof Error ? `${cause.name} ${code}` : code);
}
