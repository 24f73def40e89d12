import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";

import { basePath } from "../../api/wire.ts";
import { isAllowedHost } from "../../syntax/request-origin.ts";
import { recordRequest } from "../audit/audited-write.ts";
import { controlApi } from "../control/control.ts";
import type { FaultEffects } from "../control/faults.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { tokenIn } from "./access.ts";
import type { Endpoint } from "./api-endpoint.ts";
import { type ApiError, apiError, routeNotFound, unpublishedCodes } from "./api-error.ts";
import { errorReply, handleRequest, maxBodyBytes, type Reply } from "./handle-request.ts";
import { endpoints, endpointsAt } from "./operations.ts";

/** The router, with Node's own request and response in its bindings. */
type Router = Hono<{ Bindings: HttpBindings }>;

type RequestContext = Context<{ Bindings: HttpBindings }>;

/** A request to the service; `credential` is the name of its token, "" if that is not known. */
interface Exchange {
  readonly service: EmulatedService;
  readonly context: RequestContext;
  readonly credential: string;
  /** The service's id of the request. */
  readonly ray: string;
}

type Headers = Readonly<Record<string, string>>;

/**
 * The one router of the emulator: the service below its base path, the control API below
 * `/_emulator`.
 */
export function emulatorRouter(service: EmulatedService, hosts: readonly string[]): Router {
  const router: Router = new Hono();
  router.use((context, next) =>
    isAllowedHost(context.req.header("host") ?? "", hosts)
      ? next()
      : Promise.resolve(context.text(unknownHost, 421)),
  );
  router.use((_context, next) => {
    service.catchUp();
    return next();
  });
  for (const endpoint of endpoints) {
    router.on(endpoint.method, `${basePath}${endpoint.path}`, (context) =>
      serve(service, endpoint, context),
    );
  }
  router.route("/_emulator", controlApi(service));
  const refuse = (context: RequestContext, error: ApiError, headers: Headers): Response => {
    const exchange = { service, context, credential: "", ray: service.newRay() };
    return sendReply(exchange, errorReply(error), headers);
  };
  router.onError(({ message }, context) =>
    refuse(
      context,
      apiError(500, unpublishedCodes.internal, `the emulator failed: ${message}`),
      {},
    ),
  );
  router.notFound((context) => {
    const { store, quota } = service;
    return refuse(
      context,
      routeError(context),
      quota.take(store.rateLimit, "", store.now()).headers,
    );
  });
  return router;
}

const unknownHost =
  "the emulator does not know the host name of this request: add the name to --hosts of emulate or to server.hosts in zonewarden.yaml, or use an IP address\n";

async function serve(
  service: EmulatedService,
  endpoint: Endpoint,
  context: RequestContext,
): Promise<Response> {
  const { method, url } = context.req;
  const authorization = context.req.header("authorization");
  const token = tokenIn(service.store, authorization);
  const credential = token?.name ?? "";
  const exchange = { service, context, credential, ray: service.newRay() };
  const path = context.req.path.slice(basePath.length);
  const faults = service.faults.effectsOn({ method, path, credential });
  const { latencyMs = 0 } = faults;
  const isConnected = latencyMs === 0 || (await delay(service, latencyMs, context.req.raw.signal));
  if (!isConnected || faults.lostRequest === true) return disconnect(exchange);

  const request = {
    method: endpoint.method,
    path,
    query: new URL(url).searchParams,
    authorization,
    token,
    param: (name: string) => context.req.param(name) ?? "",
    body: endpoint.method === "GET" ? "" : await bodyOf(context),
    userAgent: context.req.header("user-agent") ?? "",
    ray: exchange.ray,
  };
  const handled = handleRequest(service, endpoint, request, faults);
  if (handled.next !== undefined) await service.commit(handled.next);
  const auditId = recordRequest(service, request, handled);
  return send(exchange, handled.reply, faults, {
    ...handled.headers,
    ...(auditId === undefined ? {} : { "cf-auditlog-id": auditId }),
  });
}

function send(exchange: Exchange, reply: Reply, faults: FaultEffects, given: Headers): Response {
  if (faults.lostAnswer === true) return disconnect(exchange);
  const { retryAfter } = faults;
  const retry = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  const headers = { ...given, ...retry };
  if (faults.cutBody === true) return sendHalf(exchange, reply, headers);
  const isMalformed = faults.malformedJson === true && reply.text !== undefined;
  const text = isMalformed ? '{"result": {"id": ' : reply.text;
  return sendReply(exchange, { ...reply, text }, headers);
}

/** Waits for the latency fault; returns whether the client is still connected. */
async function delay(
  { ports }: EmulatedService,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await ports.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

/** The text of a body; one whose length is too large is not read, and gets a 413 later. */
async function bodyOf(context: RequestContext): Promise<string> {
  const length = Number(context.req.header("content-length") ?? 0);
  return length > maxBodyBytes ? " ".repeat(maxBodyBytes + 1) : context.req.text();
}

function sendReply(exchange: Exchange, reply: Reply, headers: Headers): Response {
  const { status, text } = reply;
  return new Response(text ?? null, { status, headers: recorded(exchange, reply, headers) });
}

/** Closes the connection in the middle of the body. */
function sendHalf(exchange: Exchange, reply: Reply, headers: Headers): Response {
  const { outgoing } = exchange.context.env;
  const body = Buffer.from(reply.text ?? "");
  const all = recorded(exchange, reply, headers);
  outgoing.writeHead(reply.status, { ...all, "content-length": body.length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/** Closes the connection without a response. */
function disconnect(exchange: Exchange): Response {
  record(exchange, 0);
  exchange.context.env.outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Records the request in the journal and returns the complete headers (SERVICE.md C.6). */
function recorded(exchange: Exchange, reply: Reply, headers: Headers): Headers {
  record(exchange, reply.status);
  return {
    ...headers,
    date: exchange.service.store.now().toUTCString(),
    "cf-ray": exchange.ray,
    "cf-cache-status": "DYNAMIC",
    ...(reply.text === undefined ? {} : { "content-type": reply.contentType }),
  };
}

function record({ service, context, credential, ray }: Exchange, status: number): void {
  const { method, url } = context.req;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const at = service.store.now().toISOString();
  service.journal.record({ at, method, path, status, credential, ray });
}

/** The response to an unknown path or method (SERVICE.md C.2). */
function routeError({ req }: RequestContext): ApiError {
  const path = req.path.startsWith(basePath) ? req.path.slice(basePath.length) : req.path;
  if (endpointsAt(path).length === 0) return routeNotFound(path);
  const message = `Method ${req.method} not available for that URI.`;
  return apiError(405, unpublishedCodes.method, message);
}
