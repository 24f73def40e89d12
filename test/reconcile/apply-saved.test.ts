import { describe, it } from "vitest";

import { exitCodeOfApply } from "../../src/cli/output/exit-codes.ts";
import { rethrow } from "../../src/cli/session/session.ts";
import type { Hold } from "../../src/plan/guard/hold.ts";
import { plan } from "../../src/plan/plan.ts";
import { applyPlan } from "../../src/reconcile/run/apply.ts";
import { planSaved } from "../../src/reconcile/run/plan-zone.ts";
import { maxReadAgeMs, WriteGate } from "../../src/reconcile/run/write-gate.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import { SimulatedClock } from "../support/clock.ts";
import { bare, owner, readAllAt, shopZone } from "../support/model.ts";
import { afterWrite } from "../support/service-model.ts";
import { protectedContent } from "../support/world.ts";

const [second, minute] = [1_000, 60_000] as const;
const frozen: Hold = { reason: "freeze", message: "the sale" };

/** Applies a saved plan whose writes wait before they are sent; a freeze begins after some time. */
class Turn {
  readonly clock = new SimulatedClock();
  readonly sent: string[] = [];

  async take(waitMs: number, freezeAfterMs: number): Promise<ZoneReport> {
    const { clock, sent } = this;
    const freezeAt = Number(clock.now()) + freezeAfterMs;
    const live = bare(shopZone);
    const desired = { zone: shopZone, content: protectedContent };
    const impact = { maliciousBelow: 10, freshMs: 60 * minute };
    const saved = plan(desired, live, owner);
    const writer = {
      write: async (known: LiveZone, write: Write, _signal: AbortSignal, stop: AbortSignal) => {
        await clock.sleep(waitMs, stop);
        const readAt = clock.monotonicMs();
        sent.push(write.call);
        const after = afterWrite(known, write);
        return { live: after, readAt, shows: "object" as const, ray: "ray", interleaved: false };
      },
    };
    const never = new AbortController().signal;
    const ports = {
      reader: {
        readAnswers: () => Promise.resolve({ readAt: readAllAt(0), digest: "", live: () => live }),
        readScripts: () => Promise.resolve([]),
      },
      writer,
      clock,
      runId: () => "run",
      bug: rethrow,
    };
    const holdsAt = (_plan: unknown, now: Date): readonly Hold[] =>
      Number(now) < freezeAt ? [] : [frozen];
    const trigger = { trigger: "manual", priority: "changed", revision: "r1" } as const;
    const planned = await planSaved(
      { ...trigger, saved, desired, owner, impact, holdsAt },
      ports,
      never,
    );
    using gate = new WriteGate(clock, maxReadAgeMs(0));
    return await clock.run(applyPlan(planned, gate, ports, { stop: never, abort: never }));
  }
}

const skipped = (reason: string): object => ({ status: "skipped", reason });
const done = { status: "done" };
const calls = ["create-policy", "update-settings"];

describe("a write of a saved plan that waits", () => {
  it.for([
    { when: "for a while", waitMs: 20 * second, freezeMs: 60 * minute, outcomes: [done, done] },
    {
      when: "until its read expires",
      waitMs: 10 * minute,
      freezeMs: 60 * minute,
      outcomes: [skipped("read_expired"), skipped("read_expired")],
    },
    {
      when: "until a freeze begins",
      waitMs: 10 * minute,
      freezeMs: 30 * second,
      outcomes: [skipped("cancelled"), skipped("cancelled")],
    },
    {
      when: "until a freeze begins between two writes",
      waitMs: 20 * second,
      freezeMs: 30 * second,
      outcomes: [done, skipped("cancelled")],
    },
  ])("$when", async ({ waitMs, freezeMs, outcomes }, { expect }) => {
    const turn = new Turn();
    const report = await turn.take(waitMs, freezeMs);
    expect(report).toMatchObject({ result: "applied", outcomes });
    const count = outcomes.filter((each) => each === done).length;
    expect(turn.sent.toSorted()).toEqual(calls.slice(0, count));
    expect(exitCodeOfApply([report])).toBe(count === 2 ? 0 : 6);
  });
});
