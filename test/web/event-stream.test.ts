import { describe, it } from "vitest";

import { EventStream } from "../../src/web/event-stream.ts";
import { SimulatedClock } from "../support/clock.ts";
import { a, b, drifted, fleetOf, shop, stepOf } from "../support/fleets.ts";
import { report, type Came } from "../support/reports.ts";

/** What an open page gets. */
function listening(live: EventStream): string[] {
  const heard: string[] = [];
  live.listen((text) => heard.push(text));
  return heard;
}

const changed = "event: changed\ndata:\n\n";

/** Lets runs of the shop happen one after the other. */
function tell(live: EventStream, ...runs: readonly Came[]): void {
  const fleet = fleetOf();
  for (const [minute, came] of runs.entries()) {
    live.zone(stepOf(fleet, report(shop, minute, came)));
  }
}

describe("an open page", () => {
  it("hears of the first change at once, and of many within a second once more", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    const heard = listening(live);
    tell(live, drifted, { result: "in_sync" }, drifted, { result: "in_sync" });
    expect(heard).toEqual([changed]);
    await clock.advance(1_000);
    expect(heard).toEqual([changed, changed]);
    await clock.advance(10_000);
    expect(heard).toHaveLength(2);
  });

  it.for<{ readonly what: string; readonly runs: readonly [Came, Came] }>([
    {
      what: "changes were applied, though all is as before",
      runs: [{ result: "in_sync" }, { result: "applied", cause: "drift", changes: [a] }],
    },
    { what: "the status is another one", runs: [{ result: "in_sync" }, { result: "error" }] },
    {
      what: "other resources differ",
      runs: [drifted, { result: "planned", cause: "drift", changes: [a, b] }],
    },
  ])("gets an event where $what", async ({ runs }, { expect }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    const heard = listening(live);
    tell(live, ...runs);
    await clock.advance(1_000);
    expect(heard).toEqual([changed, changed]);
  });

  it.for([
    { what: "the files were read", step: "load" },
    { what: "zones are no longer declared", step: "gone" },
  ] as const)("gets an event where $what", ({ step }, { expect }) => {
    const live = new EventStream(new SimulatedClock());
    const heard = listening(live);
    live[step]();
    expect(heard).toEqual([changed]);
  });

  it("gets no event for runs without changes", async ({ expect }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    const heard = listening(live);
    tell(live, drifted, ...Array.from({ length: 5 }, () => drifted));
    await clock.advance(5_000);
    expect(heard).toEqual([changed]);
  });

  it("leaves no timer behind after its end", ({ expect }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    listening(live);
    tell(live, drifted);
    expect(clock.sleeping).toBe(2);
    live[Symbol.dispose]();
    expect(clock.sleeping).toBe(0);
    expect(() => new EventStream(clock)[Symbol.dispose]()).not.toThrow();
  });

  it("hears a beat where nothing happens, so that no proxy cuts the line", async ({ expect }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    live.listen(() => undefined)?.[Symbol.dispose]();
    const heard = listening(live);
    live.listen(() => undefined)?.[Symbol.dispose]();
    await clock.advance(60_000);
    expect(heard).toEqual([":\n\n", ":\n\n", ":\n\n"]);
  });

  it("is not taken in where there are too many, and makes room when it is closed", async ({
    expect,
  }) => {
    const clock = new SimulatedClock();
    const live = new EventStream(clock);
    const open = Array.from({ length: 200 }, () => live.listen(() => undefined));
    expect(live.listen(() => undefined)).toBeUndefined();
    for (const each of open) each?.[Symbol.dispose]();
    expect(clock.sleeping).toBe(0);
    expect(live.listen(() => undefined)).toBeDefined();
    await clock.advance(1);
  });
});
