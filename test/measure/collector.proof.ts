import * as fc from "fast-check";
import { describe, it } from "vitest";

import { dayOf } from "../../src/measure/hours.ts";
import type { HourCount } from "../../src/measure/measurement.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import { Collecting, countedKeys, startHour } from "../support/collecting.ts";
import { countingZone, type QueryFault } from "../support/counting-service.ts";
import { cases } from "../support/properties.ts";

const pro = countingZone("shop.example", 1, {
  httpRequestsAdaptiveGroups: 7 * 24,
  firewallEventsAdaptiveGroups: 24,
  firewallEventsAdaptive: 24,
  pageShieldReportsAdaptiveGroups: 8 * 24,
});
// Less than the plan has, of which each start reads all.
const enterprise = countingZone("bank.example", 2, {
  httpRequestsAdaptiveGroups: 10 * 24,
  firewallEventsAdaptiveGroups: 8 * 24,
  firewallEventsAdaptive: 8 * 24,
  pageShieldReportsAdaptiveGroups: 8 * 24,
});
const free = countingZone("blog.example", 3, {
  httpRequestsAdaptiveGroups: 7 * 24,
  firewallEventsAdaptive: 24,
});
const zones = [pro, enterprise, free];

/** The true count as a record tells it. */
function measured(
  at: Collecting,
  zone: typeof pro,
  what: string,
  hour: number,
): Partial<HourCount> {
  return { state: "measured", count: at.truth(zone, what, hour) };
}

