import { describe, it } from "vitest";

import { applyPlan } from "../../src/reconcile/run/apply.ts";
import { WriteGate } from "../../src/reconcile/run/write-gate.ts";
import type { Write } from "../../src/zone/write.ts";
import { Bugs } from "../support/bugs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { liveZone } from "../support/model.ts";
import { report } from "../support/reports.ts";
import { ServiceFault } from "../support/world.ts";

const second = 1_000;

/** Applies writes that each wait for a time before they are sent, and gives their outcomes. */
function outcomesOf(
  writes: readonly Write[],
  waitMs: number,
  maxReadAgeMs: number,
  /** The error of a write that is cancelled. */
  failure: (reason: unknown) => unknown = (reason) => reason,
): Promise<readonly string[]> {
  const clock = new SimulatedClock();
  return outcomesBy(writes, clock, maxReadAgeMs, async (_write, stop) => {
    await clock.sleep(waitMs, stop).catch((reason: unknown) => {
      throw failure(reason);
    });
  });
}

/** Applies writes that `send` sends, and gives their outcomes. */
async function outcomesBy(
  writes: readonly Write[],
  clock: SimulatedClock,
  maxReadAgeMs: number,
  send: (write: Write, stop: AbortSignal) => Promise<void>,
): Promise<readonly string[]> {
  const bugs = new Bugs();
  using gate = new WriteGate(clock, maxReadAgeMs);
  const planned = report("shop.example", 0, { result: "planned", cause: "drift", changes: [] });
  if (planned.result !== "planned") throw new Error("not planned");
  const live = liveZone();
  const writer = {
    write: async (known: typeof live, write: Write, _signal: AbortSignal, stop: AbortSignal) => {
      await send(write, stop);
      return { live: known, ray: "ray", interleaved: false };
    },
  };
  const never = new AbortController().signal;
  const came = await clock.run(
    applyPlan(
      {
        report: { ...planned, plan: { ...planned.plan, writes } },
        live,
        digest: "",
        readAt: 0,
        conflicts: [],
        holdsAt: () => [],
        remainingIn: () => [],
      },
      gate,
      { writer, clock, bug: (error) => bugs.tell(error) },
      { stop: never, abort: never },
    ),
  );
  bugs.expectNone();
  if (came.result !== "applied") throw new Error(came.result);
  return came.outcomes.map((each) => (each.status === "skipped" ? each.reason : each.status));
}

const deletePolicy = { call: "delete-policy", id: "p1", changes: ["policy/a"] } as const;
const putRules = { call: "put-entrypoint", rules: [], changes: ["rule/a"] } as const;
const deleteRule = { call: "delete-rule", ruleset: "ep", id: "r1", changes: ["rule/b"] } as const;

describe("a read that writes rely on", () => {
  it.for<{ when: string; writes: readonly Write[]; came: readonly string[] }>([
    {
      when: "is as old as the last answer about its part",
      writes: [deletePolicy, deletePolicy, deletePolicy, deletePolicy],
      came: ["done", "done", "done", "done"],
    },
    {
      when: "of rules expires despite answers about policies",
      writes: [deletePolicy, deletePolicy, deletePolicy, putRules],
      came: ["done", "done", "done", "read_expired"],
    },
    {
      when: "of rules expires while its write waits, though that of policies does not",
      writes: [deletePolicy, deletePolicy, putRules],
      came: ["done", "done", "read_expired"],
    },
    {
      when: "of rules is renewed by an answer about rules",
      writes: [putRules, deleteRule, deletePolicy, deleteRule],
      came: ["done", "done", "read_expired", "read_expired"],
    },
  ])("$when", async ({ writes, came }, { expect }) => {
    expect(await outcomesOf(writes, 25 * second, 60 * second)).toEqual(came);
  });

  it.for([
    {
      when: "a 429 was not carried out",
      code: "API_RATE_LIMITED" as const,
      came: "read_expired",
    },
    { when: "a broken connection may have been", code: "API_SERVER" as const, came: "failed" },
  ])("a write that is cancelled after $when", async ({ code, came }, { expect }) => {
    const failure = () => new ServiceFault(code, true);
    expect(await outcomesOf([deletePolicy], 90 * second, 60 * second, failure)).toEqual([came]);
  });
});

describe("after a write that did not succeed", () => {
  it.for([
    { code: "API_REFUSED", came: "failed" },
    { code: "API_SERVER", came: "failed" },
    { code: "API_NOT_FOUND", came: "failed" },
    { code: "API_QUOTA", came: "failed" },
    { code: "API_RATE_LIMITED", came: "failed" },
    { code: "API_UNKNOWN_OUTCOME", came: "unknown" },
  ] as const)("no further write is sent: $code", async ({ code, came }, { expect }) => {
    const sent: Write[] = [];
    const writes = [putRules, deletePolicy, deleteRule, deletePolicy];
    const outcomes = await outcomesBy(writes, new SimulatedClock(), 60 * second, async (write) => {
      await Promise.resolve();
      if (sent.push(write) === 2) throw new ServiceFault(code, false);
    });
    expect(outcomes).toEqual(["done", came, "earlier_failure", "earlier_failure"]);
    expect(sent).toEqual(writes.slice(0, 2));
  });
});
