import type { Fetched, Call, Send } from "../../src/api/request/call.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import type { JsonObject } from "../../src/syntax/json.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Written } from "../../src/zone/ports.ts";
import type { Write } from "../../src/zone/write.ts";

/** A `Send` that answers from a function, and remembers what it was asked. */
export interface FakeGet {
  readonly send: Send;
  readonly calls: readonly Call[];
}

/** An answer, as far as it matters. */
type Given = Partial<Omit<Fetched, "result" | "resultInfo">> & {
  readonly result?: unknown;
  readonly resultInfo?: JsonObject;
};

/** Gives `answers(call, nth)`, or throws what that throws; `nth` is counted from 1. */
export function fakeGet(answers: (call: Call, nth: number) => Given): FakeGet {
  const calls: Call[] = [];
  return {
    calls,
    send: async (call, signal) => {
      signal.throwIfAborted();
      calls.push(call);
      await Promise.resolve();
      const { result = null, resultInfo, ...given } = answers(call, calls.length);
      return {
        digest: "",
        result: () => result,
        resultInfo: () => resultInfo,
        status: 200,
        ray: "ray-1",
        attempts: 1,
        sentAt: 0,
        ...given,
      };
    },
  };
}

/** Sends one write, all calls with the same `send`. */
export async function sendWrite(
  send: Send,
  live: LiveZone,
  write: Write,
  signal: AbortSignal,
): Promise<Written> {
  return createWriter(() => send).write(live, write, signal, signal);
}