describe("the collector", () => {
  it("sends nothing where nothing asks for it", async ({ expect }) => {
    await using at = new Collecting(zones);
    const collector = at.start(false);
    await at.hours(50);
    expect(at.service.queries).toEqual([]);
    expect(at.store.records.size).toBe(0);
    expect(collector.status.state).toBe("off");
    collector.reconfigure({ maxAgeMs: 840 * hourMs });
    await at.hours(2);
    expect(at.store.records.size).toBe(0);
    collector.note(pro.zone.name, new Map([["a".repeat(32), "custom_rule/a"]]));
    await at.hours(2);
    expect(collector.status.state).toBe("collecting");
    expect(at.store.records.size).toBeGreaterThan(0);
  });

  it("keeps each hour as the service counted it, of every plan", async ({ expect }) => {
    await using at = new Collecting(zones);
    at.start();
    await at.hours(26);
    const before = at.service.queries.length;
    await at.hours(24);
    // One for each source in each hour, and that for the settings once.
    expect(at.service.queries.length - before).toBe(24 * 4 + 1);
    for (const zone of zones) {
      for (const what of countedKeys) {
        const isUnavailable = zone === free && what.startsWith("policy/");
        for (let hour = startHour + 1; hour < startHour + 49; hour += 1) {
          const counted = isUnavailable
            ? { state: "refused", reason: "unavailable" }
            : measured(at, zone, what, hour);
          expect(await at.count(zone.zone.name, what, hour)).toMatchObject(counted);
        }
      }
    }
    expect(at.statuses).toEqual([{ state: "collecting", reason: "" }]);
    expect(at.bugs).toEqual([]);
  });

  it("reads what it missed as far as the service has it, and leaves a gap before", async ({
    expect,
  }) => {
    await using at = new Collecting(zones);
    at.start();
    await at.hours(5);
    await at.end();
    await at.hours(40);
    at.start();
    await at.hours(1);
    const read = (zone: typeof pro, hour: number): Promise<HourCount> =>
      at.count(zone.zone.name, "custom_rule/rule-0", startHour + hour);
    expect(await read(pro, 3)).toMatchObject(
      measured(at, pro, "custom_rule/rule-0", startHour + 3),
    );
    expect(await read(pro, 12)).toEqual({ state: "missing" });
    expect(await read(pro, 30)).toMatchObject(
      measured(at, pro, "custom_rule/rule-0", startHour + 30),
    );
    for (let hour = 1; hour < 44; hour += 1) {
      const counted = measured(at, enterprise, "custom_rule/rule-0", startHour + hour);
      expect(await read(enterprise, hour)).toMatchObject(counted);
    }
  });

  it("says once that it is denied, keeps that as refused, and asks again after a day", async ({
    expect,
  }) => {
    await using at = new Collecting(zones);
    at.service.isPermitted = false;
    const collector = at.start();
    await at.hours(20);
    expect(at.statuses.map(({ state }) => state)).toEqual(["denied"]);
    expect(collector.status.reason).toContain("not authorized");
    expect(at.service.queries.length).toBe(1);
    const hour = startHour + 10;
    const refused = { state: "refused", reason: "denied" };
    expect(await at.count(pro.zone.name, "requests", hour)).toEqual(refused);
    at.service.isPermitted = true;
    await at.hours(8);
    expect(await at.count(pro.zone.name, "requests", hour)).toMatchObject(
      measured(at, pro, "requests", hour),
    );
    expect(at.statuses.map(({ state }) => state)).toEqual(["denied", "collecting"]);
  });

  it("reads what it missed while it was denied", async ({ expect }) => {
    await using at = new Collecting([enterprise, pro]);
    at.start();
    await at.hours(3);
    at.service.isPermitted = false;
    await at.hours(22);
    at.service.isPermitted = true;
    await at.hours(5);
    expect(at.statuses.map(({ state }) => state)).toEqual(["collecting", "denied", "collecting"]);
    const hour = startHour + 10;
    expect(dayOf(hour)).not.toBe(dayOf(Math.floor(at.serviceNow / hourMs)));
    const counted = measured(at, pro, "requests", hour);
    expect(await at.count(pro.zone.name, "requests", hour)).toMatchObject(counted);
  });

  it("reads past days of a zone whose limits were not known at first", async ({ expect }) => {
    await using at = new Collecting([pro, enterprise]);
    // The answer lacks the first zone, and fails where that is asked for alone.
    at.service.faults = ["missing_zone", "void"];
    at.start();
    await at.hours(1);
    expect(at.statuses.map(({ state }) => state)).toEqual(["lagging", "collecting"]);
    const hour = startHour - 14;
    expect(dayOf(hour)).not.toBe(dayOf(startHour));
    const counted = measured(at, pro, "requests", hour);
    expect(await at.count(pro.zone.name, "requests", hour)).toMatchObject(counted);
  });

  it("counts what came late within two hours", async ({ expect }) => {
    await using at = new Collecting([pro]);
    at.service.lateMs = 90 * 60_000;
    at.start();
    await at.hours(12);
    for (let hour = startHour + 1; hour < startHour + 8; hour += 1) {
      const counted = measured(at, pro, "requests", hour);
      expect(await at.count(pro.zone.name, "requests", hour)).toMatchObject(counted);
    }
  });

  it("reads all zones of a large fleet", async ({ expect }) => {
    const sources = { httpRequestsAdaptiveGroups: 24 };
    const fleet = Array.from({ length: 1_004 }, (_, nth) =>
      countingZone(`shop-${nth}.example`, nth, sources),
    );
    await using at = new Collecting(fleet);
    at.start();
    await at.hours(0.1);
    for (const zone of fleet) {
      const found = await at.count(zone.zone.name, "requests", startHour - 20);
      expect(found).toMatchObject(measured(at, zone, "requests", startHour - 20));
    }
    // Ten zones each: of the settings, and of the requests of two days.
    expect(at.service.queries).toHaveLength(3 * 101);
  });

  it("reads more events than an answer may have in parts", async ({ expect }) => {
    await using at = new Collecting([free]);
    at.service.largestPage = 5;
    at.start();
    await at.hours(12);
    const counted: number[] = [];
    for (let hour = startHour - 20; hour < startHour + 10; hour += 1) {
      const found = await at.count(free.zone.name, "custom_rule/rule-0", hour);
      const count = at.truth(free, "custom_rule/rule-0", hour);
      if (count > 0) expect(found).toMatchObject({ state: "measured", count });
      counted.push(count);
    }
    expect(Math.max(...counted)).toBeGreaterThan(5);
  });

  it("judges the last hour after each round, whatever could be read of it", async ({ expect }) => {
    await using at = new Collecting(zones);
    const collector = at.start();
    expect(collector.judged).toBeUndefined();
    await at.hours(26);
    const last = startHour + 24;
    expect(collector.judged?.at).toEqual(new Date(last * hourMs));
    const requests = at.truth(pro, "requests", last);
    const rules =
      at.truth(pro, "custom_rule/rule-0", last) + at.truth(pro, "custom_rule/rule-1", last);
    expect(collector.judged?.zones.get(pro.zone.name)).toEqual({
      requests,
      counts: new Map([
        ["custom_rule", rules],
        ["policy", at.truth(pro, "policy/policy-0", last)],
      ]),
      states: new Map([[requests === 0 ? "no_traffic" : "little_traffic", 3]]),
      unusual: [],
    });
    expect(collector.judged?.datasets.violations).toEqual(
      new Map([
        ["measured", 2],
        ["unavailable", 1],
      ]),
    );

    at.service.faults = Array.from({ length: 500 }, () => "server");
    await at.hours(2);
    const { at: hour, datasets } = collector.judged ?? {};
    expect(hour).toEqual(new Date((last + 2) * hourMs));
    expect(datasets?.requests).toEqual(new Map([["missing", 3]]));

    at.store.isFailing = true;
    await at.hours(1);
    expect(collector.judged).toBeUndefined();
    at.store.isFailing = false;
    at.service.faults = [];
    await at.hours(2);
    expect(collector.judged?.zones.size).toBe(3);
    collector.reconfigure(undefined);
    expect(collector.judged).toBeUndefined();
  });

  it("reads a day again whose records are of another one", async ({ expect }) => {
    await using at = new Collecting(zones);
    at.start();
    await at.hours(20);
    const [, yesterday = ""] = [...at.store.records.keys()].toSorted().toReversed();
    await at.end();
    const records = at.store.records.get(yesterday);
    at.store.records.set(dayOf(startHour + 20), records ?? new Map());
    at.start();
    await at.hours(1);
    for (const zone of zones) {
      const hour = startHour + 15;
      expect(dayOf(hour)).not.toBe(yesterday);
      const counted = measured(at, zone, "requests", hour);
      expect(await at.count(zone.zone.name, "requests", hour)).toMatchObject(counted);
    }
  });

  it("takes nothing from an answer with a date that is wrong", async ({ expect }) => {
    await using at = new Collecting(zones);
    at.start(true, 72 * hourMs);
    await at.hours(40);
    const days = at.store.records.size;
    at.service.faults = ["wrong_date", "wrong_date", "wrong_date", "wrong_date"];
    await at.hours(1);
    expect(at.service.faults).toEqual([]);
    expect(at.store.records.size).toBe(days);
    await at.hours(3);
    expect(at.statuses.map(({ state }) => state)).toEqual(["collecting", "lagging", "collecting"]);
    expect(at.statuses[1]?.reason).toContain("which is not the time");
    for (let hour = startHour; hour * hourMs < at.serviceNow + 200 * hourMs; hour += 1) {
      const found = await at.count(pro.zone.name, "requests", hour);
      const isOver = (hour + 2) * hourMs < at.serviceNow;
      if (isOver) expect(found).toMatchObject(measured(at, pro, "requests", hour));
      else if (hour * hourMs >= at.serviceNow) expect(found).toEqual({ state: "missing" });
    }
  });

  it("keeps what a long round has read when it ends early", async ({ expect }) => {
    await using at = new Collecting(zones);
    at.answerMs = 15 * 60_000;
    at.start();
    // The limits have been read, and the requests of a day.
    await at.hours(0.7);
    expect(at.service.queries).toHaveLength(3);
    await at.end();
    const hour = startHour - 5;
    const counted = measured(at, pro, "requests", hour);
    expect(await at.count(pro.zone.name, "requests", hour)).toMatchObject(counted);
  });

  it("goes on with past days after each new hour, and says it collects when all are read", async ({
    expect,
  }) => {
    await using at = new Collecting([enterprise]);
    at.answerMs = 5 * 60_000;
    at.start();
    const counted = (hour: number): Partial<HourCount> =>
      measured(at, enterprise, "requests", startHour + hour);
    const read = (hour: number): Promise<HourCount> =>
      at.count(enterprise.zone.name, "requests", startHour + hour);
    // Ten days take more than two hours. Each hour, the newest one is read first.
    await at.hours(2);
    expect(await read(-7 * 24)).toEqual({ state: "missing" });
    expect(await read(0)).toMatchObject(counted(0));
    expect(at.statuses).toEqual([]);
    await at.hours(2);
    expect(await read(2)).toMatchObject(counted(2));
    expect(await read(-7 * 24)).toMatchObject(counted(-7 * 24));
    expect(at.statuses.at(-1)).toEqual({ state: "collecting", reason: "" });
  });

  it("drops days that are older than they are kept", async ({ expect }) => {
    await using at = new Collecting([pro]);
    at.start(true, 72 * hourMs);
    await at.hours(8 * 24);
    const days = [...at.store.records.keys()].toSorted();
    expect(days[0]).toBe(dayOf(startHour + 5 * 24));
    expect(days).toHaveLength(4);

    // A full disk is no reason to keep them.
    at.store.isFull = true;
    await at.hours(2 * 24);
    expect(at.store.records.size).toBe(2);
    at.store.isFull = false;
    await at.hours(2);
    expect(at.store.records.size).toBe(4);
  });

  it("never has a wrong count, nor a zero for what was not measured, whatever fails", async ({
    expect,
  }) => {
    const steps = fc.array(step, { minLength: 3, maxLength: 14 });
    const law = fc.asyncProperty(steps, fc.nat({ max: 3 }), async (schedule, restart) => {
      await using at = new Collecting(zones);
      at.start();
      for (const each of schedule) await befall(at, each);
      expect(await wrongIn(at)).toEqual([]);
      expect(at.bugs).toEqual([]);

      // Without failures, all that the service still has is there soon after a start, and else once no refusal is remembered.
      at.service.faults = [];
      if (restart > 0) await befall(at, { what: "down", hours: restart });
      await at.hours(restart > 0 ? 3 : 27);
      expect(await missingIn(at)).toEqual([]);
    });
    await fc.assert(law, cases(170));
  });
});

