import { describe, it } from "vitest";

import { joinSignals } from "../../src/reconcile/signals.ts";

describe("joined signals", () => {
  it("abort with the first of them, with its reason", ({ expect }) => {
    const [a, b] = [new AbortController(), new AbortController()];
    using joined = joinSignals(a.signal, b.signal);
    expect(joined.signal.aborted).toBe(false);
    b.abort("enough");
    a.abort("late");
    expect(joined.signal.reason).toBe("enough");
  });

  it("are aborted from the start where one of them is", ({ expect }) => {
    using joined = joinSignals(new AbortController().signal, AbortSignal.abort("before"));
    expect(joined.signal.reason).toBe("before");
  });

  it("do not abort once they are disposed", ({ expect }) => {
    const a = new AbortController();
    const joined = joinSignals(a.signal);
    joined[Symbol.dispose]();
    a.abort();
    expect(joined.signal.aborted).toBe(false);
  });
});
