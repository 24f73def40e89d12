import { Hono } from "hono";

import { basePath } from "../../api/wire.ts";
import { isAllowedHost } from "../../syntax/request-origin.ts";
import { recordRequest } from "../audit/audited-request.ts";
import { addControl } from "../control/control.ts";
import type { FaultEffects } from "../control/faults.ts";
import type { EmulatedService } from "../emulated-service.ts";
import { tokenIn } from "./access.ts";
import type { Endpoint } from "./api-endpoint.ts";
import { type ApiError, apiError, routeNotFound, unpublishedCodes } from "./api-error.ts";
import { type HandledRequest, handleRequest, maxBodyBytes } from "./handle-request.ts";
import type { RoutedRequest } from "./handle-request.ts";
import { endpoints } from "./operations.ts";
import { disconnect, errorReply, rayOf, sendHalf, sendReply } from "./reply.ts";
import type { Exchange, RequestContext, Router } from "./reply.ts";

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
  addControl(router, service);
  router.onError(({ message }, context) => {
    const error = apiError(500, unpublishedCodes.internal, `the emulator failed: ${message}`);
    return sendReply(unknownExchange(service, context), errorReply(error), {});
  });
  router.notFound((context) => sendRouteError(unknownExchange(service, context)));
  return router;
}

const unknownHost =
  "the emulator does not know the host name of this request: add the name to --hosts of emulate or to server.hosts in zonewarden.yaml, or use an IP address\n";

function unknownExchange(service: EmulatedService, context: RequestContext): Exchange {
  return { service, context, credential: "", ray: rayOf(service) };
}

/** Reads stay synchronous; only a body, a delay or a write makes a request wait. */
function serve(
  service: EmulatedService,
  endpoint: Endpoint,
  context: RequestContext,
): Response | Promise<Response> {
  const { method, url } = context.req;
  const authorization = context.req.header("authorization");
  const token = tokenIn(service.store, authorization);
  const credential = token?.name ?? "";
  const exchange = { service, context, credential, ray: rayOf(service) };
  const path = context.req.path.slice(basePath.length);
  const request = {
    path,
    query: queryOf(url),
    authorization,
    token,
    body: "",
    param: (name: string) => context.req.param(name) ?? "",
  };
  const faults = service.faults.effectsOn({ method, path, credential });
  if (endpoint.method !== "GET" || faults.latencyMs !== undefined) {
    return serveLater(exchange, endpoint, request, faults);
  }
  if (faults.lostRequest === true) return disconnect(exchange);
  return send(exchange, handleRequest(service, endpoint, request, faults), faults);
}

async function serveLater(
  exchange: Exchange,
  endpoint: Endpoint,
  request: RoutedRequest,
  faults: FaultEffects,
): Promise<Response> {
  const { service, context } = exchange;
  const isConnected = await delay(service, faults.latencyMs ?? 0, context.req.raw.signal);
  if (!isConnected || faults.lostRequest === true) return disconnect(exchange);
  const body = endpoint.method === "GET" ? "" : await bodyOf(context);
  const handled = handleRequest(service, endpoint, { ...request, body }, faults);
  if (handled.next !== undefined) await service.commit(handled.next);
  const { method } = endpoint;
  const auditId = recordRequest(exchange, { ...request, method, body }, handled.reply);
  const audited = auditId === undefined ? {} : { "cf-auditlog-id": auditId };
  return send(exchange, { ...handled, headers: { ...handled.headers, ...audited } }, faults);
}

/** Waits for the latency fault; returns whether the client is still connected. */
async function delay(
  { ports }: EmulatedService,
  ms: number,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if (ms > 0) await ports.sleep(ms, signal);
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

function send(exchange: Exchange, handled: HandledRequest, faults: FaultEffects): Response {
  const { reply, headers } = handled;
  if (faults.lostAnswer === true) return disconnect(exchange);
  if (faults.cutBody === true) return sendHalf(exchange, reply, headers);
  const { retryAfter, malformedJson } = faults;
  const isMalformed = malformedJson === true && reply.text !== undefined;
  return sendReply(exchange, isMalformed ? { ...reply, text: '{"result": {"id": ' } : reply, {
    ...headers,
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  });
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
}

/** The response to an unknown path or method (SERVICE.md C.2). */
function sendRouteError(exchange: Exchange): Response {
  const { service, context } = exchange;
  const { method, path } = context.req;
  const error = routeError(method, path.startsWith(basePath) ? path.slice(basePath.length) : path);
  const { headers } = service.quota.take(service.store.rateLimit, "", service.store.now());
  return sendReply(exchange, errorReply(error), headers);
}

function routeError(method: string, path: string): ApiError {
  const isKnown = endpoints.some((endpoint) =>
    new RegExp(`^${endpoint.path.replaceAll(/:[a-z_]+/g, "[^/]+")}$`).test(path),
  );
  if (!isKnown) return routeNotFound(path);
  const message = `Method ${method} not available for that URI.`;
  return apiError(405, unpublishedCodes.method, message);
}