/** What happens to a collector, for so many hours where it takes time. */
type Step =
  | {
      readonly what: "works" | "down" | "disk_full" | "denied" | "clock_jumps";
      readonly hours: number;
    }
  | { readonly what: "late"; readonly minutes: number }
  | { readonly what: "faults"; readonly faults: readonly QueryFault[] };

function lasting(what: "works" | "down" | "disk_full" | "denied", max: number): fc.Arbitrary<Step> {
  return fc.integer({ min: 1, max }).map((hours) => ({ what, hours }));
}

const faults = fc.constantFrom<QueryFault>(
  "rate_limited",
  "budget",
  "cut",
  "void",
  "null",
  "html",
  "partial",
  "missing_zone",
  "server",
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: lasting("works", 9) },
  { weight: 2, arbitrary: lasting("down", 40) },
  { weight: 1, arbitrary: lasting("disk_full", 5) },
  { weight: 1, arbitrary: lasting("denied", 30) },
  {
    weight: 2,
    arbitrary: fc
      .integer({ min: -60, max: 60 })
      .map((hours): Step => ({ what: "clock_jumps", hours })),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 14 }).map((minutes): Step => ({ what: "late", minutes })),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(faults, { minLength: 1, maxLength: 12 })
      .map((all): Step => ({ what: "faults", faults: all })),
  },
);

