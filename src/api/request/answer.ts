import {
  type JsonObject,
  isJsonObject,
  coerceObject,
  coerceObjects,
  coerceText,
} from "../../syntax/json.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError, type ServiceErrorCode } from "../../zone/service-error.ts";
import { one, retryAfter } from "../budget/rate-headers.ts";
import type { Token } from "../credentials/token.ts";
import { routes } from "../routes.ts";
import { wireCodes } from "../wire.ts";
import type { Call } from "./call.ts";
import type { Reply } from "./exchange.ts";
import { type KnownBodies, digestOf } from "./known-bodies.ts";
import { remedyFor } from "./remedy.ts";

/** An understood reply: the `result` of the envelope, not yet believed. */
export interface Answer {
  /** Of the body, where the route is one of {@link steady}; else "". */
  readonly digest: string;
  /** The `result`; a body that is known is taken apart only when somebody asks for it. */
  readonly result: () => unknown;
  /** What goes with a result that comes in pages. */
  readonly resultInfo: () => JsonObject | undefined;
  readonly status: number;
  /** The service's id of the request; "" where it gave none. */
  readonly ray: string;
}

/** An answer, and how often the request was sent for it. */
export interface Fetched extends Answer {
  readonly sendings: number;
}

/** Longest text of the service that is passed on. */
const longestReason = 300;

/** Routes that every sweep asks for, and whose answer is nearly always that of the sweep before. */
const steady: ReadonlySet<string> = new Set([
  routes.zones,
  routes.settings,
  routes.policies,
  routes.entrypoint,
]);

/** Takes the envelope off a reply; every reply that is not a success is an `ApiError`. */
export function answerOf(
  call: Call,
  reply: Reply,
  about: { readonly token: Token; readonly known: KnownBodies; readonly clock: Clock },
): Answer {
  const { token, known, clock } = about;
  const { status } = reply;
  const ray = token.scrub(one(reply.headers["cf-ray"]));
  const isSuccess = status >= 200 && status < 300;
  const isSteady = isSuccess && call.method === "GET" && steady.has(call.route);
  const digest = isSteady ? digestOf(reply.body) : "";
  if (known.has(digest)) {
    const result = (): unknown => resultOf(parse(reply.body));
    const resultInfo = (): JsonObject | undefined => infoOf(parse(reply.body));
    return { digest, result, resultInfo, status, ray };
  }
  const body = isBare(call, reply) ? { success: true } : parse(reply.body);
  if (!isSuccess) throw hold(call, reply, body, token, clock.now());
  if (!isEnvelope(body)) throw malformed(call, body, status, ray);
  if (body["success"] !== true) throw hold(call, reply, body, token, clock.now());
  if (digest !== "") known.add(digest);
  return {
    digest,
    result: () => resultOf(body),
    resultInfo: () => infoOf(body),
    status,
    ray,
  };
}

function resultOf(body: unknown): unknown {
  return isJsonObject(body) ? (body["result"] ?? null) : null;
}

function infoOf(body: unknown): JsonObject | undefined {
  const info = isJsonObject(body) ? body["result_info"] : undefined;
  return isJsonObject(info) ? info : undefined;
}

/** A 204 has no body, and so no envelope (SERVICE.md C.1); other answers to a DELETE may have none either. */
function isBare(call: Call, { status, body }: Reply): boolean {
  return body.length === 0 && (status === 204 || call.method === "DELETE");
}

/** An answer that is not of the documented kind. `what` says how, without repeating it. */
export function malformedResult(call: Call, answer: Answer, what: string): ServiceError {
  const message = `${call.method} ${call.route}: ${what}; the service and zonewarden do not speak of the same thing`;
  const mayHaveHappened = call.method !== "GET";
  const { status, ray } = answer;
  const facts = { status, ray, fault: "parse", mayHaveHappened } as const;
  return new ServiceError("API_MALFORMED", message, facts);
}

