import { Agent, type Dispatcher, request } from "undici";

import { urlOf, type Call } from "./call.ts";
import type { Clock } from "./clock.ts";
import type { Observer, RequestFact } from "./observer.ts";
import type { Headers } from "./rate-headers.ts";
import type { Token } from "./token.ts";
import { failureOf } from "./transport.ts";

/** The way to the service. */
export interface Connection {
  /** Address up to and with the version segment: `https://api.cloudflare.com/client/v4`. */
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher;
  /** Longest time of one request, from sending it to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** In whose name a request is sent. */
export interface Identity {
  /** Name of the credential. */
  readonly credential: string;
  readonly token: Token;
}

/** What came back, not yet understood. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Longest answer that is held in memory. */
export const longestAnswer = 32 * 1024 * 1024;

/** Connections to the service, kept alive; the caller closes them. */
export function createDispatcher(connections: number): Dispatcher {
  // HTTP/2 is undici's default; over it, a GOAWAY in a burst has lost requests under way (nodejs/undici#5468).
  return new Agent({ connections, allowH2: false, maxResponseSize: longestAnswer });
}

/** Sends one request and gives its reply, whatever its status; an `ApiError` tells why there is none. */
export async function send(
  connection: Connection,
  identity: Identity,
  call: Call,
  signal: AbortSignal,
): Promise<Reply> {
  const { clock, observer, timeoutMs } = connection;
  const start = clock.uptime();
  const observe = (code: RequestFact["code"]): void => {
    const ms = clock.uptime() - start;
    const { credential } = identity;
    observer.request({ endpoint: call.route, method: call.method, code, ms, credential });
  };
  const limit = startLimit(clock, timeoutMs, signal);
  try {
    const reply = await exchange(connection, identity.token, call, limit.signal);
    observe(reply.status);
    return reply;
  } catch (cause) {
    signal.throwIfAborted();
    const error = failureOf(call, cause, limit.signal.aborted, timeoutMs);
    observe(error.fault ?? "reset");
    throw error;
  } finally {
    limit.end();
  }
}

/** A time limit joined with the caller's signal; nothing of it stays behind once it has ended. */
function startLimit(
  clock: Clock,
  ms: number,
  caller: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort();
  };
  const callOff = clock.alarm(ms, abort);
  caller.addEventListener("abort", abort, { once: true });
  if (caller.aborted) abort();
  return {
    signal: controller.signal,
    end: () => {
      callOff();
      caller.removeEventListener("abort", abort);
    },
  };
}

async function exchange(
  { baseUrl, dispatcher }: Connection,
  token: Token,
  call: Call,
  signal: AbortSignal,
): Promise<Reply> {
  const { statusCode, headers, body } = await request(urlOf(baseUrl, call), {
    method: call.method,
    dispatcher,
    headers: {
      authorization: token.authorization,
      accept: "application/json",
      "user-agent": "zonewarden",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
    signal,
  });
  return { status: statusCode, headers, text: await body.text() };
}
