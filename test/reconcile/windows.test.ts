import * as fc from "fast-check";
import { createTask } from "node-cron";
import { describe, it } from "vitest";

import { windowsOf } from "../../src/reconcile/schedule/windows.ts";
import type { Window } from "../../src/zone/window.ts";
import { cases } from "../support/properties.ts";
import { window } from "../support/window.ts";

const hour = 3_600_000;

/** Whether a freeze is open at a moment. */
function isFrozen(moment: string | number, ...windows: readonly Window[]): boolean {
  return windowsOf(windows).freezeAt(new Date(moment)) !== undefined;
}

describe("a freeze from Friday at ten in the evening for a day", () => {
  it.for([
    ["2026-11-20T21:59:59.999Z", false],
    ["2026-11-20T22:00:00Z", true],
    ["2026-11-21T12:00:00Z", true],
    ["2026-11-21T21:59:59.999Z", true],
    ["2026-11-21T22:00:00Z", false],
    ["2026-11-24T12:00:00Z", false],
  ] as const)("at %s: %s", ([moment, frozen], { expect }) => {
    expect(isFrozen(moment, window())).toBe(frozen);
  });
});

describe("a window", () => {
  it("starts by the local time of its time zone", ({ expect }) => {
    const berlin = window({ timezone: "Europe/Berlin", durationMs: hour });
    expect(isFrozen("2026-11-20T21:00:00Z", berlin)).toBe(true);
    expect(isFrozen("2026-11-20T20:59:59Z", berlin)).toBe(false);
    expect(isFrozen("2026-07-17T20:00:00Z", berlin)).toBe(true);
    expect(isFrozen("2026-07-17T19:59:59Z", berlin)).toBe(false);
  });

  it.for([
    { timezone: "Pacific/Kiritimati", opens: "2026-11-20T10:00:00Z" },
    { timezone: "Pacific/Pago_Pago", opens: "2026-11-21T11:00:00Z" },
    { timezone: "America/St_Johns", opens: "2026-11-21T03:30:00Z" },
    { timezone: "Asia/Kathmandu", opens: "2026-11-20T18:15:00Z" },
  ])("of the 21st of November opens at its midnight in $timezone", (each, { expect }) => {
    const midnight = window({ start: "0 0 21 11 *", durationMs: hour, timezone: each.timezone });
    const opens = Date.parse(each.opens);
    const moments = [opens - 1, opens, opens + hour - 1, opens + hour];
    expect(moments.map((moment) => isFrozen(moment, midnight))).toEqual([false, true, true, false]);
  });

  it("in a time zone whose offset has seconds opens by its local time", ({ expect }) => {
    const monrovia = window({ start: "0 0 * * *", durationMs: hour, timezone: "Africa/Monrovia" });
    const opens = Date.parse("1971-06-01T00:44:30Z");
    expect([opens - 1, opens].map((moment) => isFrozen(moment, monrovia))).toEqual([false, true]);
  });

  it("may be longer than the time between two of its starts", ({ expect }) => {
    const always = window({ start: "0 0 * * *", durationMs: 25 * hour });
    expect(isFrozen("2026-11-20T00:30:00Z", always)).toBe(true);
    expect(isFrozen("2026-11-20T23:59:00Z", always)).toBe(true);
  });

  it("of three weeks is open three weeks after its start, and not a moment longer", ({
    expect,
  }) => {
    const december = window({ start: "0 0 10 12 *", durationMs: 504 * hour });
    expect(isFrozen("2026-12-30T23:59:59Z", december)).toBe(true);
    expect(isFrozen("2026-12-31T00:00:00Z", december)).toBe(false);
  });

  it("on a day of the week by its name and number is found", ({ expect }) => {
    const lastFriday = window({ start: "0 12 * * 5#4", durationMs: hour });
    expect(isFrozen("2026-11-27T12:30:00Z", lastFriday)).toBe(true);
    expect(isFrozen("2026-11-20T12:30:00Z", lastFriday)).toBe(false);
  });
});

