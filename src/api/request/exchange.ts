import type { Dispatcher } from "undici";

import type { Headers } from "../budget/rate-headers.ts";

/** What came back, not yet understood. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/**
 * A request under way, of which the answer is collected.
 *
 * An answer of a few hundred bytes needs no stream: a sweep of thousands of zones spends a third less of its time here
 * than with `undici.request`, and a request that is still waiting for a connection can be given up.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #settled = Promise.withResolvers<Reply>();
  readonly #chunks: Uint8Array[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  #status = 0;
  #headers: Headers = {};

  /** Sends a request. */
  static start(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): Exchange {
    const exchange = new Exchange();
    dispatcher.dispatch(options, exchange);
    return exchange;
  }

  /** The whole reply, or why there is none. */
  get reply(): Promise<Reply> {
    return this.#settled.promise;
  }

  /** Of the answer; none before it has begun. */
  get headers(): Headers {
    return this.#headers;
  }

  /** Waits no longer: the reply rejects with `reason`, unless it is there already, and the connection is let go. */
  giveUp(reason: Error): void {
    this.#givenUp = reason;
    this.#settled.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
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
