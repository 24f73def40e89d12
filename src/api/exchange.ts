import type { Dispatcher } from "undici";

import type { Headers } from "./rate-headers.ts";

/** What came back, not yet understood. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request under way. */
export interface Exchange {
  /** The whole reply, or why there is none. */
  readonly reply: Promise<Reply>;
  /** Waits no longer: `reply` rejects with `reason` unless it is there already, and the connection is let go. */
  giveUp(reason: unknown): void;
}

const utf8 = new TextDecoder();

/**
 * Sends a request and collects its answer.
 *
 * An answer of a few hundred bytes needs no stream: a sweep of thousands of zones spends a third less of its time here
 * than with `undici.request`, and a request that is still waiting for a connection can be given up.
 */
export function startExchange(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
): Exchange {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const chunks: Uint8Array[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let end: { readonly reason: Error } | undefined;
  let head = { status: 0, headers: {} as Headers };
  dispatcher.dispatch(options, {
    onRequestStart: (started) => {
      controller = started;
      if (end !== undefined) started.abort(end.reason);
    },
    onResponseStart: (_controller, status, headers) => {
      head = { status, headers };
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      const [only, ...more] = chunks;
      const bytes = only === undefined || more.length > 0 ? Buffer.concat(chunks) : only;
      resolve({ ...head, text: utf8.decode(bytes) });
    },
    onResponseError: (_controller, error) => reject(error),
  });
  return {
    reply: promise,
    giveUp: (reason) => {
      reject(reason);
      end = { reason: reason instanceof Error ? reason : new Error("given up", { cause: reason }) };
      controller?.abort(end.reason);
    },
  };
}
