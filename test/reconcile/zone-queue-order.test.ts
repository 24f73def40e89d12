import { describe, it } from "vitest";

import type { ZoneName } from "../../src/zone/zone.ts";
import { SimulatedClock } from "../support/clock.ts";
import { queueOn } from "../support/queue-on.ts";
import { named } from "../support/reports.ts";

const [a, b] = [named("a.example"), named("b.example")];

function nine(text: string): readonly ZoneName[] {
  return Array.from({ length: 9 }, (_, index) => named(`${text}${index}.example`));
}

describe("the next zone of a queue", () => {
  it("gives a zone of a sweep at every fifth take, however many changes there are", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "sweep", "schedule", 0);
    await clock.advance(3_600_000);
    const given: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      queue.add(b, "changed", "file", 0);
      given.push(await next(signal));
      queue.done(b);
    }
    const change = "b.example changed file";
    expect(given).toEqual([change, change, change, change, "a.example sweep schedule"]);
  });

  it("alternates between changed and due zones, with one of a sweep at every fifth take", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (const zone of nine("due")) queue.add(zone, "due", "due", 0);
    for (const zone of nine("sweep")) queue.add(zone, "sweep", "schedule", 1_000);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 2_000);
    await clock.advance(2_000);
    const given: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      given.push((await next(signal)).split(" ")[1] ?? "");
    }
    const round = ["due", "changed", "due", "changed", "sweep"];
    expect(given).toEqual(round.concat(round));
  });

  it("gives a zone at the earlier of two moments, with the trigger of the more urgent", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    queue.add(a, "retry", "retry", 60_000);
    expect(queue.add(a, "sweep", "manual", 10_000)).toBe("queued");
    const given = next(signal);
    await clock.advance(10_000);
    expect(await given).toBe("a.example retry retry");
  });

  it("gives the zone that has been due longest at every fifth take, of any lower priority", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 0);
    queue.add(a, "retry", "retry", 2_000);
    queue.add(b, "sweep", "schedule", 1_000);
    await clock.advance(2_000);
    const given: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) given.push(await next(signal));
    expect([given[4], given[9]]).toEqual(["b.example sweep schedule", "a.example retry retry"]);
  });

  it.for(["due", "sweep"] as const)(
    "is one of the only priority that waits, in order: %s",
    async (priority, { expect, signal }) => {
      const { queue, next } = queueOn(new SimulatedClock());
      const zones = nine("only");
      for (const zone of zones) queue.add(zone, priority, "schedule", 0);
      for (const zone of zones) expect(await next(signal)).toBe(`${zone} ${priority} schedule`);
    },
  );

  it("is one whose hold has ended, before those of a sweep", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    for (const zone of nine("due")) queue.add(zone, "due", "due", 0);
    for (const zone of nine("sweep")) queue.add(zone, "sweep", "schedule", 0);
    const given: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) given.push((await next(signal)).split(" ")[1] ?? "");
    expect(given).toEqual(["due", "due", "due", "due", "sweep"]);
  });

  it("keeps its earlier moment and its trigger where a hold ends later", async ({
    expect,
    signal,
  }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "changed", "file", 0);
    queue.add(a, "due", "due", 60_000);
    expect(await next(signal)).toBe("a.example changed file");
  });

  it("keeps its trigger where a sweep comes at the moment at which a hold ends", async ({
    expect,
    signal,
  }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "due", "due", 0);
    queue.add(a, "sweep", "schedule", 0);
    expect(await next(signal)).toBe("a.example due due");
  });

  it("is part of a sweep where it waits because of its file", ({ expect }) => {
    const { queue } = queueOn(new SimulatedClock());
    queue.add(a, "changed", "file", 0);
    expect(queue.add(a, "sweep", "schedule", 0)).toBe("queued");
    expect(queue.size).toBe(1);
  });

  it("is not put back by a request that changes nothing", async ({ expect, signal }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    queue.add(a, "sweep", "schedule", 0);
    queue.add(b, "sweep", "schedule", 0);
    queue.add(a, "sweep", "schedule", 0);
    expect([await next(signal), await next(signal)]).toEqual([
      "a.example sweep schedule",
      "b.example sweep schedule",
    ]);
  });

  it("is part of the next sweep where it waits for its turn in the one before", async ({
    expect,
    signal,
  }) => {
    const { queue, next } = queueOn(new SimulatedClock());
    expect(queue.add(a, "sweep", "schedule", 60_000)).toBe("queued");
    expect(queue.add(a, "sweep", "schedule", 0)).toBe("queued");
    expect(await next(signal)).toBe("a.example sweep schedule");
    expect(queue.size).toBe(0);
  });

  it("is one of a sweep at every fifth take, however often the queue was empty", async ({
    expect,
    signal,
  }) => {
    const clock = new SimulatedClock();
    const { queue, next } = queueOn(clock);
    for (let turn = 0; turn < 3; turn += 1) {
      const given = next(signal);
      await clock.advance(0);
      queue.add(b, "changed", "file", 0);
      await given;
      queue.done(b);
    }
    queue.add(a, "sweep", "schedule", 0);
    for (const zone of nine("changed")) queue.add(zone, "changed", "file", 0);
    expect([await next(signal), await next(signal)]).toEqual([
      "changed0.example changed file",
      "a.example sweep schedule",
    ]);
  });
});
