import { getEventListeners } from "node:events";

import { describe, it } from "vitest";

import { EventQueue, Sweep } from "../../src/reconcile/queue/events.ts";
import { shopZone, zoneNamed } from "../support/model.ts";

const files = { type: "files_changed" } as const;
const listing = { type: "listing_arrived" } as const;
const scheduled = { type: "sweep_due", trigger: "schedule" } as const;
const judged = { type: "round_judged" } as const;
const signalled = { type: "sweep_due", trigger: "signal" } as const;
const requested = { type: "sweep_due", trigger: "manual" } as const;

describe("events that wait", () => {
  it.for([
    { what: "of one type are one event", added: [files, files, files], given: [files] },
    { what: "of a file change are part of a sweep", added: [files, scheduled], given: [scheduled] },
    {
      what: "of several sweeps are one, with the trigger that somebody requested",
      added: [scheduled, requested, scheduled],
      given: [requested],
    },
    {
      what: "of a listing come last, for the files that they are applied to",
      added: [listing, files],
      given: [files, listing],
    },
    {
      what: "of two requested sweeps are one, with the first trigger",
      added: [signalled, requested],
      given: [signalled],
    },
    {
      what: "of a judged round come after all others",
      added: [judged, listing, files],
      given: [files, listing, judged],
    },
    { what: "of a judged round are one", added: [judged, judged], given: [judged] },
  ])("$what", async ({ added, given }, { expect, signal }) => {
    const events = new EventQueue();
    for (const event of added) events.add(event);
    for (const event of given) expect(await events.next(signal)).toEqual(event);
    expect(events.takeListing()).toBe(false);
    const next = events.next(signal);
    events.add(files);
    expect(await next).toEqual(files);
  });

  it("end with the signal", async ({ expect }) => {
    const stopping = new AbortController();
    const next = new EventQueue().next(stopping.signal);
    stopping.abort(new Error("stopped"));
    await expect(next).rejects.toThrow("stopped");
  });

  it("leave no listener behind", async ({ expect, signal }) => {
    const events = new EventQueue();
    const before = getEventListeners(signal, "abort").length;
    for (let turn = 0; turn < 3; turn += 1) {
      const next = events.next(signal);
      events.add(files);
      expect(await next).toEqual(files);
    }
    expect(getEventListeners(signal, "abort")).toHaveLength(before);
  });

  it("leave a listing to the step that loads the files", async ({ expect, signal }) => {
    const events = new EventQueue();
    events.add(scheduled);
    await events.next(signal);
    events.add(listing);
    expect([events.takeListing(), events.takeListing()]).toEqual([true, false]);
  });
});

describe("a sweep", () => {
  it("that is due keeps the trigger that somebody requested, and waits for its listing", ({
    expect,
  }) => {
    const sweep = new Sweep(() => undefined);
    expect(sweep.markDue("manual", false)).toBe(true);
    expect(sweep.markDue("schedule", false)).toBe(true);
    expect(sweep.due).toBe("manual");
    expect(sweep.markDue("schedule", true)).toBe(false);
    sweep.begin([]);
    expect(sweep.due).toBeUndefined();
  });

  it("that is due on a schedule takes the trigger that somebody requests", ({ expect }) => {
    const sweep = new Sweep(() => undefined);
    sweep.markDue("schedule", false);
    sweep.markDue("signal", true);
    expect(sweep.due).toBe("signal");
  });

  it("begins while the zones are listed for another reason", ({ expect }) => {
    expect(new Sweep(() => undefined).markDue("schedule", true)).toBe(true);
  });

  it("that begins while another is in progress includes what that one has left", ({ expect }) => {
    let overdue = 0;
    const sweep = new Sweep(() => (overdue += 1));
    const [first, second] = [shopZone.name, zoneNamed("blog.example").name];
    sweep.markDue("startup", false);
    sweep.begin([first]);
    sweep.markDue("schedule", false);
    sweep.markDue("manual", false);
    sweep.begin([second]);
    sweep.complete(second);
    expect(overdue).toBe(0);
    sweep.complete(first);
    expect(overdue).toBe(1);
  });

  it("is followed by one overdue sweep when its last zone is complete", ({ expect }) => {
    let overdue = 0;
    const sweep = new Sweep(() => (overdue += 1));
    sweep.markDue("schedule", false);
    sweep.begin([shopZone.name]);
    expect([sweep.markDue("schedule", false), sweep.markDue("schedule", false)]).toEqual([
      false,
      false,
    ]);
    expect(overdue).toBe(0);
    sweep.complete(shopZone.name);
    sweep.complete(shopZone.name);
    expect(overdue).toBe(1);
  });
});
