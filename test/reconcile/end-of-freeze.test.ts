import * as fc from "fast-check";
import { describe, it } from "vitest";

import { windowsOf } from "../../src/reconcile/schedule/windows.ts";
import { cases } from "../support/properties.ts";
import { window } from "../support/window.ts";

const hour = 3_600_000;

describe("the end of a freeze", () => {
  const fiveMinutes = 300_000;
  const night = { start: "0 2 * * *", durationMs: hour, timezone: "Europe/Berlin" };
  const allowed = window({ ...night, type: "allow" });
  const skipped = window({ ...night, type: "allow", start: "30 2 * * *" });
  const friday = window();
  const always = window({ start: "0 * * * *", durationMs: hour });
  const lenient = window({ durationMs: 30 * hour, letStrengtheningPass: true });

  it.for([
    ["nothing is frozen", [friday], "2026-11-20T21:59:59Z", "2026-11-20T21:59:59Z"],
    ["a freeze ends", [friday], "2026-11-20T22:00:00Z", "2026-11-21T22:00:00Z"],
    ["an allowance opens, in winter", [allowed], "2026-11-20T02:00:00Z", "2026-11-21T01:00:00Z"],
    ["an allowance opens, in summer", [allowed], "2026-07-17T01:00:00Z", "2026-07-18T00:00:00Z"],
    ["it opens in the night before", [allowed], "2026-07-17T23:59:59Z", "2026-07-18T00:00:00Z"],
    ["its time is skipped", [skipped], "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z"],
    ["its time comes twice", [skipped], "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z"],
    ["it has been open in that night", [skipped], "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z"],
    [
      "a skipped time comes after a later one",
      [
        window({
          type: "allow",
          start: "15,40 2 * * *",
          durationMs: 60_000,
          timezone: "Australia/Lord_Howe",
        }),
      ],
      "2026-10-03T15:00:00Z",
      "2026-10-03T15:40:00Z",
    ],
    [
      "its later time is listed first",
      [window({ type: "allow", start: "0 20,8 * * *", durationMs: hour })],
      "2026-11-20T05:00:00Z",
      "2026-11-20T08:00:00Z",
    ],
    [
      "it opens once a year",
      [window({ type: "allow", start: "0 0 1 1 *", durationMs: 15_000, timezone: "Asia/Kolkata" })],
      "2026-01-01T00:00:00Z",
      "2026-12-31T18:30:00Z",
    ],
    [
      "it opens on a leap day",
      [window({ type: "allow", start: "0 0 29 2 *" })],
      "2026-11-20T12:00:00Z",
      "2028-02-29T00:00:00Z",
    ],
    [
      "it opens on a leap day in eight years",
      [window({ type: "allow", start: "0 0 29 2 *" })],
      "2096-03-01T12:00:00Z",
      "2104-02-29T00:00:00Z",
    ],
    [
      "it opens on a second",
      [window({ type: "allow", start: "40 * * * * *", durationMs: 15_000 })],
      "2026-11-20T12:00:55Z",
      "2026-11-20T12:01:40Z",
    ],
    [
      "the allowance that opens first",
      [allowed, window({ type: "allow", start: "0 20 * * *", durationMs: hour })],
      "2026-11-20T19:00:00Z",
      "2026-11-20T20:00:00Z",
    ],
    [
      "a freeze ends while allowances are closed",
      [friday, allowed],
      "2026-11-21T12:00:00Z",
      "2026-11-22T01:00:00Z",
    ],
    [
      "another freeze has begun when one ends",
      [window({ durationMs: hour }), window({ start: "30 22 * * 5", durationMs: hour })],
      "2026-11-20T22:15:00Z",
      "2026-11-20T23:30:00Z",
    ],
    [
      "two freezes follow each other without a gap",
      [friday, window({ start: "0 22 * * 6" })],
      "2026-11-21T00:00:00Z",
      "2026-11-22T22:00:00Z",
    ],
    [
      "strengthening passes from then on",
      [friday, lenient],
      "2026-11-20T23:00:00Z",
      "2026-11-21T22:00:00Z",
    ],
    ["what is left passes too", [friday, lenient], "2026-11-21T22:00:00Z", "2026-11-22T04:00:00Z"],
  ] as const)("%s", ([, windows, now, yields], { expect }) => {
    expect(windowsOf(windows).endOfFreeze(new Date(now))).toEqual(new Date(yields));
  });

  it("is unknown where the `allow` window opens in eighteen years", ({ expect }) => {
    const never = window({ type: "allow", start: "0 0 29 2 1" });
    expect(windowsOf([never]).endOfFreeze(new Date("2026-11-20T12:00:00Z"))).toBeUndefined();
  });

  it("is a moment before the end where a freeze opens again before it closes", ({ expect }) => {
    const now = new Date("2026-11-20T12:00:00Z");
    const then = windowsOf([always]).endOfFreeze(now);
    expect(Number(then)).toBeGreaterThan(Number(now) + 24 * hour);
  });

  it("does not depend on earlier calls", ({ expect }) => {
    const held = window({ start: "0 23 * * 5", durationMs: hour });
    const windows = windowsOf([lenient, held]);
    const asked = ["22:30", "23:30", "22:30", "23:59"].map((time) =>
      windows.endOfFreeze(new Date(`2026-11-20T${time}:00Z`)),
    );
    const ends = ["2026-11-22T04:00:00Z", "2026-11-21T00:00:00Z"].map((text) => new Date(text));
    expect(asked).toEqual([ends[0], ends[1], ends[0], ends[1]]);
  });

  it.for(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
    "is that of its own time zone where the process runs in %s",
    (timezone, { expect, onTestFinished }) => {
      const before = process.env["TZ"];
      onTestFinished(() => {
        if (before === undefined) delete process.env["TZ"];
        else process.env["TZ"] = before;
      });
      process.env["TZ"] = timezone;
      expect(new Date("2026-11-20T12:00:00Z").getTimezoneOffset()).not.toBe(0);
      const allow = window({ type: "allow", start: "0 0 21 11 *", durationMs: hour });
      const end = windowsOf([allow]).endOfFreeze(new Date("2026-11-19T12:00:00Z"));
      expect(end).toEqual(new Date("2026-11-21T00:00:00Z"));
    },
  );

  it("is what another asks for the first time, in any order of moments", ({ expect }) => {
    const daily = window({ start: "0 1 * * *", durationMs: 2 * hour });
    const all = [lenient, daily, window({ start: "0 23 * * 5", durationMs: hour })];
    const halfHours = fc.array(fc.integer({ min: 0, max: 16 * 48 }), { maxLength: 12 });
    fc.assert(
      fc.property(halfHours, (asked) => {
        const windows = windowsOf(all);
        for (const each of asked) {
          const now = new Date(Date.parse("2026-11-20T00:00:00Z") + (each * hour) / 2);
          expect(windows.endOfFreeze(now)).toEqual(windowsOf(all).endOfFreeze(now));
        }
      }),
      cases(25),
    );
  });

  it("is later where it is asked for at the moment before the end that it gave", ({ expect }) => {
    const { endOfFreeze } = windowsOf([always]);
    const then = endOfFreeze(new Date("2026-11-20T12:00:00Z"));
    if (then === undefined) throw new Error("no end");
    expect(Number(endOfFreeze(then))).toBeGreaterThan(Number(then));
  });

  it("is the first moment at which less is held, for any windows in any zone", ({ expect }) => {
    const starts = ["0 */7 * * *", "*/20 9-17 * * 1-5", "15 3 1-15 * *", "30 2 * * 0", "0 0 * * *"];
    const anyWindow = fc.record({
      name: fc.constant("w"),
      type: fc.constantFrom("allow" as const, "freeze" as const),
      start: fc.constantFrom(...starts),
      durationMs: fc.integer({ min: 1, max: 400 }).map((fives) => fives * fiveMinutes),
      timezone: fc.constantFrom(
        "Etc/UTC",
        "Europe/Berlin",
        "America/Havana",
        "Australia/Lord_Howe",
      ),
      letStrengtheningPass: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyWindow, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("2026-03-07", "2026-03-28", "2026-04-04", "2026-10-24", "2026-10-31"),
        fc.integer({ min: 0, max: 288 }),
        (windows, day, fives) => {
          const { freezeAt, endOfFreeze } = windowsOf(windows);
          const now = new Date(Date.parse(`${day}T00:00:00Z`) + fives * fiveMinutes);
          const frozen = freezeAt(now);
          fc.pre(frozen !== undefined);
          const isLess = (at: number): boolean => {
            const then = freezeAt(new Date(at));
            return (
              then === undefined || (then.letStrengtheningPass && !frozen.letStrengtheningPass)
            );
          };
          const end = Number(endOfFreeze(now) ?? Infinity);
          const horizon = Number(now) + 48 * hour;
          const found = Array.from(
            { length: 48 * 12 },
            (_, nth) => Number(now) + nth * fiveMinutes,
          );
          const first = found.find(isLess);
          expect(first ?? horizon).toBe(Math.min(end, horizon));
        },
      ),
      cases(25),
    );
  });
});
