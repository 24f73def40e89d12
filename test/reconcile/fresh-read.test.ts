import { once } from "node:events";

import { describe, it } from "vitest";

import { type Change, neutral } from "../../src/plan/change.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Write } from "../../src/zone/write.ts";
import { outcomesBy, outcomesOf } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { livePolicy, liveZone, readAllAt } from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";

const second = 1_000;

const deletePolicy = { call: "delete-policy", id: "p1", changes: ["policy/a"] } as const;
const putRules = {
  call: "put-entrypoint",
  phase: "managed_rules",
  rules: [],
  changes: ["managed_rule/a"],
} as const;

const duplicate: Change = {
  verb: "delete",
  kind: "policy",
  key: "policy/p1",
  title: "",
  id: "p1",
  reason: "duplicate",
  fields: [],
  causes: [],
  effect: neutral,
};
const update: Change = {
  verb: "update",
  kind: "policy",
  key: "policy/a",
  title: "",
  id: "p1",
  adopted: false,
  fields: [],
  causes: [],
  effect: neutral,
};
const [twin, other] = [livePolicy("twin"), livePolicy("p1")];
const live = liveZone({
  policies: [twin, other],
  entrypoints: { managed_rules: { state: "present", id: "ep", version: "1", rules: [] } },
});
const strangers = { state: "present", id: "ep", version: "2", rules: [] } as const;

/** A clock whose timers ring half a millisecond early, as real ones may. */
class EarlyClock extends SimulatedClock {
  override alarm(ms: number, ring: () => void): () => void {
    return super.alarm(Math.max(1, ms - 0.5), ring);
  }
}

describe("a list that is read after a write", () => {
  const created = { ...livePolicy("new"), description: "New" };
  const create = { call: "create-policy", body: { description: "New" }, changes: [] } as const;
  const change = { call: "update-policy", id: "twin", body: {}, changes: [] } as const;
  const remove = { call: "delete-policy", id: "gone", changes: [] } as const;
  const gone = livePolicy("gone");
  const edited = { ...twin, value: "script-src x.example" };
  const before = liveZone({ policies: [twin, other, gone] });

  it.for<{ when: string; write: Write; list: readonly LivePolicy[]; came: string }>([
    { when: "what was created", write: create, list: [gone, other, twin, created], came: "done" },
    {
      when: "a twin that is gone",
      write: create,
      list: [other, gone, created],
      came: "read_expired",
    },
    {
      when: "a twin that was edited",
      write: create,
      list: [edited, other, gone, created],
      came: "read_expired",
    },
    {
      when: "a second one of that kind",
      write: create,
      list: [twin, other, gone, created, { ...created, id: "new-2" }],
      came: "read_expired",
    },
    { when: "what was changed", write: change, list: [edited, other, gone], came: "done" },
    { when: "that another is gone", write: change, list: [edited, other], came: "read_expired" },
    { when: "what was deleted", write: remove, list: [twin, other], came: "done" },
    { when: "that the twin is gone too", write: remove, list: [other], came: "read_expired" },
  ])("is what the plan was made for where it shows $when: $came", async (each, { expect }) => {
    const { write, list, came } = each;
    const listAfter = (sent: Write) => (sent === write ? list : undefined);
    const choice = { live: before, changes: [duplicate], listAfter };
    expect(await outcomesOf([write, deletePolicy], 0, choice)).toEqual(["done", came]);
  });
});

/** A clock whose timers ring two seconds late, as those of a busy process may. */
class LateClock extends SimulatedClock {
  override alarm(ms: number, ring: () => void): () => void {
    return super.alarm(ms + 2 * second, ring);
  }
}

describe("before each attempt of a write", () => {
  const updateTwin = { call: "update-policy", id: "twin", body: {}, changes: [] } as const;

  it.for([
    { ms: 59_500, came: "done" },
    // The read expires at 62.5 s; by itself the gate asks at 60 s and at 65 s.
    { ms: 60_500, came: "read_expired" },
  ])("the age of its read is asked for, after $ms ms: $came", async ({ ms, came }, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(2_500);
    let attempts = 0;
    const send = async (_write: Write, stop: AbortSignal, ask: () => void): Promise<void> => {
      await clock.sleep(ms, stop);
      ask();
      stop.throwIfAborted();
      attempts += 1;
    };
    const choice = { clock, live, readAt: readAllAt(2_500) };
    expect(await outcomesBy([updateTwin], send, choice)).toEqual([came]);
    expect(attempts).toBe(came === "done" ? 1 : 0);
  });

  it("a write that undoes what others did asks whether its read is five seconds old", async ({
    expect,
  }) => {
    const clock = new LateClock();
    const reads: string[] = [];
    let attempts = 0;
    const send = async (_write: Write, stop: AbortSignal, ask: () => void): Promise<void> => {
      await clock.sleep(attempts === 0 ? 5_500 : 0, stop);
      attempts += 1;
      ask();
      stop.throwIfAborted();
    };
    expect(await outcomesBy([putRules], send, { clock, live, reads })).toEqual(["done"]);
    expect([attempts, reads]).toEqual([2, ["managed_rules"]]);
  });
});

