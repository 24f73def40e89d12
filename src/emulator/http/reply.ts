import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";

import type { WireMessage } from "../../api/wire.ts";
import type { Service } from "../service.ts";
import type { ServiceError } from "./api-error.ts";
import type { Answer } from "./endpoint.ts";

/** An answer ready to be sent. */
export interface Reply {
  readonly status: number;
  /** `undefined`: no body, and no envelope (SERVICE.md C.1). */
  readonly text: string | undefined;
  readonly contentType: string;
}

const json = "application/json";

/** What an endpoint answered, in the service's envelope; a dry run shows no result (SERVICE.md B.2). */
export function replyTo(answer: Answer, isDryRun: boolean): Reply {
  switch (answer.form) {
    case "empty":
      return { status: 204, text: undefined, contentType: json };
    case "csv":
      return { status: 200, text: answer.text, contentType: "text/csv; charset=utf-8" };
    case "json":
      return {
        status: 200,
        text: envelope(isDryRun ? null : answer.result, answer.messages, answer.info),
        contentType: json,
      };
  }
}

/** A refusal in the service's envelope. */
export function refusalReply({ status, errors }: ServiceError): Reply {
  const text = JSON.stringify({ result: null, success: false, errors, messages: [] });
  return { status, text, contentType: json };
}

function envelope(result: unknown, messages: readonly WireMessage[], info: unknown): string {
  return JSON.stringify({
    result,
    success: true,
    errors: [],
    messages,
    ...(info === undefined ? {} : { result_info: info }),
  });
}

/** A request at the router, with Node's own request and response below it. */
export type RequestContext = Context<{ Bindings: HttpBindings }>;

/** A request to the service, and who sent it: "" where that is not known. */
export interface Visit {
  readonly service: Service;
  readonly context: RequestContext;
  readonly credential: string;
}

type Headers = Readonly<Record<string, string>>;

/** Sends a reply as it is. */
export function sendReply(visit: Visit, reply: Reply, headers: Headers): Response {
  const { status, text } = reply;
  return new Response(text ?? null, { status, headers: recorded(visit, reply, headers) });
}

/** Closes the connection in the middle of the body. */
export function cutShort(visit: Visit, reply: Reply, headers: Headers): Response {
  const { outgoing } = visit.context.env;
  const body = Buffer.from(reply.text ?? "");
  const all = recorded(visit, reply, headers);
  outgoing.writeHead(reply.status, { ...all, "content-length": body.length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  return RESPONSE_ALREADY_SENT;
}

/** Closes the connection without a word. */
export function hangUp(visit: Visit): Response {
  record(visit, 0, rayOf(visit.service));
  visit.context.env.outgoing.destroy();
  return RESPONSE_ALREADY_SENT;
}

/** Writes the journal, and gives the complete headers; those of the service are recorded ones (SERVICE.md C.6). */
function recorded(visit: Visit, { status, text, contentType }: Reply, headers: Headers): Headers {
  const ray = rayOf(visit.service);
  record(visit, status, ray);
  const isRead = visit.context.req.method === "GET";
  return {
    ...headers,
    "cf-ray": ray,
    "cf-cache-status": "DYNAMIC",
    ...(isRead ? {} : { "cf-auditlog-id": `emulated-${ray}` }),
    ...(text === undefined ? {} : { "content-type": contentType }),
  };
}

function record({ service, context, credential }: Visit, status: number, ray: string): void {
  const { method, url } = context.req;
  const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
  const at = service.store.now().toISOString();
  service.journal.record({ at, method, path, status, credential, ray });
}

function rayOf({ ports }: Service): string {
  const digits = Array.from({ length: 4 }, () => Math.floor(ports.random() * 0x10000).toString(16));
  return `${digits.map((part) => part.padStart(4, "0")).join("")}-EMU`;
}
