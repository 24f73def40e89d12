import type { Fetched } from "../../src/api/answer.ts";
import type { Call, Send } from "../../src/api/call.ts";

/** A `Send` that answers from a function, and remembers what it was asked. */
export interface FakeGet {
  readonly send: Send;
  readonly calls: readonly Call[];
}

/** An answer, as far as it matters. */
type Given = Partial<Omit<Fetched, "result">> & { readonly result?: unknown };

/** Gives `answers(call, nth)`, or throws what that throws; `nth` is counted from 1. */
export function fakeGet(answers: (call: Call, nth: number) => Given): FakeGet {
  const calls: Call[] = [];
  return {
    calls,
    send: async (call, signal) => {
      signal.throwIfAborted();
      calls.push(call);
      await Promise.resolve();
      const { result = null, ...given } = answers(call, calls.length);
      return {
        digest: "",
        result: () => result,
        resultInfo: undefined,
        status: 200,
        ray: "ray-1",
        auditId: "",
        sendings: 1,
        ...given,
      };
    },
  };
}
