import * as fc from "fast-check";
import { describe, it } from "vitest";

import type { HourCount } from "../../src/measure/measurement.ts";
import {
  type CountedHour,
  decidingHours,
  type ShareState,
  shareStateIn,
  shareStates,
} from "../../src/measure/usual-share.ts";
import { type MonthsOfTraffic, monthsOfTraffic } from "../support/months-of-traffic.ts";
import { cases } from "../support/properties.ts";

/** Days before anything can be judged by the same hours of four weeks. */
const warmUp = 29;

function counted(count: number, sampleInterval = 1): HourCount {
  return { state: "measured", count, actions: {}, sampleInterval };
}

/** The state of an hour of traffic in which all is measured. */
function stateAt({ hours, sampleIntervals }: MonthsOfTraffic, hour: number): ShareState {
  const { count, requests } = hours[hour] ?? { count: 0, requests: 0 };
  const sampleInterval = sampleIntervals[hour];
  return shareStateIn(
    hour,
    counted(count, sampleInterval),
    counted(requests, sampleInterval),
    (each) => hours[each],
  );
}

/** The same traffic with other counts from an hour on. */
function changed(
  traffic: MonthsOfTraffic,
  from: number,
  change: (count: number) => number,
): MonthsOfTraffic {
  const hours = traffic.hours.map((each, hour) =>
    hour < from ? each : { ...each, count: change(each.count) },
  );
  return { ...traffic, hours };
}

/** How often a rule was said to have left its range, in so many hours. */
function alarmsIn(traffic: MonthsOfTraffic, from: number, to: number): number {
  let alarms = 0;
  let before: ShareState = "usual";
  for (let hour = from; hour < to; hour += 1) {
    const state = stateAt(traffic, hour);
    const isOutside = state === "above" || state === "below";
    if (isOutside && state !== before) alarms += 1;
    before = state;
  }
  return alarms;
}

/** Hours from a change until a state is told; `undefined`: not within four hours. */
function hoursUntil(traffic: MonthsOfTraffic, from: number, state: ShareState): number | undefined {
  return [0, 1, 2, 3].find((hours) => stateAt(traffic, from + hours) === state);
}

/** The count that is usual at an hour: that of the same hours of the weeks before. */
function usualAt({ hours }: MonthsOfTraffic, hour: number): number {
  const counts = [7, 14, 21, 28].flatMap((day) => hours[hour - day * 24]?.count ?? []);
  return counts.toSorted((a, b) => a - b)[1] ?? 0;
}

