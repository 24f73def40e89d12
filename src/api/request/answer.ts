import { sha256 } from "../../syntax/digest.ts";
import {
  coerceDate,
  type JsonObject,
  isJsonObject,
  isTextDeeperThan,
  maxJsonLevels,
  coerceObject,
  coerceObjects,
  coerceText,
  parseJson,
} from "../../syntax/json.ts";
import type { Clock } from "../../zone/ports.ts";
import { ServiceError, type ServiceErrorCode } from "../../zone/service-error.ts";
import { headerText, retryAfter } from "../budget/rate-headers.ts";
import type { Token } from "../credentials/token.ts";
import { routes } from "../routes.ts";
import { wireCodes } from "../wire.ts";
import { type Answer, type Call, isRead } from "./call.ts";
import type { RawResponse } from "./client.ts";

/** Length limit for error messages of the service. */
const maxReasonLength = 300;

/** Routes that every sweep requests, with answers that rarely change between two sweeps. */
const sweepRoutes: ReadonlySet<string> = new Set([
  routes.zones,
  routes.settings,
  routes.policies,
  routes.entrypoint,
  routes.zoneRulesets,
]);

/** Parses a response. Throws a `ServiceError` for every response that is no success. */
export function answerOf(
  call: Call,
  response: RawResponse,
  about: { readonly token: Token; readonly known: KnownBodies; readonly clock: Clock },
): Answer {
  const { token, known, clock } = about;
  const { status } = response;
  const ray = token.scrub(headerText(response.headers["cf-ray"]));
  const isSuccess = status >= 200 && status < 300;
  const isOfSweep = isSuccess && call.method === "GET" && sweepRoutes.has(call.route);
  const digest = isOfSweep ? sha256(response.body) : "";
  const answered = (body: () => unknown): Answer => ({
    digest,
    result: () => resultOf(body()),
    resultInfo: () => infoOf(body()),
    status,
    ray,
  });
  const document = documentIn(call, response);
  if (document !== undefined) return { ...answered(() => undefined), document };
  if (known.has(digest)) return answered(() => parsed(response));
  const body = successIn(call, response, ray, { token, clock });
  if (digest !== "") known.add(digest);
  return answered(() => body);
}

/** The envelope of a success. Throws a `ServiceError` for every other response. */
function successIn(
  call: Call,
  response: RawResponse,
  ray: string,
  { token, clock }: { readonly token: Token; readonly clock: Clock },
): JsonObject {
  const { status } = response;
  const isSuccess = status >= 200 && status < 300;
  // What is compared, hashed and printed later must not exhaust the stack.
  const isTooDeep = isTextDeeperThan(maxJsonLevels, response.body);
  if (isSuccess && isTooDeep) {
    throw malformedResult(call, { status, ray }, `nested deeper than ${maxJsonLevels} levels`);
  }
  const body = bodyOf(call, response, isTooDeep);
  if (!isSuccess) throw refused(call, response, body, token, clock.now());
  if (!isEnvelope(body)) throw notFromService(call, { status, ray }, body);
  if (body["success"] !== true) throw refused(call, response, body, token, clock.now());
  return body;
}

/**
 * The answer to a query, which has no envelope; its errors may have the status 200, 400 or 403
 * (SERVICE.md C.8). `undefined`: it is no such answer.
 */
function documentIn(call: Call, response: RawResponse): Answer["document"] {
  const { status, headers } = response;
  if (call.route !== routes.graphql || ![200, 400, 403].includes(status)) return undefined;
  const body = bodyOf(call, response, isTextDeeperThan(maxJsonLevels, response.body));
  if (!isJsonObject(body) || !("data" in body) || "success" in body) return undefined;
  return { body, at: coerceDate(headerText(headers["date"])) };
}

function bodyOf(call: Call, response: RawResponse, isTooDeep: boolean): unknown {
  if (hasNoBody(call, response)) return { success: true };
  return isTooDeep ? undefined : parsed(response);
}

function resultOf(body: unknown): unknown {
  return isJsonObject(body) ? (body["result"] ?? null) : null;
}

function infoOf(body: unknown): JsonObject | undefined {
  const info = isJsonObject(body) ? body["result_info"] : undefined;
  return isJsonObject(info) ? info : undefined;
}

/**
 * A 204 has no body and no envelope (SERVICE.md C.1); other answers to a DELETE may have none
 * either.
 */
function hasNoBody(call: Call, { status, body }: RawResponse): boolean {
  return body.length === 0 && (status === 204 || call.method === "DELETE");
}

/**
 * The error for an answer of an undocumented shape. `what` describes the difference without quoting
 * the answer.
 */
export function malformedResult(
  call: Call,
  answer: Pick<Answer, "status" | "ray">,
  what: string,
  remedy = "unexpected response shape",
): ServiceError {
  const message = `${call.method} ${call.route}: ${what}; ${remedy}`;
  const mayHaveHappened = !isRead(call);
  const { status, ray } = answer;
  const facts = { status, ray, fault: "parse", mayHaveHappened } as const;
  return new ServiceError("API_MALFORMED", message, facts);
}

