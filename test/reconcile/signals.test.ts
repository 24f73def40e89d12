import { describe, it } from "vitest";

import {
  isAborted,
  joinSignals,
  loopUntil,
  sideBySide,
  type StopSignals,
} from "../../src/reconcile/signals.ts";

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

const never = new AbortController().signal;

/** Works until it is stopped, and notes that. */
function endless(ended: string[], name: string): (signals: StopSignals) => Promise<void> {
  return async ({ stop }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    stop.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    ended.push(name);
  };
}

function fails(): Promise<void> {
  return Promise.reject(new Error("no revision"));
}

describe("works side by side", () => {
  it("end all when one fails, and fail when the others have ended", async ({ expect }) => {
    const ended: string[] = [];
    const works = [endless(ended, "a"), fails, endless(ended, "b")];
    await expect(sideBySide(works, { stop: never, abort: never })).rejects.toThrow("no revision");
    expect(ended).toEqual(["a", "b"]);
  });

  it("end with the signal", async ({ expect }) => {
    const ended: string[] = [];
    const stop = new AbortController();
    const running = sideBySide([endless(ended, "a")], { stop: stop.signal, abort: never });
    stop.abort();
    await running;
    expect([ended, isAborted(stop.signal)]).toEqual([["a"], true]);
  });
});
