import { Pool, type Dispatcher } from "undici";

import type { Clock } from "../../zone/ports.ts";
import type { RequestObserver, RequestFact } from "../../zone/service-request.ts";
import { one } from "../budget/rate-headers.ts";
import type { Token } from "../credentials/token.ts";
import { pathOf, type Call } from "./call.ts";
import { Exchange, type Reply } from "./exchange.ts";
import { failureOf } from "./transport.ts";

/** The way to the service. */
export interface Connection {
  readonly address: ServiceAddress;
  readonly dispatcher: Dispatcher;
  /** Longest time of one request, from sending it to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly observer: RequestObserver;
}

/** Where the service is, up to and with the version segment of its paths. */
export interface ServiceAddress {
  /** `https://api.cloudflare.com` */
  readonly origin: string;
  /** `/client/v4` */
  readonly basePath: string;
}

/** In whose name a request is sent. */
export interface Identity {
  /** Name of the credential. */
  readonly credential: string;
  readonly token: Token;
}

/** Longest answer that is held in memory. */
export const longestAnswer = 32 * 1024 * 1024;

/** Connections to the service, kept alive; the caller closes them. */
export function createDispatcher({ origin }: ServiceAddress, connections: number): Dispatcher {
  // HTTP/2 is undici's default; over it, a GOAWAY in a burst has lost requests under way (nodejs/undici#5468).
  const maxResponseSize = longestAnswer;
  // Each request has a limit of its own, from sending it to the last byte of its answer: these would be two more.
  const ownLimits = { headersTimeout: 0, bodyTimeout: 0 };
  return new Pool(origin, { connections, allowH2: false, maxResponseSize, ...ownLimits });
}

/** The parts of a base address: `https://api.cloudflare.com/client/v4`. */
export function serviceAddress(baseUrl: string): ServiceAddress {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/, "") };
}

/** Sends one request and gives its reply, whatever its status; an `ApiError` tells why there is none. */
export async function send(
  connection: Connection,
  identity: Identity,
  call: Call,
  signal: AbortSignal,
): Promise<Reply> {
  const { clock, observer, timeoutMs } = connection;
  const start = clock.monotonicMs();
  const observe = (code: RequestFact["code"]): void => {
    const ms = clock.monotonicMs() - start;
    const { credential } = identity;
    observer.request({ endpoint: call.route, method: call.method, code, ms, credential });
  };
  signal.throwIfAborted();
  const exchange = begin(connection, identity.token, call);
  const callOff = clock.alarm(timeoutMs, () => exchange.giveUp(new OutOfTime()));
  const abort = (): void => exchange.giveUp(new GivenUp());
  signal.addEventListener("abort", abort, { once: true });
  try {
    const reply = await exchange.reply;
    observe(reply.status);
    return reply;
  } catch (cause) {
    signal.throwIfAborted();
    const ray = identity.token.scrub(one(exchange.headers["cf-ray"]));
    const timedOut = cause instanceof OutOfTime;
    const error = failureOf(call, { cause, timedOut, timeoutMs, ray });
    observe(error.fault ?? "reset");
    throw error;
  } finally {
    callOff();
    signal.removeEventListener("abort", abort);
  }
}

/** The caller waits no longer. */
class GivenUp extends Error {}

/** The request took longer than one may. */
class OutOfTime extends Error {}

function begin({ address, dispatcher }: Connection, token: Token, call: Call): Exchange {
  return Exchange.start(dispatcher, {
    path: pathOf(address.basePath, call),
    method: call.method,
    headers: {
      authorization: token.authorization,
      accept: "application/json",
      "user-agent": "zonewarden",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: call.body === undefined ? null : JSON.stringify(call.body),
  });
}
