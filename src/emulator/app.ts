import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import type { Context } from "hono";

import { basePath } from "../api/wire.ts";
import { tokenNamedBy } from "./authenticate.ts";
import { addControl } from "./control.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Suffering } from "./faults.ts";
import { handleRequest, mostBytes } from "./handle-request.ts";
import type { Incoming, Outcome } from "./handle-request.ts";
import { endpoints } from "./operations.ts";
import { refusalReply } from "./reply.ts";
import { noRoute, refused, unpublishedCodes } from "./service-error.ts";
import type { Service } from "./service.ts";

/** The router's type: below it is Node's own request and response. */
export type App = Hono<{ Bindings: HttpBindings }>;
type RequestContext = Context<{ Bindings: HttpBindings }>;

/** The one router of the emulator: the service below its base path, the control below `/_emulator`. */
export function emulatorApp(service: Service): App {
  const app: App = new Hono();
  for (const endpoint of endpoints) {
    app.on(endpoint.method, `${basePath}${endpoint.path}`, (context) =>
      served(service, endpoint, context),
    );
  }
  addControl(app, service);
  app.onError((error, context) => send(context, failed(error), service, ""));
  app.notFound((context) => send(context, unrouted(service, context), service, ""));
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
  const path = context.req.path.slice(basePath.length);
  const suffering = service.faults.strike({
    method: context.req.method,
    path,
    credential: token?.name ?? "",
  });
  const incoming = {
    path,
    query: queryOf(context.req.url),
    authorization,
    token,
    param: (name: string) => context.req.param(name) ?? "",
  };
  if (endpoint.method === "GET" && suffering.latencyMs === 0) {
    const outcome = handleRequest(service, endpoint, { ...incoming, body: "" }, suffering);
    return answer(context, outcome, suffering, service, incoming);
  }
  return servedLater(service, endpoint, context, incoming, suffering);
}

async function servedLater(
  service: Service,
  endpoint: Endpoint,
  context: RequestContext,
  incoming: Omit<Incoming, "body">,
  suffering: Suffering,
): Promise<Response> {
  if (!(await delayed(service, suffering.latencyMs, context.req.raw.signal))) {
    return hungUp(context, service, incoming);
  }
  const body = endpoint.method === "GET" ? "" : await bodyOf(context);
  if (suffering.lostRequest) return hungUp(context, service, incoming);
  const outcome = handleRequest(service, endpoint, { ...incoming, body }, suffering);
  if (outcome.next !== undefined) await service.commit(outcome.next);
  return answer(context, outcome, suffering, service, incoming);
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

function answer(
  context: RequestContext,
  outcome: Outcome,
  suffering: Suffering,
  service: Service,
  { token, ...incoming }: Omit<Incoming, "body">,
): Response {
  if (suffering.lostRequest || suffering.lostAnswer) {
    return hungUp(context, service, { token, ...incoming });
  }
  if (suffering.cutBody) return cutShort(context, outcome, service, token?.name ?? "");
  const { retryAfter, malformedJson } = suffering;
  const headers =
    retryAfter === undefined
      ? outcome.headers
      : { ...outcome.headers, "retry-after": String(retryAfter) };
  const reply = malformedJson ? { ...outcome.reply, text: '{"result": {"id": ' } : outcome.reply;
  return send(context, { ...outcome, headers, reply }, service, token?.name ?? "");
}

function send(
  context: RequestContext,
  { reply, headers }: Omit<Outcome, "next">,
  service: Service,
  credential: string,
): Response {
  const ray = recorded(context, service, reply.status, credential);
  const all = { ...headers, ...commonHeaders(context, ray) };
  const { status, text, contentType } = reply;
  if (text === undefined) return new Response(null, { status, headers: all });
  return new Response(text, { status, headers: { ...all, "content-type": contentType } });
}

/** Closes the connection in the middle of the body. */
function cutShort(
  context: RequestContext,
  { reply, headers }: Outcome,
  service: Service,
  credential: string,
): Response {
  const ray = recorded(context, service, reply.status, credential);
  const { outgoing } = context.env;
  const body = Buffer.from(reply.text ?? "");
  outgoing.writeHead(reply.status, {
    ...headers,
    ...commonHeaders(context, ray),
    "content-type": reply.contentType,
    "content-length": body.length,
  });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/** Closes the connection without a word. */
function hungUp(
  context: RequestContext,
  service: Service,
  { token }: Pick<Incoming, "token">,
): Response {
  recorded(context, service, 0, token?.name ?? "");
  context.env.outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

function recorded(
  context: RequestContext,
  service: Service,
  status: number,
  credential: string,
): string {
  const ray = `${hexadecimal(service, 16)}-EMU`;
  const { method, url } = context.req;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const at = service.store.now().toISOString();
  service.journal.record({ at, method, path, status, credential, ray });
  return ray;
}

/** Recorded headers of the service (api-facts C.6). */
function commonHeaders(context: RequestContext, ray: string): Readonly<Record<string, string>> {
  const audited = context.req.method === "GET" ? {} : { "cf-auditlog-id": `emulated-${ray}` };
  return { "cf-ray": ray, "cf-cache-status": "DYNAMIC", ...audited };
}

function hexadecimal({ ports }: Service, digits: number): string {
  return Array.from({ length: digits / 4 }, () =>
    Math.floor(ports.random() * 0x10000)
      .toString(16)
      .padStart(4, "0"),
  ).join("");
}

function queryOf(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  return new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
}

/** The answer to a path that is none, or that has no such method (api-facts C.2). */
function unrouted(service: Service, context: RequestContext): Omit<Outcome, "next"> {
  const { method } = context.req;
  const path = context.req.path.startsWith(basePath)
    ? context.req.path.slice(basePath.length)
    : context.req.path;
  const isKnown = endpoints.some((endpoint) => patternOf(endpoint.path).test(path));
  const error = isKnown
    ? refused(405, unpublishedCodes.method, `Method ${method} not available for that URI.`)
    : noRoute(path);
  const standing = service.limiter.take(service.store.rateLimit, "", service.store.now());
  return { reply: refusalReply(error), headers: standing.headers };
}

/** The answer where the emulator itself is at fault: a bug of ours, or a state file that cannot be written. */
function failed(error: Error): Omit<Outcome, "next"> {
  const message = `the emulator failed: ${error.message}`;
  return { reply: refusalReply(refused(500, unpublishedCodes.ours, message)), headers: {} };
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[a-z_]+/g, "[^/]+")}$`);
}
