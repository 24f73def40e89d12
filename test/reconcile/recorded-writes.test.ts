import { describe, it } from "vitest";

import { GateClosed } from "../../src/reconcile/run/write-gate.ts";
import type { Write } from "../../src/zone/write.ts";
import { appliedBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";

const writes: readonly Write[] = [
  { call: "update-settings", body: {}, changes: ["setting/enabled"] },
  { call: "create-policy", body: {}, changes: ["policy/a"] },
  { call: "create-policy", body: {}, changes: ["policy/b"] },
];

interface Choice {
  readonly stopsAfter?: string;
  readonly recordMs?: number;
  readonly stopsWhileRecording?: boolean;
  readonly plan?: readonly Write[];
}

/** What was recorded and sent, in order; the program stops after the write of a change. */
async function recordsOf({
  stopsAfter = "",
  recordMs = 5,
  stopsWhileRecording = false,
  plan = writes,
}: Choice = {}): Promise<readonly string[]> {
  const seen: string[] = [];
  const clock = new SimulatedClock();
  const [stop, { signal }] = [new AbortController(), new AbortController()];
  const applying = appliedBy(plan, {
    clock,
    reader: {
      readAnswers: () => Promise.reject(new Error("not read again")),
      readScripts: () => Promise.resolve([]),
    },
    writer: {
      write: (live, { changes }) => {
        seen.push(`sent ${changes.join()}`);
        if (changes.join() === stopsAfter) stop.abort();
        const readAt = clock.monotonicMs();
        return Promise.resolve({ live, readAt, shows: "part", ray: "", interleaved: false });
      },
    },
    recordBeforeWrite: async ({ outcomes }) => {
      await clock.sleep(recordMs, signal);
      if (stopsWhileRecording) stop.abort();
      const texts = outcomes.map((each) => (each.status === "skipped" ? each.reason : each.status));
      seen.push(texts.join(" "));
    },
    signals: { stop: stop.signal, abort: signal },
  });
  await clock.run(applying);
  return seen;
}

describe("a run whose writes are recorded", () => {
  it("has each write on record as unknown before it is sent, and those before it as done", async ({
    expect,
  }) => {
    expect(await recordsOf()).toEqual([
      "unknown shutdown shutdown",
      "sent setting/enabled",
      "done unknown shutdown",
      "sent policy/a",
      "done done unknown",
      "sent policy/b",
    ]);
  });

  it("has no write on record that is not sent, since the program stops", async ({ expect }) => {
    expect(await recordsOf({ stopsAfter: "policy/a" })).toEqual([
      "unknown shutdown shutdown",
      "sent setting/enabled",
      "done unknown shutdown",
      "sent policy/a",
    ]);
  });

  it("sends nothing where the read has expired when the record is written", async ({ expect }) => {
    expect(await recordsOf({ recordMs: 60_000 })).toEqual(["unknown shutdown shutdown"]);
  });

  it.for<Write>([
    { call: "update-settings", body: {}, changes: ["setting/enabled"] },
    { call: "put-entrypoint", phase: "managed_rules", rules: [], changes: ["managed_rule/a"] },
  ])("sends nothing where the program stops meanwhile: $call", async (write, { expect }) => {
    const records = await recordsOf({ plan: [write], stopsWhileRecording: true });
    expect(records).toEqual(["unknown"]);
  });

  it("reports what it wrote before another process took the store over", async ({ expect }) => {
    const clock = new SimulatedClock();
    const [stop, { signal }] = [new AbortController(), new AbortController()];
    const report = await appliedBy(writes, {
      clock,
      reader: {
        readAnswers: () => Promise.reject(new Error("not read again")),
        readScripts: () => Promise.resolve([]),
      },
      writer: {
        write: (live) =>
          Promise.resolve({ live, readAt: 0, shows: "part", ray: "", interleaved: false }),
      },
      recordBeforeWrite: ({ outcomes }) => {
        if (outcomes[0]?.status !== "done") return Promise.resolve();
        stop.abort(new GateClosed("lease_lost"));
        return Promise.reject(new Error("the store was taken over"));
      },
      signals: { stop: stop.signal, abort: signal },
    });
    const outcomes = report.result === "applied" ? report.outcomes : [];
    expect(outcomes.map((each) => (each.status === "skipped" ? each.reason : each.status))).toEqual(
      ["done", "lease_lost", "lease_lost"],
    );
  });
});