describe("a write that undoes what others did after the read", () => {
  const cases = [
    {
      write: putRules,
      part: "managed_rules",
      readAgain: { entrypoints: { managed_rules: strangers } },
    },
    { write: deletePolicy, part: "policies", readAgain: { policies: [other] } },
  ] as const;

  it.for(cases)("$write.call reads nothing more after a few seconds", async (each, { expect }) => {
    const reads: string[] = [];
    const choice = { live, changes: [duplicate], reads, readAgain: each.readAgain };
    expect(await outcomesOf([each.write], 4 * second, choice)).toEqual(["done"]);
    expect(reads).toEqual([]);
  });

  it.for(cases)("$write.call reads its part again after ten seconds", async (each, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(10 * second);
    const [reads, priorities]: [string[], string[]] = [[], []];
    const choice = { clock, live, changes: [duplicate], reads, priorities };
    expect(await outcomesOf([each.write], 0, choice)).toEqual(["done"]);
    expect([reads, priorities]).toEqual([[each.part], ["write"]]);
  });

  it.for(cases)("$write.call is not sent where that shows a change", async (each, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(10 * second);
    const choice = { clock, live, changes: [duplicate], readAgain: each.readAgain };
    expect(await outcomesOf([each.write], 0, choice)).toEqual(["read_expired"]);
  });

  it("is cancelled when its read is five seconds old, not after a wait of five", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    await clock.advance(3 * second);
    const reads: string[] = [];
    const choice = { clock, live, reads };
    expect(await outcomesOf([putRules], 3 * second, choice)).toEqual(["done"]);
    expect(reads).toEqual(["managed_rules"]);
  });

  it.for([
    { code: "API_REFUSED", came: "failed" },
    { code: "API_SERVER", came: "failed" },
    { code: "API_RATE_LIMITED", came: "failed" },
    { code: "API_UNKNOWN_OUTCOME", came: "unknown" },
  ] as const)("is sent once where it fails at once: $code", async ({ code, came }, { expect }) => {
    let sent = 0;
    const fails = (): Promise<never> => {
      sent += 1;
      return Promise.reject(new ServiceFault(code, true));
    };
    expect(await outcomesBy([putRules], fails, { live })).toEqual([came]);
    expect(sent).toBe(1);
  });

  it.for([
    { code: "API_SERVER", came: "failed", times: 1 },
    { code: "API_UNKNOWN_OUTCOME", came: "unknown", times: 1 },
    // A 429 was not carried out: it is sent again after another read.
    { code: "API_RATE_LIMITED", came: "done", times: 2 },
  ] as const)(
    "is sent $times times where it fails after its read became old: $code",
    async ({ code, came, times }, { expect }) => {
      let sent = 0;
      const fails = async (_write: Write, stop: AbortSignal): Promise<void> => {
        sent += 1;
        if (sent > 1) return;
        await once(stop, "abort");
        throw new ServiceFault(code, true);
      };
      expect(await outcomesBy([putRules], fails, { live })).toEqual([came]);
      expect(sent).toBe(times);
    },
  );

  it("is sent where another read has the same policies in another order", async ({ expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(10 * second);
    const readAgain = { policies: [other, twin] };
    const choice = { clock, live, changes: [duplicate], readAgain };
    expect(await outcomesOf([deletePolicy], 0, choice)).toEqual(["done"]);
    expect(clock.sleeping).toBe(0);
  });

  it.for(cases)("$write.call is cancelled where it waits for longer", async (each, { expect }) => {
    const choice = { live, changes: [duplicate], readAgain: each.readAgain };
    expect(await outcomesOf([each.write], 30 * second, choice)).toEqual(["read_expired"]);
  });

  it.for(cases)(
    "$write.call is sent in the end where it always waits",
    async (each, { expect }) => {
      const reads: string[] = [];
      const choice = { live, changes: [duplicate], reads };
      expect(await outcomesOf([each.write], 30 * second, choice)).toEqual(["done"]);
      expect(reads).toEqual([each.part, each.part, each.part]);
    },
  );

  it.for(cases)("$write.call is no younger where a timer rings early", async (each, { expect }) => {
    const reads: string[] = [];
    const choice = { clock: new EarlyClock(), live, changes: [duplicate], reads };
    expect(await outcomesOf([each.write], 30 * second, choice)).toEqual(["done"]);
    expect(reads).toEqual([each.part, each.part, each.part]);
  });

  it.for([
    { readMs: 4 * second, times: 1 },
    { readMs: 5 * second, times: 2 },
    { readMs: 9 * second, times: 2 },
  ])("is read $times times where a read takes $readMs ms", async (each, { expect }) => {
    const clock = new SimulatedClock();
    await clock.advance(10 * second);
    const reads: string[] = [];
    const choice = { clock, live, reads, readMs: each.readMs };
    expect(await outcomesBy([putRules], () => Promise.resolve(), choice)).toEqual(["done"]);
    expect(reads).toHaveLength(each.times);
  });

  it.for<{ what: string; changes: readonly Change[] }>([
    { what: "without a twin", changes: [] },
    { what: "that is no longer declared", changes: [{ ...duplicate, reason: "undeclared" }] },
    { what: "while another duplicate is deleted", changes: [{ ...duplicate, id: "p2" }] },
    { what: "while another policy is changed", changes: [{ ...update, id: "p1" }] },
  ])("is no delete of a policy $what", async ({ changes }, { expect }) => {
    const reads: string[] = [];
    const choice = { live, reads, changes };
    expect(await outcomesOf([deletePolicy], 30 * second, choice)).toEqual(["done"]);
    expect(reads).toEqual([]);
  });
});
