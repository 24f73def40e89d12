import { describe, it } from "vitest";

import { applyPlan } from "../../src/reconcile/run/apply-while-valid.ts";
import { WriteGate } from "../../src/reconcile/run/write-gate.ts";
import type { Write } from "../../src/zone/write.ts";
import { Bugs } from "../support/bugs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { liveZone } from "../support/model.ts";
import { report } from "../support/reports.ts";
import { ServiceFault } from "../support/world.ts";

const second = 1_000;

/** Sends writes that each wait so long for their turn, and tells what became of them. */
async function carriedOutIn(
  writes: readonly Write[],
  waitMs: number,
  longestAgeMs: number,
  /** What a write that is called off rejects with. */
  failure: (reason: unknown) => unknown = (reason) => reason,
): Promise<readonly string[]> {
  const [clock, bugs] = [new SimulatedClock(), new Bugs()];
  using gate = new WriteGate(clock);
  const ready = report("shop.example", 0, { result: "planned", cause: "drift", changes: [] });
  if (ready.result !== "planned") throw new Error("not ready");
  const live = liveZone();
  const proposal = { report: { ...ready, plan: { ...ready.plan, writes } }, live, readAt: 0 };
  const writer = {
    write: async (known: typeof live, _write: Write, _signal: AbortSignal, stop: AbortSignal) => {
      await clock.sleep(waitMs, stop).catch((reason: unknown) => {
        throw failure(reason);
      });
      return { live: known, ray: "ray", interleaved: false };
    },
  };
  const never = new AbortController().signal;
  const came = await clock.run(
    applyPlan(
      { gate, holdsAt: () => [], longestAgeMs },
      proposal,
      () => [],
      { writer, clock, bug: (error) => bugs.tell(error) },
      { stop: never, abort: never },
    ),
  );
  bugs.expectNone();
  if (came.result !== "applied") throw new Error(came.result);
  return came.outcomes.map((each) => (each.status === "skipped" ? each.reason : each.status));
}

const policyGoes = { call: "delete-policy", id: "p1", changes: ["policy/a"] } as const;
const listOfRules = { call: "put-entrypoint", rules: [], changes: ["rule/a"] } as const;
const ruleGoes = { call: "delete-rule", ruleset: "ep", id: "r1", changes: ["rule/b"] } as const;

describe("a reading that writes rest on", () => {
  it.for<{ when: string; writes: readonly Write[]; came: readonly string[] }>([
    {
      when: "is as new as the last answer about its part",
      writes: [policyGoes, policyGoes, policyGoes, policyGoes],
      came: ["done", "done", "done", "done"],
    },
    {
      when: "of rules is not renewed by answers about policies",
      writes: [policyGoes, policyGoes, policyGoes, listOfRules],
      came: ["done", "done", "done", "read_expired"],
    },
    {
      when: "of rules is old while its write waits, however new that of policies",
      writes: [policyGoes, policyGoes, listOfRules],
      came: ["done", "done", "read_expired"],
    },
    {
      when: "of rules is renewed by an answer about rules",
      writes: [listOfRules, ruleGoes, policyGoes, ruleGoes],
      came: ["done", "done", "read_expired", "read_expired"],
    },
  ])("$when", async ({ writes, came }, { expect }) => {
    expect(await carriedOutIn(writes, 25 * second, 60 * second)).toEqual(came);
  });

  it.for([
    {
      when: "throttled was not carried out",
      code: "API_RATE_LIMITED" as const,
      came: "read_expired",
    },
    { when: "broken off may have been", code: "API_SERVER" as const, came: "failed" },
  ])("what is called off after it was $when", async ({ code, came }, { expect }) => {
    const failure = () => new ServiceFault(code, true);
    expect(await carriedOutIn([policyGoes], 90 * second, 60 * second, failure)).toEqual([came]);
  });
});