/** In Berlin clocks go from 2:00 to 3:00 on 29 March 2026, and from 3:00 back to 2:00 on 25 October 2026. */
describe("when clocks change", () => {
  const night = window({ start: "30 2 * * *", durationMs: hour, timezone: "Europe/Berlin" });

  it.for([
    ["a time that is skipped comes as long after the change", "2026-03-29T01:29:59Z", false],
    ["a time that is skipped comes all the same", "2026-03-29T01:30:00Z", true],
    ["a window lasts as long as it says", "2026-03-29T02:29:59Z", true],
    ["a window ends when it has lasted", "2026-03-29T02:30:00Z", false],
    ["the first of two equal times opens", "2026-10-25T00:30:00Z", true],
    ["the second of two equal times does not", "2026-10-25T01:30:00Z", false],
    ["the window opens again the night after", "2026-10-26T01:30:00Z", true],
  ] as const)("%s (%s)", ([, moment, frozen], { expect }) => {
    expect(isFrozen(moment, night)).toBe(frozen);
  });

  it.for([
    ["before the spring change", "2026-03-28T12:00:00Z", "2026-03-29T02:00:00Z"],
    ["the day after the spring change", "2026-03-29T12:00:00Z", "2026-03-30T02:00:00Z"],
    ["before the autumn change", "2026-10-24T12:00:00Z", "2026-10-25T03:00:00Z"],
    ["the day after the autumn change", "2026-10-25T12:00:00Z", "2026-10-26T03:00:00Z"],
  ] as const)("a window at 4:00 opens at 4:00 local time: %s", ([, now, opens], { expect }) => {
    const morning = { start: "0 4 * * *", durationMs: hour, timezone: "Europe/Berlin" };
    const { endOfFreeze } = windowsOf([window({ ...morning, type: "allow" })]);
    expect(endOfFreeze(new Date(now))).toEqual(new Date(opens));
    const justBefore = Date.parse(opens) - 1;
    expect(isFrozen(justBefore, window(morning))).toBe(false);
    expect(isFrozen(opens, window(morning))).toBe(true);
  });

  it("a window over the change lasts as long as it says", ({ expect }) => {
    const over = window({ start: "0 22 * * *", durationMs: 8 * hour, timezone: "Europe/Berlin" });
    expect(isFrozen("2026-03-29T04:59:59Z", over)).toBe(true);
    expect(isFrozen("2026-03-29T05:00:00Z", over)).toBe(false);
    expect(isFrozen("2026-10-25T03:59:59Z", over)).toBe(true);
    expect(isFrozen("2026-10-25T04:00:00Z", over)).toBe(false);
  });
});

describe("any window", () => {
  const starts = ["0 * * * *", "*/20 9-17 * * 1-5", "15 3 1 * *", "0 0 * * 0", "30 23 * 2 *"];

  it("is open exactly when node-cron's matcher finds a start within its duration", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...starts),
        fc.integer({ min: 1, max: 3_000 }),
        fc.integer({ min: 0, max: 500_000 }),
        fc.constantFrom("Etc/UTC", "Asia/Kolkata", "Pacific/Kiritimati", "America/Caracas"),
        (start, minutes, sinceNewYear, timezone) => {
          const now = Date.parse("2026-01-01T00:00:30Z") + sinceNewYear * 60_000;
          const task = createTask(start, () => undefined, { timezone });
          const startsWithin = Array.from({ length: minutes }, (_, back) => back).some((back) =>
            task.match(new Date(now - 30_000 - back * 60_000)),
          );
          const open = isFrozen(now, window({ start, durationMs: minutes * 60_000, timezone }));
          expect(open).toBe(startsWithin);
        },
      ),
      cases(100),
    );
  });
});

describe("several windows", () => {
  const open = { start: "0 0 * * *", durationMs: 24 * hour };
  const closed = { start: "0 0 * * *", durationMs: hour };
  const noon = "2026-11-20T12:00:00Z";

  it.for([
    { when: "there is none", windows: [], frozen: false },
    { when: "a freeze is closed", windows: [window(closed)], frozen: false },
    { when: "an allowance is open", windows: [window({ ...open, type: "allow" })], frozen: false },
    {
      when: "one of two allowances is open",
      windows: [window({ ...closed, type: "allow" }), window({ ...open, type: "allow" })],
      frozen: false,
    },
    {
      when: "all allowances are closed",
      windows: [window({ ...closed, type: "allow" })],
      frozen: true,
    },
    {
      when: "a freeze is open within an allowance",
      windows: [window({ ...open, type: "allow" }), window(open)],
      frozen: true,
    },
  ] as const)("$when: frozen is $frozen", ({ windows, frozen }, { expect }) => {
    expect(isFrozen(noon, ...windows)).toBe(frozen);
  });

  it("let strengthening pass when each of them does", ({ expect }) => {
    const lets = window({ ...open, name: "a", letStrengtheningPass: true });
    const holds = window({ ...open, name: "b" });
    const now = new Date(noon);
    expect(windowsOf([lets]).freezeAt(now)).toEqual({
      reason: 'the freeze window "a" is open',
      letStrengtheningPass: true,
    });
    expect(windowsOf([lets, holds]).freezeAt(now)).toEqual({
      reason: 'the freeze window "a" is open, the freeze window "b" is open',
      letStrengtheningPass: false,
    });
  });
});
