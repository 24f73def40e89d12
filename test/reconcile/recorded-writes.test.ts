import { describe, it } from "vitest";

import { applyPlan } from "../../src/reconcile/run/apply.ts";
import { maxReadAgeMs, WriteGate } from "../../src/reconcile/run/write-gate.ts";
import type { Write } from "../../src/zone/write.ts";
import { Bugs } from "../support/bugs.ts";
import { SimulatedClock } from "../support/clock.ts";
import { liveZone, readAllAt } from "../support/model.ts";
import { report } from "../support/reports.ts";

const writes: readonly Write[] = [
  { call: "update-settings", body: {}, changes: ["setting/enabled"] },
  { call: "create-policy", body: {}, changes: ["policy/a"] },
  { call: "create-policy", body: {}, changes: ["policy/b"] },
];

describe("a run whose writes are recorded", () => {
  it("has each write on record as unknown before it is sent, and those before it as done", async ({
    expect,
  }) => {
    const seen: string[] = [];
    const clock = new SimulatedClock();
    const bugs = new Bugs();
    using gate = new WriteGate(clock, maxReadAgeMs(0));
    const planned = report("shop.example", 0, { result: "planned", cause: "drift", changes: [] });
    if (planned.result !== "planned") throw new Error("not planned");
    const signal = new AbortController().signal;
    const applying = applyPlan(
      {
        report: { ...planned, plan: { ...planned.plan, writes } },
        live: liveZone(),
        digest: "",
        readAt: readAllAt(0),
        conflicts: [],
        holdsAt: () => [],
        remainingIn: () => [],
      },
      gate,
      {
        reader: {
          readAnswers: () => Promise.reject(new Error("not read again")),
          readScripts: () => Promise.resolve([]),
        },
        writer: {
          write: (live, { changes }) => {
            seen.push(`sent ${changes.join()}`);
            const readAt = clock.monotonicMs();
            return Promise.resolve({ live, readAt, shows: "part", ray: "", interleaved: false });
          },
        },
        clock,
        bug: (error) => bugs.tell(error),
        recordBeforeWrite: async ({ outcomes }) => {
          await clock.sleep(5, signal);
          const texts = outcomes.map((each) =>
            each.status === "skipped" ? each.reason : each.status,
          );
          seen.push(texts.join(" "));
        },
      },
      { stop: signal, abort: signal },
    );
    await clock.run(applying);
    bugs.expectNone();
    expect(seen).toEqual([
      "unknown shutdown shutdown",
      "sent setting/enabled",
      "done unknown shutdown",
      "sent policy/a",
      "done done unknown",
      "sent policy/b",
    ]);
  });
});
