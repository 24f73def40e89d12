import * as fc from "fast-check";
import { describe, it } from "vitest";

import {
  dayOf,
  firstHourOf,
  hoursCompleteAt,
  hoursToRead,
  type ReadLimits,
} from "../../src/measure/hours.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import { cases } from "../support/properties.ts";

const day = "2026-11-26";
const start = firstHourOf(day);

function limits(lookBackHours: number, windowHours = 24): ReadLimits {
  return { notOlderThanMs: lookBackHours * hourMs, windowMs: windowHours * hourMs, pageSize: 100 };
}

/** Hours of the day to read, as `from-to`, from the hours that were measured. */
function rangesAt(
  time: string,
  measured: readonly number[] = [],
  given: ReadLimits = limits(24 * 30),
): readonly string[] {
  const isMeasured = (hour: number): boolean => measured.includes(hour - start);
  const ranges = hoursToRead(day, isMeasured, given, new Date(time));
  return ranges.map(({ from, to }) => `${from - start}-${to - start}`);
}

function upTo(hour: number): readonly number[] {
  return Array.from({ length: hour }, (_, each) => each);
}

describe("the hours to read", () => {
  it.for([
    { at: "before the first hour is complete", time: "2026-11-26T01:14:59Z", ranges: [] },
    { at: "when it is complete", time: "2026-11-26T01:15:00Z", ranges: ["0-1"] },
    { at: "on the next day", time: "2026-11-27T00:14:00Z", ranges: ["0-23"] },
    { at: "when the last hour is complete", time: "2026-11-27T00:15:00Z", ranges: ["0-24"] },
    { at: "on the day before", time: "2026-11-25T12:00:00Z", ranges: [] },
  ])("are $ranges $at", ({ time, ranges }, { expect }) => {
    expect(rangesAt(time)).toEqual(ranges);
  });

  it("are the new ones with the two before: what the service counted late still counts", ({
    expect,
  }) => {
    expect(rangesAt("2026-11-26T09:20:00Z", upTo(8))).toEqual(["6-9"]);
  });

  it("are none where all is measured", ({ expect }) => {
    expect(rangesAt("2026-11-26T09:20:00Z", upTo(9))).toEqual([]);
  });

  it("are those that failed, in as many queries as there are gaps", ({ expect }) => {
    const measured = upTo(20).filter((hour) => hour !== 4 && hour !== 12);
    expect(rangesAt("2026-11-26T20:20:00Z", measured)).toEqual(["2-5", "10-13"]);
  });

  it("are only those that the service still has in full", ({ expect }) => {
    // 24 hours before are 18:20 of the day before; on the day itself that is no limit.
    expect(rangesAt("2026-11-26T18:20:00Z", [], limits(24))).toEqual(["0-18"]);
    expect(rangesAt("2026-11-27T03:20:00Z", [], limits(24))).toEqual(["4-24"]);
    expect(rangesAt("2026-11-27T03:58:00Z", [], limits(24))).toEqual(["5-24"]);
    expect(rangesAt("2026-11-29T03:58:00Z", [], limits(24))).toEqual([]);
  });

  it("are asked for in the windows that the plan allows", ({ expect }) => {
    const time = "2026-11-26T10:20:00Z";
    expect(rangesAt(time, [], limits(24 * 30, 4))).toEqual(["0-4", "4-8", "8-10"]);
    expect(rangesAt(time, upTo(9), limits(24 * 30, 0.5))).toEqual(["7-8", "8-9", "9-10"]);
  });

  it("are complete, can be read, and leave out none that was not measured", ({ expect }) => {
    const law = fc.property(
      fc.integer({ min: -3 * 24 * 60, max: 4 * 24 * 60 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 23 })),
      fc.integer({ min: 1, max: 40 * 24 }),
      fc.integer({ min: 1, max: 40 }),
      (minutes, measured, lookBack, window) => {
        const now = new Date(start * hourMs + minutes * 60_000);
        const given = limits(lookBack, window);
        const isMeasured = (hour: number): boolean => measured.includes(hour - start);
        const ranges = hoursToRead(day, isMeasured, given, now);
        const hours = ranges.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, nth) => from + nth),
        );
        expect(new Set(hours).size).toBe(hours.length);
        for (const { from, to } of ranges) expect(to - from).toBeLessThanOrEqual(window);
        for (const hour of hours) {
          expect(dayOf(hour)).toBe(day);
          expect(hour).toBeLessThan(hoursCompleteAt(now));
          expect(now.getTime() - hour * hourMs).toBeLessThanOrEqual(given.notOlderThanMs);
        }
        const left = upTo(24)
          .map((hour) => start + hour)
          .filter((hour) => !isMeasured(hour) && !hours.includes(hour));
        for (const hour of left) {
          const isBeyond = now.getTime() + 5 * 60_000 - hour * hourMs > given.notOlderThanMs;
          expect(isBeyond || hour >= hoursCompleteAt(now)).toBe(true);
        }
      },
    );
    fc.assert(law, cases(2_000));
  });
});