async function befall(at: Collecting, happening: Step): Promise<void> {
  switch (happening.what) {
    case "works":
      await at.hours(happening.hours);
      return;
    case "down":
      await at.end();
      await at.hours(happening.hours);
      at.start();
      return;
    case "disk_full":
      at.store.isFailing = true;
      await at.hours(happening.hours);
      at.store.isFailing = false;
      return;
    case "denied":
      at.service.isPermitted = false;
      await at.hours(happening.hours);
      at.service.isPermitted = true;
      return;
    case "clock_jumps":
      at.clock.step(happening.hours * hourMs);
      return;
    case "late":
      at.service.lateMs = happening.minutes * 60_000;
      return;
    case "faults":
      at.service.faults = [...happening.faults];
  }
}

/** Counts that are not the truth; and objects that counted, and are said not to have been there. */
async function wrongIn(at: Collecting): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (const zone of zones) {
    for (const what of countedKeys) {
      for (let hour = startHour - 30; hour * hourMs < at.serviceNow; hour += 1) {
        const found = await at.count(zone.zone.name, what, hour);
        const count = at.truth(zone, what, hour);
        const isWrong = found.state === "measured" && found.count !== count;
        const isLeftOut = found.state === "undeclared" && count > 0;
        if (isWrong || isLeftOut) wrong.push({ what, hour: hour - startHour, found, count });
      }
    }
  }
  return wrong;
}

/** Requests of the last days that are not there as they were. */
async function missingIn(at: Collecting): Promise<readonly unknown[]> {
  const missing: unknown[] = [];
  const last = Math.floor(at.serviceNow / hourMs) - 2;
  for (const zone of zones) {
    for (let hour = last - 160; hour <= last; hour += 1) {
      const found = await at.count(zone.zone.name, "requests", hour);
      const count = at.truth(zone, "requests", hour);
      const isThere = found.state === "measured" && found.count === count;
      if (!isThere) missing.push({ zone: zone.zone.name, hour: hour - startHour, found, count });
    }
  }
  return missing;
}
