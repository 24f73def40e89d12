import { wireCodes } from "../../api/wire.ts";
import {
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  maxJsonLevels,
  parseJson,
} from "../../syntax/json.ts";
import type { FaultEffects } from "../control/faults.ts";
import type { EmulatedService } from "../emulated-service.ts";
import type { Owner, TokenState } from "../state.ts";
import { authenticated, invalidAccessToken, isPermitted } from "./access.ts";
import type { EndpointCall, Endpoint } from "./api-endpoint.ts";
import { ApiError, apiError, unpublishedCodes } from "./api-error.ts";
import { queryFlag } from "./query.ts";
import { errorReply, type Reply, replyTo } from "./reply.ts";

/** Largest body that is accepted; the service's own limit is not published. */
export const maxBodyBytes = 8 * 1024 * 1024;

export interface RoutedRequest extends Pick<EndpointCall, "path" | "query" | "param"> {
  readonly authorization: string | undefined;
  readonly token: TokenState | undefined;
  /** "" if there is none. */
  readonly body: string;
}

/** The reply to a request, and the state to store before it is sent. */
export interface HandledRequest {
  readonly reply: Reply;
  readonly next: Owner | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Computes the reply to a request from the present state, without storing anything. */
export function handleRequest(
  service: EmulatedService,
  endpoint: Endpoint,
  request: RoutedRequest,
  faults: FaultEffects,
): HandledRequest {
  const now = service.store.now();
  const quota = service.quota.take(service.store.rateLimit, request.token?.id ?? "", now);
  const { headers } = quota;
  try {
    if (!quota.allowed) throw rateLimited();
    if (faults.status !== undefined) throw injectedError(faults.status);
    if (faults.revoked === true) throw invalidAccessToken();
    if (faults.denied === true) throw notPermitted();
    return { ...callEndpoint(service, endpoint, request, faults, now), headers };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reply: errorReply(error), next: undefined, headers };
  }
}

function callEndpoint(
  { store, audit, ports }: EmulatedService,
  endpoint: Endpoint,
  request: RoutedRequest,
  faults: FaultEffects,
  now: Date,
): Omit<HandledRequest, "headers"> {
  const { path, query, param, authorization } = request;
  const token = authenticated(request.token, authorization, path, now);
  if (!isPermitted(token, endpoint.permissions)) {
    throw notPermitted();
  }
  const isDryRun = endpoint.dryRun && queryFlag(query, "dry_run") === true;
  const answer = endpoint.handle({
    store,
    audit,
    token,
    dialect: ports.dialect,
    path,
    query,
    param,
    body: () => parseBody(request.body),
    staleMs: endpoint.method === "GET" ? (faults.staleMs ?? 0) : 0,
    now,
  });
  return { reply: replyTo(answer, isDryRun), next: isDryRun ? undefined : answer.next };
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