describe("the usual range of a share", () => {
  // A wander of 0.5: in one hour of six, the share is more than 1.6 times its mean, or less than 0.6 times.
  it.for([
    { wander: 0.1, most: 0 },
    { wander: 0.3, most: 0 },
    { wander: 0.5, most: 3 },
    { wander: 0.8, most: 15 },
  ])(
    "is left at most $most times in 160 months of shares that wander by $wander",
    ({ wander, most }, { expect }) => {
      const alarms = Array.from({ length: 80 }, (_, seed) =>
        alarmsIn(monthsOfTraffic(seed, warmUp + 60, wander), warmUp * 24, (warmUp + 60) * 24),
      );
      expect(alarms.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(most);
    },
  );

  it("is left by a count forty times the usual one within two hours, for a day or two", ({
    expect,
  }) => {
    let found = 0;
    for (let seed = 100; seed < 180; seed += 1) {
      const traffic = monthsOfTraffic(seed, warmUp + 20, 0.3);
      const from = (warmUp + 3) * 24 + (seed % 160);
      if (usualAt(traffic, from) < 10 * (traffic.sampleIntervals[from] ?? 1)) continue;
      const jumped = changed(traffic, from, (count) => 40 * count);
      expect(hoursUntil(jumped, from, "above"), `seed ${seed}`).toBe(1);
      expect(alarmsIn(jumped, from + 72, from + 200), `seed ${seed}`).toBe(0);
      found += 1;
    }
    expect(found).toBeGreaterThan(30);
  });

  it("is left by a count that falls to nothing", ({ expect }) => {
    let found = 0;
    let all = 0;
    for (let seed = 200; seed < 600; seed += 1) {
      const traffic = monthsOfTraffic(seed, warmUp + 20, 0.3);
      const from = (warmUp + 3) * 24 + (seed % 160);
      if (usualAt(traffic, from) < 100 * (traffic.sampleIntervals[from] ?? 1)) continue;
      all += 1;
      const fallen = changed(traffic, from, () => 0);
      if (hoursUntil(fallen, from, "below") !== undefined) found += 1;
    }
    expect(all).toBeGreaterThan(15);
    expect(found / all).toBeGreaterThan(0.9);
  });
});

/** Hours that all counted the same, but for some. */
function steady(
  usual: CountedHour,
  others: Readonly<Record<number, CountedHour | undefined>>,
): (hour: number) => CountedHour | undefined {
  return (hour) => (hour in others ? others[hour] : usual);
}

const at = 1_000;
const usual = { count: 100, requests: 10_000 };

/** The state of a count and requests in two hours in a row. */
function stateOf(
  last: CountedHour,
  { sampleInterval = 1, before = last, of = usual } = {},
): ShareState {
  return shareStateIn(
    at,
    counted(last.count, sampleInterval),
    counted(last.requests, sampleInterval),
    steady(of, { [at]: last, [at - 1]: before }),
  );
}

describe("the state of a share", () => {
  it.for([
    { count: 307, state: "usual" },
    { count: 309, state: "above" },
    { count: 31, state: "usual" },
    { count: 30, state: "below" },
  ])("is $state for $count of 10,000 where 100 are usual", ({ count, state }, { expect }) => {
    expect(stateOf({ count, requests: 10_000 })).toBe(state);
  });

  it.for([
    { of: 1, count: 16, state: "usual" },
    { of: 1, count: 17, state: "above" },
    { of: 0, count: 9, state: "usual" },
    { of: 0, count: 10, state: "above" },
    { of: 36, count: 0, state: "usual" },
    { of: 37, count: 0, state: "below" },
  ])("allows for chance: $state for $count where $of are usual", (row, { expect }) => {
    const { of, count, state } = row;
    const hour = { count, requests: 10_000 };
    expect(stateOf(hour, { of: { count: of, requests: 10_000 } })).toBe(state);
  });

  it("allows for more chance in a sample", ({ expect }) => {
    const none = { count: 0, requests: 10_000 };
    expect(stateOf(none, { sampleInterval: 1 })).toBe("below");
    expect(stateOf(none, { sampleInterval: 10 })).toBe("usual");
    expect(stateOf({ count: 350, requests: 10_000 }, { sampleInterval: 10 })).toBe("usual");
  });

  it("is usual where only the traffic, or only the count, is unusual", ({ expect }) => {
    expect(stateOf({ count: 100, requests: 100_000 })).toBe("usual");
    expect(stateOf({ count: 1_000, requests: 100_000 })).toBe("usual");
    expect(stateOf({ count: 100, requests: 1_000 })).toBe("usual");
    expect(stateOf({ count: 1_000, requests: 10_000 })).toBe("above");
  });

  it("is unconfirmed for an hour, and where the hour before is not known", ({ expect }) => {
    const much = { count: 4_000, requests: 10_000 };
    expect(stateOf(much, { before: usual })).toBe("unconfirmed");
    expect(stateOf(much, { before: { count: 0, requests: 10_000 } })).toBe("unconfirmed");
    const before = steady(usual, { [at]: much, [at - 1]: undefined });
    const state = shareStateIn(at, counted(4_000), counted(10_000), before);
    expect(state).toBe("unconfirmed");
  });

  it("is not judged before two weeks are known", ({ expect }) => {
    const state = (first: number): ShareState =>
      shareStateIn(at, counted(100), counted(10_000), (hour) => (hour < first ? undefined : usual));
    expect(state(at - 14 * 24 + 1)).toBe("learning");
    expect(state(at - 14 * 24)).toBe("usual");
  });

  it("is judged by the weeks alone where the latest days are not known", ({ expect }) => {
    const much = { count: 4_000, requests: 10_000 };
    const measured = (hour: number): CountedHour | undefined => {
      if (hour >= at - 1) return much;
      return hour < at - 4 * 24 ? usual : undefined;
    };
    expect(shareStateIn(at, counted(4_000), counted(10_000), measured)).toBe("above");
  });

  it("is usual where it is as in the latest days, or as in the same hours of weeks", ({
    expect,
  }) => {
    const much = { count: 4_000, requests: 10_000 };
    const latest = (hour: number): CountedHour => (hour > at - 90 ? much : usual);
    expect(shareStateIn(at, counted(4_000), counted(10_000), latest)).toBe("usual");
    const weekly = (hour: number): CountedHour => ((at - hour) % 168 < 10 ? much : usual);
    expect(shareStateIn(at, counted(4_000), counted(10_000), weekly)).toBe("usual");
  });

  it("says of little traffic and of none that it is that", ({ expect }) => {
    expect(stateOf({ count: 0, requests: 0 })).toBe("no_traffic");
    expect(stateOf({ count: 50, requests: 99 })).toBe("little_traffic");
    expect(stateOf({ count: 50, requests: 999 }, { sampleInterval: 10 })).toBe("little_traffic");
    expect(stateOf({ count: 50, requests: 1_000 }, { sampleInterval: 10 })).toBe("usual");
  });

  it("is never usual, above or below where something was not measured", ({ expect }) => {
    const states = fc.constantFrom<HourCount>(
      { state: "refused", reason: "denied" },
      { state: "refused", reason: "unavailable" },
      { state: "failed" },
      { state: "missing" },
      { state: "undeclared" },
    );
    const law = fc.property(states, fc.nat(9_999), fc.boolean(), (unknown, count, isObject) => {
      const known = counted(count);
      const [object, requests] = isObject ? [unknown, known] : [known, unknown];
      const state = shareStateIn(at, object, requests, () => usual);
      expect(state).toBe(unknown.state === "refused" ? unknown.reason : unknown.state);
      expect(shareStates).toContain(state);
    });
    fc.assert(law, cases(500));
  });

  it("depends on hours of about ten days alone", ({ expect }) => {
    const asked = new Set<number>();
    shareStateIn(at, counted(4_000), counted(10_000), (hour) => {
      asked.add(hour);
      return hour >= at - 1 ? { count: 4_000, requests: 10_000 } : usual;
    });
    const hours = decidingHours(at);
    expect([...asked].toSorted((a, b) => a - b)).toEqual(hours);
    expect(hours).toHaveLength(44);
    for (let hour = 0; hour < 24; hour += 1) {
      const days = new Set(decidingHours(at + hour).map((each) => Math.floor(each / 24)));
      expect(days.size).toBeLessThanOrEqual(13);
    }
  });
});