function notFromService(
  call: Call,
  about: Pick<Answer, "status" | "ray">,
  body: unknown,
): ServiceError {
  const what = body === undefined ? "the answer is not JSON" : "the answer has no envelope";
  const remedy = "check that api.base_url is the service's";
  // Text that is not JSON may be truncated, so a retry may help. JSON stays the same.
  return malformedResult(call, about, what, remedy).with({ transient: body === undefined });
}

function refused(
  call: Call,
  response: RawResponse,
  body: unknown,
  token: Token,
  now: Date,
): ServiceError {
  const { status, headers } = response;
  const reasons = isJsonObject(body) ? reasonsIn(body["errors"]) : [];
  const codes = reasons.map(({ code }) => code);
  const code = codeFor(status, reasons);
  const detail =
    reasons.length === 0 ? "" : `: ${oneLine(token.scrub(reasons.map(reasonText).join("; ")))}`;
  return new ServiceError(
    code,
    `${call.method} ${call.route}: ${status}${detail}; ${remedyFor(code, call)}`,
    {
      status,
      ray: token.scrub(headerText(headers["cf-ray"])),
      transient: status === 408 || status === 409 || status === 429 || status >= 500,
      retryAfterMs: retryAfter(headers, now) ?? 0,
      wireCodes: codes,
      mayHaveHappened: !isRead(call) && mayBeStored(status),
    },
  );
}

/**
 * A success whose envelope says otherwise shows that the service began: part of the write may be
 * stored. A redirect can follow a write that was stored (303), and is not followed.
 */
function mayBeStored(status: number): boolean {
  return status >= 500 || status === 408 || (status >= 200 && status < 400);
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

/** For policies the text is better documented than the code (SERVICE.md A.6). */
function isAboutQuota({ code, message }: Reason): boolean {
  return (
    code === wireCodes.tooManyRules || /\bexceeded the maximum number of rules\b/i.test(message)
  );
}

/**
 * Whether the service rejects the token and not the request. The status alone does not tell
 * (SERVICE.md C.2).
 */
function isAboutToken({ code, message }: Reason, status: number): boolean {
  switch (code) {
    case wireCodes.invalidHeaders:
      return true;
    case wireCodes.invalidToken:
      return status === 403;
    case wireCodes.unauthorized:
      // The same code is used for a resource that the token may not access.
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

/** Reads an `errors` list leniently: an invalid element must not hide the status. */
function reasonsIn(errors: unknown): Reason[] {
  return coerceObjects(errors).map(({ code, message, source }) => ({
    code: typeof code === "number" ? code : 0,
    message: coerceText(message),
    pointer: coerceText(coerceObject(source)["pointer"]),
  }));
}

function reasonText({ code, message, pointer }: Reason): string {
  return `${message} (code ${code}${pointer === "" ? "" : ` at ${pointer}`})`;
}

/** One line without control characters, for terminals and logs. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ");
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength)}…` : line;
}

function isEnvelope(body: unknown): body is JsonObject {
  return isJsonObject(body) && typeof body["success"] === "boolean";
}

const utf8 = new TextDecoder();

function parsed({ body }: { readonly body: Uint8Array }): unknown {
  return parseJson(utf8.decode(body));
}

/** What a person can do about an error: the end of its message. */
function remedyFor(code: ServiceErrorCode, call: Call): string {
  if (code === "API_FORBIDDEN") {
    return `give the token the permission ${permissionFor(call)}, or the zone another credential`;
  }
  return remedies[code] ?? "check that api.base_url is the service's";
}

const retried = "zonewarden retries";

const remedies: Readonly<Partial<Record<ServiceErrorCode, string>>> = {
  API_UNAUTHORIZED: "check the token: it is unknown, disabled or expired",
  API_NOT_FOUND: "it may have been removed meanwhile",
  API_CONFLICT: retried,
  API_SERVER: retried,
  API_TIMEOUT: retried,
  API_RATE_LIMITED: "zonewarden waits and retries; lower the budget if others use the token too",
  API_QUOTA: "declare fewer, or have the quota of the zone raised",
  API_REFUSED: "change what is declared, or the plan of the zone",
};

/** Name of the permission in the dashboard (SERVICE.md A.9, B.9, C.4). */
function permissionFor({ method, route }: Call): string {
  const level = method === "GET" ? "Read" : "Edit";
  if (route === routes.graphql) return "Analytics: Read";
  if (route === routes.auditLog) return `Account Settings: ${level}`;
  if (route.startsWith("/accounts")) return `Account WAF: ${level}`;
  if (route.includes("/page_shield")) return `Page Shield: ${level}`;
  if (route.includes("/rulesets")) return `Zone WAF: ${level}`;
  return `Zone: ${level}`;
}

/** Digests that are kept; at the limit all are dropped. Ten thousand zones have thirty thousand. */
const maxKnown = 200_000;

/**
 * Digests of bodies that were successes: an equal body needs no parsing to know that it is a
 * success.
 */
export class KnownBodies {
  readonly #digests = new Set<string>();

  has(digest: string): boolean {
    return this.#digests.has(digest);
  }

  add(digest: string): void {
    if (this.#digests.size >= maxKnown) this.#digests.clear();
    this.#digests.add(digest);
  }
}
