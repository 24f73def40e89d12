import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";

import type { EmulatedService } from "../emulated-service.ts";
import type { EndpointAnswer } from "./api-endpoint.ts";
import type { ApiError } from "./api-error.ts";

/** The router, with Node's own request and response in its bindings. */
export type Router = Hono<{ Bindings: HttpBindings }>;

export type RequestContext = Context<{ Bindings: HttpBindings }>;

/** A request to the service; `credential` is the name of its token, "" if that is not known. */
export interface Exchange {
  readonly service: EmulatedService;
  readonly context: RequestContext;
  readonly credential: string;
  /** The service's id of the request. */
  readonly ray: string;
}

/** A response that is ready to be sent. */
export interface Reply {
  readonly status: number;
  /** `undefined`: no body and no envelope (SERVICE.md C.1). */
  readonly text: string | undefined;
  readonly contentType: string;
}

type Headers = Readonly<Record<string, string>>;

/** An endpoint's answer in the service's envelope; a dry run has no result (SERVICE.md B.2). */
export function replyTo(answer: EndpointAnswer, isDryRun: boolean): Reply {
  switch (answer.kind) {
    case "empty":
      return jsonReply(204, undefined);
    case "csv":
      return { status: 200, text: answer.text, contentType: "text/csv; charset=utf-8" };
    case "json": {
      const { messages, info } = answer;
      const result = isDryRun ? null : answer.result;
      return jsonReply(200, { result, success: true, errors: [], messages, result_info: info });
    }
  }
}

export function errorReply({ status, errors }: ApiError): Reply {
  return jsonReply(status, { result: null, success: false, errors, messages: [] });
}

function jsonReply(status: number, body: unknown): Reply {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return { status, text, contentType: "application/json" };
}

export function sendReply(exchange: Exchange, reply: Reply, headers: Headers): Response {
  const { status, text } = reply;
  return new Response(text ?? null, { status, headers: recorded(exchange, reply, headers) });
}

/** Closes the connection in the middle of the body. */
export function sendHalf(exchange: Exchange, reply: Reply, headers: Headers): Response {
  const { outgoing } = exchange.context.env;
  const body = Buffer.from(reply.text ?? "");
  const all = recorded(exchange, reply, headers);
  outgoing.writeHead(reply.status, { ...all, "content-length": body.length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/** Closes the connection without a response. */
export function disconnect(exchange: Exchange): Response {
  record(exchange, 0);
  exchange.context.env.outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Records the request in the journal and returns the complete headers (SERVICE.md C.6). */
function recorded(exchange: Exchange, reply: Reply, headers: Headers): Headers {
  record(exchange, reply.status);
  return {
    ...headers,
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

/** A new id of a request. */
export function rayOf({ ports }: EmulatedService): string {
  const digits = Array.from({ length: 4 }, () => Math.floor(ports.random() * 0x10000).toString(16));
  return `${digits.map((part) => part.padStart(4, "0")).join("")}-EMU`;
}
