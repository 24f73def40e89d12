import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";

import { basePath } from "../../api/wire.ts";
import { addControl } from "../control/control.ts";
import type { Suffering } from "../control/faults.ts";
import type { Service } from "../service.ts";
import { tokenNamedBy } from "./access.ts";
import { type ServiceError, noRoute, refused, unpublishedCodes } from "./api-error.ts";
import type { Endpoint } from "./endpoint.ts";
import { type Incoming, type Outcome, handleRequest, mostBytes } from "./handle-request.ts";
import { endpoints } from "./operations.ts";
import {
  type RequestContext,
  type Visit,
  cutShort,
  hangUp,
  refusalReply,
  sendReply,
} from "./reply.ts";

/** The router's type: below it is Node's own request and response. */
export type App = Hono<{ Bindings: HttpBindings }>;

/** The one router of the emulator: the service below its base path, the control below `/_emulator`. */
export function emulatorApp(service: Service): App {
  const app: App = new Hono();
  for (const endpoint of endpoints) {
    app.on(endpoint.method, `${basePath}${endpoint.path}`, (context) =>
      served(service, endpoint, context),
    );
  }
  addControl(app, service);
  app.onError(({ message }, context) => {
    const failure = refused(500, unpublishedCodes.ours, `the emulator failed: ${message}`);
    return sendReply({ service, context, credential: "" }, refusalReply(failure), {});
  });
  app.notFound((context) => unrouted({ service, context, credential: "" }));
  return app;
}

/** Reads stay synchronous; only a body, a delay or a write makes a request wait. */
function served(
  service: Service,
  endpoint: Endpoint,
  context: RequestContext,
): Response | Promise<Response> {
  const authorization = context.req.header("authorization");
  const token = tokenNamedBy(service.store, authorization);
  const credential = token?.name ?? "";
  const visit = { service, context, credential };
  const path = context.req.path.slice(basePath.length);
  const incoming = {
    path,
    query: queryOf(context.req.url),
    authorization,
    token,
    param: (name: string) => context.req.param(name) ?? "",
  };
  const suffering = service.faults.strike({ method: context.req.method, path, credential });
  if (endpoint.method !== "GET" || suffering.latencyMs > 0) {
    return servedLater(visit, endpoint, incoming, suffering);
  }
  if (suffering.lostRequest) return hangUp(visit);
  const outcome = handleRequest(service, endpoint, { ...incoming, body: "" }, suffering);
  return answered(visit, outcome, suffering);
}

async function servedLater(
  visit: Visit,
  endpoint: Endpoint,
  incoming: Omit<Incoming, "body">,
  suffering: Suffering,
): Promise<Response> {
  const { service, context } = visit;
  const isThere = await delayed(service, suffering.latencyMs, context.req.raw.signal);
  if (!isThere || suffering.lostRequest) return hangUp(visit);
  const body = endpoint.method === "GET" ? "" : await bodyOf(context);
  const outcome = handleRequest(service, endpoint, { ...incoming, body }, suffering);
  if (outcome.next !== undefined) await service.commit(outcome.next);
  return answered(visit, outcome, suffering);
}

/** Waits as long as a fault wants; says whether the client is still there. */
async function delayed({ ports }: Service, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    if (ms > 0) await ports.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** The text of a body; one that says that it is too large is not read, and refused later. */
async function bodyOf(context: RequestContext): Promise<string> {
  const length = Number(context.req.header("content-length") ?? 0);
  return length > mostBytes ? " ".repeat(mostBytes + 1) : context.req.text();
}

function answered(visit: Visit, { reply, headers }: Outcome, suffering: Suffering): Response {
  if (suffering.lostAnswer) return hangUp(visit);
  if (suffering.cutBody) return cutShort(visit, reply, headers);
  const { retryAfter, malformedJson } = suffering;
  const isSpoilt = malformedJson && reply.text !== undefined;
  return sendReply(visit, isSpoilt ? { ...reply, text: '{"result": {"id": ' } : reply, {
    ...headers,
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  });
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
}

/** The answer to a path that is none, or that has no such method (SERVICE.md C.2). */
function unrouted(visit: Visit): Response {
  const { service, context } = visit;
  const { method, path } = context.req;
  const error = routeError(method, path.startsWith(basePath) ? path.slice(basePath.length) : path);
  const { headers } = service.limiter.take(service.store.rateLimit, "", service.store.now());
  return sendReply(visit, refusalReply(error), headers);
}

function routeError(method: string, path: string): ServiceError {
  const isKnown = endpoints.some((endpoint) => patternOf(endpoint.path).test(path));
  if (!isKnown) return noRoute(path);
  return refused(405, unpublishedCodes.method, `Method ${method} not available for that URI.`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[a-z_]+/g, "[^/]+")}$`);
}
