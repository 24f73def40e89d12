import { describe, it } from "vitest";

import type { HoldReason } from "../../src/plan/guard/hold.ts";
import { endOfHolds, retryDelayMs } from "../../src/reconcile/run/next-run.ts";
import type { Failure, Outcome } from "../../src/state/run-report.ts";
import {
  at,
  change,
  type Came,
  done,
  failed,
  failure,
  hold,
  report,
  skipped,
  waiting,
  writeOf,
} from "../support/reports.ts";

const [a, b] = ["policy/a", "policy/b"] as const;
const changes = [change(a), change(b)];
const transient = failure("503", { retryAfterMs: 7_000 });
const lasting = failure("403", { transient: false, retryAfterMs: 7_000 });

const refused = failure("400", { code: "API_REFUSED", transient: false, retryAfterMs: 9_000 });

function applied(outcomes: readonly Outcome[], left = changes): Came {
  return { result: "applied", cause: "pending", changes, outcomes, left };
}

function failedBy(reason: Failure): Outcome {
  return { status: "failed", write: writeOf(a), failure: reason };
}

describe("the least wait before a run is repeated", () => {
  it.for<{ when: string; came: Came; ms: number | undefined }>([
    { when: "the zone is in sync", came: { result: "in_sync" }, ms: undefined },
    { when: "it is held", came: { result: "held", cause: "pending", changes }, ms: undefined },
    { when: "a read failed for now", came: { result: "error", failure: transient }, ms: 7_000 },
    { when: "a read failed for good", came: { result: "error", failure: lasting }, ms: undefined },
    { when: "all was applied", came: applied([done(a), done(b)], []), ms: undefined },
    { when: "writes did not do what they were to do", came: applied([done(a), done(b)]), ms: 0 },
    { when: "one change is left", came: applied([done(a), done(b)], [change(b)]), ms: 0 },
    { when: "writes were cancelled", came: applied([skipped("read_expired", a)]), ms: 0 },
    { when: "a write failed for now", came: applied([failedBy(transient)]), ms: 7_000 },
    { when: "a write failed for good", came: applied([failedBy(lasting)]), ms: undefined },
    {
      when: "a write failed for good after one that did not do what it was to do",
      came: applied([done(b), failedBy(lasting)]),
      ms: undefined,
    },
    {
      when: "a write was refused",
      came: applied([done(b), failedBy(refused)], [change(a)]),
      ms: undefined,
    },
    {
      when: "a write was refused, and another waits for it",
      came: applied([failedBy(refused), waiting(b, a)]),
      ms: undefined,
    },
    {
      when: "a write was refused, and another failed for now",
      came: applied([failedBy(refused), failedBy(transient)]),
      ms: 7_000,
    },
    {
      when: "two failed for now after one that was refused",
      came: applied([failedBy(refused), failed(b), failedBy(transient), failed(b)]),
      ms: 7_000,
    },
    {
      when: "a write was refused, and another waited for too long",
      came: applied([failedBy(refused), skipped("read_expired", b)]),
      ms: 0,
    },
    {
      when: "a write was refused, and another did not do what it was to do",
      came: applied([failedBy(refused), done(b)]),
      ms: 0,
    },
    {
      when: "a write was refused, and then the token",
      came: applied([failedBy(refused), failedBy(lasting)]),
      ms: undefined,
    },
    { when: "a write failed and asks for no wait", came: applied([failed(a)]), ms: 0 },
  ])("where $when", ({ came, ms }, { expect }) => {
    expect(retryDelayMs(report("shop.example", 0, came))).toBe(ms);
  });
});

describe("the end of the holds of a plan", () => {
  const ends = { contended: () => at(3), freeze: () => at(1), suspend: () => at(2) };
  it.for<{ reasons: readonly HoldReason[]; end: Date | undefined }>([
    { reasons: [], end: undefined },
    { reasons: ["freeze"], end: at(1) },
    { reasons: ["suspend"], end: at(2) },
    { reasons: ["freeze", "suspend"], end: at(2) },
    { reasons: ["contended", "freeze", "suspend"], end: at(3) },
    { reasons: ["weakening"], end: undefined },
    { reasons: ["freeze", "observe"], end: undefined },
    { reasons: ["too_many_deletes", "suspend"], end: undefined },
  ])("with the reasons $reasons is $end", ({ reasons, end }, { expect }) => {
    const holds = reasons.map((reason) => hold(reason));
    expect(endOfHolds(holds, ends)).toEqual(end);
  });

  it("is not known where that of one of them is not", ({ expect }) => {
    const holds = [hold("freeze"), hold("suspend")];
    expect(endOfHolds(holds, { ...ends, suspend: () => undefined })).toBeUndefined();
  });
});
