import { wireCodes } from "../../api/wire.ts";
import {
  coerceObject,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  maxJsonLevels,
  parseJson,
} from "../../syntax/json.ts";
import type { FaultEffects } from "../control/faults.ts";
import type { EmulatedService } from "../emulated-service.ts";
import type { Owner, RequestLimit, TokenState } from "../state.ts";
import { authenticated, invalidAccessToken, isPermitted } from "./access.ts";
import type { EndpointAnswer, EndpointCall, Endpoint } from "./api-endpoint.ts";
import { ApiError, apiError, unpublishedCodes } from "./api-error.ts";
import { queryFlag } from "./query.ts";

/** Largest body that is accepted; the service's own limit is not published. */
export const maxBodyBytes = 8 * 1024 * 1024;

export interface RoutedRequest extends Pick<EndpointCall, "path" | "query" | "param"> {
  readonly authorization: string | undefined;
  readonly token: TokenState | undefined;
  /** "" if there is none. */
  readonly body: string;
}

/** A response that is ready to be sent. */
export interface Reply {
  readonly status: number;
  /** `undefined`: no body and no envelope (SERVICE.md C.1). */
  readonly text: string | undefined;
  readonly contentType: string;
}

/** The reply to a request, and the state to store before it is sent. */
export interface HandledRequest {
  readonly reply: Reply;
  readonly next?: Owner | undefined;
  /** Id of what was created or changed; `undefined` if the result has none. */
  readonly resultId?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Computes the reply to a request from the present state, without storing anything. */
export function handleRequest(
  service: EmulatedService,
  endpoint: Endpoint,
  request: RoutedRequest,
  faults: FaultEffects,
): HandledRequest {
  const { store, audit, protections, ports } = service;
  const { path, query, param, authorization } = request;
  const now = store.now();
  const { allowed, headers } = service.quota.take(store.rateLimit, request.token?.id ?? "", now);
  try {
    if (!allowed) throw rateLimited();
    if (faults.status !== undefined) throw injectedError(faults.status);
    if (faults.revoked === true) throw invalidAccessToken();
    if (faults.denied === true) throw notPermitted();
    const token = authenticated(request.token, authorization, path, now);
    if (!isPermitted(token, endpoint.permissions)) throw notPermitted();
    const isDryRun = endpoint.dryRun && queryFlag(query, "dry_run") === true;
    const answer = endpoint.handle({
      store,
      audit,
      protections,
      token,
      dialect: ports.dialect,
      path,
      query,
      param,
      body: () => parseBody(request.body),
      staleMs: endpoint.method === "GET" ? (faults.staleMs ?? 0) : 0,
      analyticsFaults: faults.analytics ?? {},
      takeQuery: () => service.queries.take(queryLimit(store.rateLimit), token.id, now).allowed,
      now,
    });
    const reply = replyTo(answer, isDryRun);
    if (isDryRun) return { reply, headers };
    return { reply, headers, next: answer.next, resultId: idOf(answer) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reply: errorReply(error), headers };
  }
}

/** The limit of queries of the analytics (SERVICE.md C.8); a seed without a rate limit has none. */
function queryLimit(rateLimit: RequestLimit | null): RequestLimit | null {
  return rateLimit === null ? null : { requests: 300, windowMs: 300_000, lockoutMs: 300_000 };
}

export function idOf({ result }: EndpointAnswer): string | undefined {
  const { id } = coerceObject(result);
  return typeof id === "string" ? id : undefined;
}

function parseBody(text: string): JsonObject {
  if (text.length > maxBodyBytes) {
    throw apiError(413, unpublishedCodes.tooLarge, `the body exceeds ${maxBodyBytes} bytes`);
  }
  const value = parseJson(text);
  if (value === undefined) throw invalidBody("cannot be parsed");
  if (isDeeperThan(maxJsonLevels, value)) throw invalidBody("is nested too deep");
  if (isJsonObject(value)) return value;
  throw invalidBody("must be an object");
}

function invalidBody(detail: string): ApiError {
  return apiError(400, unpublishedCodes.body, `invalid JSON: the body ${detail}`);
}

/** The response to a credential that lacks the permission (SERVICE.md C.2). */
function notPermitted(): ApiError {
  return apiError(403, wireCodes.authentication, "Authentication error");
}

function rateLimited(): ApiError {
  const message = "Please wait and consider throttling your request speed";
  return apiError(429, wireCodes.rateLimited, message);
}

function injectedError(status: number): ApiError {
  if (status === 429) return rateLimited();
  return apiError(status, 1000 + status, `fault injected by the emulator: status ${status}`);
}

/** An endpoint's answer in the service's envelope; a dry run has no result (SERVICE.md B.2). */
function replyTo(answer: EndpointAnswer, isDryRun: boolean): Reply {
  const { result, csv, document, messages = [], info } = answer;
  if (document !== undefined) return jsonReply(document.status, document.body);
  if (csv !== undefined) return { status: 200, text: csv, contentType: "text/csv; charset=utf-8" };
  if (result === undefined) return jsonReply(204, undefined);
  const shown = isDryRun ? null : result;
  return jsonReply(200, { result: shown, success: true, errors: [], messages, result_info: info });
}

export function errorReply({ status, errors }: ApiError): Reply {
  return jsonReply(status, { result: null, success: false, errors, messages: [] });
}

function jsonReply(status: number, body: unknown): Reply {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return { status, text, contentType: "application/json" };
}
