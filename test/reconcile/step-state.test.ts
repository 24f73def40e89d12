import { describe, it } from "vitest";

import {
  afterTime,
  atStep,
  declaredAs,
  digestOfDeclaration,
  digestOfObject,
  foundLive,
  watchedAt,
  type StepState,
  stepIndex,
  stoppedAt,
} from "../../src/reconcile/steps/step-state.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { policy, promotion } from "../support/model.ts";

type Promoted = Policy & { readonly promotion: NonNullable<Policy["promotion"]> };

const minute = 60_000;
const at = new Date("2026-11-20T12:00:00Z");

function checkout(more: Partial<Promoted> = {}): Promoted {
  const steps = { steps: ["log", "managed_challenge", "block"] as const };
  return { ...policy("checkout"), promotion: promotion(steps), ...more };
}

function conditions(more: Parameters<typeof promotion>[0]): Promoted {
  return checkout({ promotion: { ...checkout().promotion, ...more } });
}

/** In its second step, for two hours. */
const challenging: StepState = {
  ...atStep(checkout(), "managed_challenge"),
  isLive: true,
  since: Number(at),
  elapsedMs: 120 * minute,
  isWatched: true,
};
const begunAgain = { isLive: false, since: undefined, elapsedMs: 0 };
const byMeasurements = { at, cause: { count: 12, requests: 9_000 } };

describe("the state of an object", () => {
  it.for([
    { declared: "the same", object: checkout(), gives: challenging },
    {
      declared: "with another name and text",
      object: checkout({
        key: "pay",
        was: "checkout",
        description: "Pay",
        acknowledge: ["a.example"],
      }),
      gives: challenging,
    },
    {
      declared: "with another way to know its step",
      object: conditions({ at: 2, afterMs: 9 * minute, when: "time_only", rollback: undefined }),
      gives: challenging,
    },
    {
      declared: "with another expression",
      object: checkout({ expression: "true" }),
      gives: {
        ...challenging,
        ...begunAgain,
        of: digestOfObject(checkout({ expression: "true" })),
      },
    },
    {
      declared: "with fewer steps, of which it is in one",
      object: conditions({ steps: ["managed_challenge", "block"] }),
      gives: {
        ...challenging,
        ...begunAgain,
        isWatched: false,
        of: digestOfObject(conditions({ steps: ["managed_challenge", "block"] })),
      },
    },
    {
      declared: "with steps of which it is in none",
      object: conditions({ steps: ["log", "block"] }),
      gives: undefined,
    },
  ])("declared $declared", ({ object, gives }, { expect }) => {
    expect(declaredAs(object, challenging)).toEqual(gives);
    expect(declaredAs(object, undefined)).toBeUndefined();
  });

  it.for([
    { step: "log", watchMs: 60 * minute, isWatched: false },
    { step: "managed_challenge", watchMs: 60 * minute, isWatched: true },
    { step: "block", watchMs: 60 * minute, isWatched: true },
    { step: "block", watchMs: 0, isWatched: false },
  ])("changed at $step is watched: $isWatched", ({ step, watchMs, isWatched }, { expect }) => {
    const { promotion: known } = checkout();
    const changed = checkout({ expression: "true", promotion: { ...known, watchMs } });
    const former = { ...challenging, step, isWatched: false };
    expect(declaredAs(changed, former)).toEqual({ ...atStep(changed, step), isWatched });
  });

  it("stays stopped until its declaration changes", ({ expect }) => {
    const stopped = stoppedAt(checkout(), challenging, "log", byMeasurements);
    expect(stopped).toEqual({
      ...atStep(checkout(), "log"),
      stop: {
        declared: digestOfDeclaration(checkout()),
        from: "managed_challenge",
        ...byMeasurements,
      },
    });
    expect(declaredAs(checkout(), stopped)).toBe(stopped);
    const laxer = conditions({ rollback: { ratePer10k: 50, requestsAtLeast: 1 } });
    expect(declaredAs(laxer, stopped)).toEqual({ ...stopped, stop: undefined });
    const other = checkout({ value: "script-src 'none'" });
    expect(declaredAs(other, stopped)?.stop).toBeUndefined();
  });

  it("keeps its time where it is stopped in place", ({ expect }) => {
    const cause = { by: "ada" };
    expect(stoppedAt(checkout(), challenging, "managed_challenge", { at, cause })).toEqual({
      ...challenging,
      isWatched: false,
      stop: { declared: digestOfDeclaration(checkout()), from: undefined, at, cause },
    });
  });

  it("is watched after a promotion, unless its declaration says otherwise", ({ expect }) => {
    expect(watchedAt(checkout(), "block")).toEqual({
      ...atStep(checkout(), "block"),
      isWatched: true,
    });
    expect(watchedAt(conditions({ watchMs: 0 }), "block").isWatched).toBe(false);
  });

  it.for([
    { found: "live as before", live: 1, left: "as_declared", gives: challenging },
    { found: "with another value", live: 1, left: "corrected", gives: { isLive: true } },
    {
      found: "with another value that stays",
      live: 1,
      left: "different",
      gives: { isLive: false },
    },
    { found: "at another step", live: 2, left: "as_declared", gives: { isLive: false } },
    { found: "at no step", live: undefined, left: "as_declared", gives: { isLive: false } },
  ] as const)("found $found", ({ live, left, gives }, { expect }) => {
    const found = foundLive(checkout(), challenging, live, left);
    expect(found).toEqual(
      gives === challenging ? challenging : { ...challenging, ...begunAgain, ...gives },
    );
  });

  it("begins where it is live, if its step is not known, and is watched if it changes there", ({
    expect,
  }) => {
    const first = { ...atStep(checkout(), "managed_challenge"), isLive: true };
    expect(foundLive(checkout(), undefined, 1, "as_declared")).toEqual(first);
    const watched = { ...first, isWatched: true };
    expect(foundLive(checkout(), undefined, 1, "corrected")).toEqual(watched);
    const other = foundLive(checkout(), undefined, 1, "different");
    expect(other).toEqual({ ...watched, isLive: false });
    expect(foundLive(checkout(), undefined, undefined, "as_declared")).toBeUndefined();
  });

  it("gathers time while it is live, from the first moment that is known", ({ expect }) => {
    const promoted = watchedAt(checkout(), "block");
    expect(afterTime(promoted, minute, Number(at))).toBe(promoted);
    const live = foundLive(checkout(), promoted, 2, "corrected") ?? promoted;
    const unknown = afterTime(live, minute, undefined);
    expect(unknown).toEqual({ ...live, elapsedMs: minute });
    const known = afterTime(unknown, minute, Number(at));
    expect(known).toEqual({ ...live, elapsedMs: 2 * minute, since: Number(at) });
    expect(afterTime(known, minute, Number(at) + minute).since).toBe(Number(at));
  });

  it("knows its step by its value", ({ expect }) => {
    expect(stepIndex(challenging, checkout().promotion)).toBe(1);
    expect(stepIndex(challenging, promotion({ steps: ["managed_challenge", "block"] }))).toBe(0);
    expect(stepIndex(undefined, checkout().promotion)).toBeUndefined();
  });
});
