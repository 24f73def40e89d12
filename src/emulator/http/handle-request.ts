import { wireCodes } from "../../api/wire.ts";
import { type JsonObject, isJsonObject } from "../../syntax/json.ts";
import type { Suffering } from "../control/faults.ts";
import type { Service } from "../service.ts";
import type { Owner, TokenState } from "../state.ts";
import { authenticated, invalidAccessToken, isPermitted } from "./access.ts";
import { ServiceError, refused, unpublishedCodes } from "./api-error.ts";
import type { Call, Endpoint } from "./endpoint.ts";
import { queryFlag } from "./query.ts";
import { type Reply, refusalReply, replyTo } from "./reply.ts";

/** Largest body that is read; the service's own limit is not published. */
export const mostBytes = 8 * 1024 * 1024;

/** Deepest nesting of a body that is read: nothing that the service knows comes near. */
const mostLevels = 64;

/** A request as the router hands it over. */
export interface Incoming {
  /** Below the base path, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly token: TokenState | undefined;
  /** "" where there is none. */
  readonly body: string;
  param(name: string): string;
}

/** What a request comes to: the reply, and what must be stored before it is sent. */
export interface Outcome {
  readonly reply: Reply;
  readonly next: Owner | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a request from the present state, without storing anything. */
export function handleRequest(
  service: Service,
  endpoint: Endpoint,
  incoming: Incoming,
  suffering: Suffering,
): Outcome {
  const now = service.store.now();
  const standing = service.limiter.take(service.store.rateLimit, incoming.token?.id ?? "", now);
  const { headers } = standing;
  try {
    if (!standing.allowed) throw throttled();
    if (suffering.status !== undefined) throw faulty(suffering.status);
    if (suffering.revoked) throw invalidAccessToken();
    return { ...answered(service, endpoint, incoming, suffering, now), headers };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { reply: refusalReply(error), next: undefined, headers };
  }
}

function answered(
  { store, ports }: Service,
  endpoint: Endpoint,
  incoming: Incoming,
  suffering: Suffering,
  now: Date,
): Omit<Outcome, "headers"> {
  const token = authenticated(incoming.token, incoming.authorization, incoming.path, now);
  if (!isPermitted(token, endpoint.permissions)) {
    throw refused(403, wireCodes.authentication, "Authentication error");
  }
  const isDryRun = endpoint.dryRun && queryFlag(incoming.query, "dry_run") === true;
  const call: Call = {
    store,
    token,
    dialect: ports.dialect,
    path: incoming.path,
    query: incoming.query,
    param: (name) => incoming.param(name),
    body: () => objectIn(incoming.body),
    staleness: endpoint.method === "GET" ? suffering.staleMs : 0,
    now,
  };
  const answer = endpoint.handle(call);
  return { reply: replyTo(answer, isDryRun), next: isDryRun ? undefined : answer.next };
}

function objectIn(text: string): JsonObject {
  if (text.length > mostBytes) {
    throw refused(413, unpublishedCodes.tooLarge, `the body exceeds ${mostBytes} bytes`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refused(400, unpublishedCodes.body, "invalid JSON: the body cannot be parsed");
  }
  if (isDeeperThan(mostLevels, value)) {
    throw refused(400, unpublishedCodes.body, "invalid JSON: the body is nested too deep");
  }
  if (isJsonObject(value)) return value;
  throw refused(400, unpublishedCodes.body, "invalid JSON: the body must be an object");
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(levels - 1, part));
}

function throttled(): ServiceError {
  return refused(
    429,
    wireCodes.throttled,
    "Please wait and consider throttling your request speed",
  );
}

function faulty(status: number): ServiceError {
  if (status === 429) return throttled();
  return refused(status, 1000 + status, `fault injected by the emulator: status ${status}`);
}
