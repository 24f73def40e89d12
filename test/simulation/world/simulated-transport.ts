import { Dispatcher } from "undici";

import { coerceText, isJsonObject } from "../../../src/syntax/json.ts";

/** A request that a process sent, and how to answer it. */
export interface Sending {
  readonly method: string;
  readonly target: string;
  readonly authorization: string;
  readonly body: string;
  /** Whether the process does not wait for the answer any more. */
  readonly isAborted: () => boolean;
  readonly answer: (
    status: number,
    headers: Readonly<Record<string, string>>,
    text: string,
  ) => void;
  /** The connection breaks, after a part of an answer or before. */
  readonly fail: (code: string, part?: string) => void;
}

/** What a process sends its requests through: a function instead of sockets. */
export class SimulatedTransport extends Dispatcher {
  readonly #send: (sending: Sending) => void;

  constructor(send: (sending: Sending) => void) {
    super();
    this.#send = send;
  }

  override dispatch(
    { method, path, headers, body }: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    const controller = new Controller();
    const given: unknown = headers;
    handler.onRequestStart?.(controller, {});
    // As undici: what is aborted in that moment never goes to the socket.
    if (controller.reason !== null) {
      handler.onResponseError?.(controller, controller.reason);
      return true;
    }
    const begin = (status: number, answered: Readonly<Record<string, string>>): void => {
      handler.onResponseStart?.(controller, status, answered, "");
    };
    this.#send({
      method,
      target: path,
      authorization: isJsonObject(given) ? coerceText(given["authorization"]) : "",
      body: typeof body === "string" ? body : "",
      isAborted: () => controller.aborted,
      answer: (status, answered, text) => {
        begin(status, answered);
        handler.onResponseData?.(controller, Buffer.from(text));
        handler.onResponseEnd?.(controller, {});
      },
      fail: (code, part) => {
        if (part !== undefined) {
          begin(200, {});
          handler.onResponseData?.(controller, Buffer.from(part));
        }
        handler.onResponseError?.(controller, Object.assign(new Error(code), { code }));
      },
    });
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

class Controller implements Dispatcher.DispatchController {
  aborted = false;
  readonly paused = false;
  reason: Error | null = null;

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
  }

  pause(): void {
    // Answers are short and come at once.
  }

  resume(): void {
    // As above.
  }
}