/** Text that is not JSON may have been cut on its way: another try may help. JSON of another shape stays as it is. */
function malformed(call: Call, body: unknown, status: number, ray: string): ServiceError {
  const what = body === undefined ? "is not JSON" : "has no envelope";
  const message = `${call.method} ${call.route}: the answer ${what}; check that api.base_url is the service's`;
  const mayHaveHappened = call.method !== "GET";
  const facts = { status, ray, fault: "parse", mayHaveHappened } as const;
  return new ServiceError("API_MALFORMED", message, { ...facts, transient: body === undefined });
}

function hold(call: Call, reply: Reply, body: unknown, token: Token, now: Date): ServiceError {
  const { status, headers } = reply;
  const reasons = isJsonObject(body) ? reasonsIn(body["errors"]) : [];
  const codes = reasons.map(({ code }) => code);
  const code = codeFor(status, reasons);
  const said =
    reasons.length === 0 ? "" : `: ${tidy(token.scrub(reasons.map(wordsOf).join("; ")))}`;
  return new ServiceError(
    code,
    `${call.method} ${call.route}: ${status}${said}; ${remedyFor(code, call)}`,
    {
      status,
      ray: token.scrub(one(headers["cf-ray"])),
      transient: status === 408 || status === 409 || status === 429 || status >= 500,
      retryAfterMs: retryAfter(headers, now) ?? 0,
      wireCodes: codes,
      mayHaveHappened: call.method !== "GET" && (status >= 500 || status === 408),
    },
  );
}

const codesByStatus: Readonly<Record<number, ServiceErrorCode>> = {
  401: "API_UNAUTHORIZED",
  403: "API_FORBIDDEN",
  404: "API_NOT_FOUND",
  408: "API_TIMEOUT",
  409: "API_CONFLICT",
  429: "API_RATE_LIMITED",
};

function codeFor(status: number, reasons: readonly Reason[]): ServiceErrorCode {
  if (status >= 500) return "API_SERVER";
  if (status >= 300 && status < 400) return "API_MALFORMED";
  if (reasons.some((reason) => isAboutToken(reason, status))) return "API_UNAUTHORIZED";
  if (status === 400 && reasons.some(isAboutQuota)) return "API_QUOTA";
  return codesByStatus[status] ?? "API_REFUSED";
}

/** The text is better known than the code, for policies at least (SERVICE.md A.6). */
function isAboutQuota({ code, message }: Reason): boolean {
  return (
    code === wireCodes.tooManyRules || /\bexceeded the maximum number of rules\b/i.test(message)
  );
}

/** Whether it is the token that is refused and not what it asked for, which the status alone does not tell (SERVICE.md C.2). */
function isAboutToken({ code, message }: Reason, status: number): boolean {
  switch (code) {
    case wireCodes.invalidHeaders:
      return true;
    case wireCodes.invalidToken:
      return status === 403;
    case wireCodes.unauthorized:
      // The same code is said of a resource that is not the token's.
      return /\baccess token\b/i.test(message);
    default:
      return false;
  }
}

interface Reason {
  readonly code: number;
  readonly message: string;
  readonly pointer: string;
}

/** Reads what can be read of an `errors` list: a half-valid one must not hide the status. */
function reasonsIn(errors: unknown): Reason[] {
  return coerceObjects(errors).map(({ code, message, source }) => ({
    code: typeof code === "number" ? code : 0,
    message: coerceText(message),
    pointer: coerceText(coerceObject(source)["pointer"]),
  }));
}

function wordsOf({ code, message, pointer }: Reason): string {
  return `${message} (code ${code}${pointer === "" ? "" : ` at ${pointer}`})`;
}

/** One line without control characters: the text goes to terminals and logs. */
function tidy(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ");
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}

function isEnvelope(body: unknown): body is JsonObject {
  return isJsonObject(body) && typeof body["success"] === "boolean";
}

const utf8 = new TextDecoder();

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}
