import { describe, it } from "vitest";

import { joinSignals, loopUntil } from "../../src/zone/signals.ts";

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

describe("a loop of work", () => {
  it("goes on after an internal error, which is reported as one of no zone", async ({ expect }) => {
    const stop = new AbortController();
    const bugs: (readonly [unknown, string])[] = [];
    const mistake = new Error("a bug of ours");
    let turns = 0;
    const work = async (): Promise<void> => {
      turns += 1;
      await Promise.resolve();
      if (turns === 2) throw mistake;
      if (turns < 4) return;
      stop.abort();
      throw new Error("stopped");
    };
    await loopUntil(stop.signal, work, (error, zone) => bugs.push([error, zone]));
    expect(turns).toBe(4);
    expect(bugs).toEqual([[mistake, ""]]);
  });
});
