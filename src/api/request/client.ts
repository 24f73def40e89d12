import { EnvHttpProxyAgent, type Dispatcher } from "undici";

import type { Clock, WriteFence } from "../../zone/ports.ts";
import { noProxy, type ProxySettings } from "../../zone/proxy.ts";
import type { RequestObserver, RequestFact } from "../../zone/service-request.ts";
import { headerText, type Headers } from "../budget/rate-headers.ts";
import type { Token } from "../credentials/token.ts";
import { isRead, pathOf, type Call } from "./call.ts";
import { connectionError } from "./connection-error.ts";

export interface ServiceConnection {
  readonly address: ServiceAddress;
  readonly dispatcher: Dispatcher;
  /** Timeout of one request, from sending it to the last byte of its answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly observer: RequestObserver;
  /** `undefined`: no other process writes with these credentials. */
  readonly fence: WriteFence | undefined;
}

/** The base address of the service, with the version segment of its paths. */
export interface ServiceAddress {
  /** `https://api.cloudflare.com` */
  readonly origin: string;
  /** `/client/v4` */
  readonly basePath: string;
}

/** The credential that a request is sent with. */
export interface Identity {
  readonly credential: string;
  readonly token: Token;
}

/** Size limit of an answer in bytes. */
export const maxAnswerBytes = 32 * 1024 * 1024;

/** Creates the pool of keep-alive connections; the caller closes it. */
export function createDispatcher(connections: number, proxy: ProxySettings = noProxy): Dispatcher {
  // HTTP/2 is undici's default. A GOAWAY in a burst has lost requests in flight
  // (nodejs/undici#5468).
  const maxResponseSize = maxAnswerBytes;
  // Each request has its own timeout for the whole exchange: undici's two timeouts would be
  // additional.
  const noTimeouts = { headersTimeout: 0, bodyTimeout: 0 };
  const options = { connections, allowH2: false, maxResponseSize, ...noTimeouts };
  return new EnvHttpProxyAgent({ ...options, ...proxy });
}

/** Parses a base address: `https://api.cloudflare.com/client/v4`. */
export function serviceAddress(baseUrl: string): ServiceAddress {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/, "") };
}

/**
 * Sends one request and returns its response, whatever its status; throws a `ServiceError` without
 * a response.
 *
 * @param check is called just before the request goes to the socket, which may be long after the
 *   call: if it throws, the request is not sent, and its error is thrown.
 */
export async function send(
  connection: ServiceConnection,
  identity: Identity,
  call: Call,
  signal: AbortSignal,
  check: () => void,
): Promise<RawResponse> {
  const { clock, observer, fence } = connection;
  const limitMs = isRead(call) ? Infinity : (fence?.limitMs ?? Infinity);
  const timeoutMs = Math.min(connection.timeoutMs, limitMs);
  const start = clock.monotonicMs();
  signal.throwIfAborted();
  const exchange = new Exchange(check);
  connection.dispatcher.dispatch(
    {
      origin: connection.address.origin,
      path: pathOf(connection.address.basePath, call),
      method: call.method,
      headers: {
        authorization: identity.token.authorization,
        accept: "application/json",
        "user-agent": "zonewarden",
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
    },
    exchange,
  );
  const observe = (code: RequestFact["code"]): void => {
    const ms = clock.monotonicMs() - start;
    const { credential } = identity;
    const date = headerText(exchange.headers["date"]);
    observer.request({ endpoint: call.route, method: call.method, code, ms, credential, date });
  };
  const cancelTimeout = clock.alarm(timeoutMs, () => exchange.abort(new RequestTimeout()));
  const abort = (): void => exchange.abort(new RequestAborted());
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = await exchange.response;
    observe(response.status);
    return response;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof NotSent) throw cause.cause;
    const ray = identity.token.scrub(headerText(exchange.headers["cf-ray"]));
    const timedOut = cause instanceof RequestTimeout;
    const error = connectionError(call, { cause, timedOut, timeoutMs, ray });
    observe(error.fault ?? "reset");
    throw error;
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", abort);
  }
}

class RequestAborted extends Error {}

class RequestTimeout extends Error {}

/** The check before the request failed; its error is the cause. */
class NotSent extends Error {}

/** A response that is not parsed yet. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * A request in flight; collects the response.
 *
 * A response of a few hundred bytes needs no stream: a sweep of thousands of zones spends a third
 * less time here than with `undici.request`, and a request that still waits for a connection can be
 * aborted.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settled = Promise.withResolvers<RawResponse>();
  readonly #chunks: Uint8Array[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #aborted: Error | undefined;
  #status = 0;
  #headers: Headers = {};
  readonly #check: () => void;

  constructor(check: () => void) {
    this.#check = check;
  }

  /** Resolves with the whole response; rejects with the reason why there is none. */
  get response(): Promise<RawResponse> {
    return this.#settled.promise;
  }

  /** The response headers; empty until they arrive. */
  get headers(): Headers {
    return this.#headers;
  }

  /** Aborts the request: `response` rejects with `reason` unless it is complete. */
  abort(reason: Error): void {
    this.#aborted = reason;
    this.#settled.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    try {
      this.#check();
    } catch (cause) {
      this.abort(new NotSent("not sent", { cause }));
    }
    if (this.#aborted !== undefined) controller.abort(this.#aborted);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const [only = noBytes] = this.#chunks;
    const body = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only;
    this.#settled.resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settled.reject(error);
  }
}

const noBytes = new Uint8Array();
