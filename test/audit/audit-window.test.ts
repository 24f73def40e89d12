import * as fc from "fast-check";
import { describe, it } from "vitest";

import { afterRead, nextWindow, type ReadUpTo } from "../../src/audit/audit-window.ts";
import { SeenEntries } from "../../src/audit/seen-entries.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import { auditEntry } from "../support/audit-entries.ts";
import { cases } from "../support/properties.ts";

const minuteMs = 60_000;
const start = Date.parse("2026-11-20T12:00:00Z");

function at(minutes: number): Date {
  return new Date(start + minutes * minuteMs);
}

describe("the window of a read", () => {
  it.for([
    { when: "nothing was seen", upTo: { readAt: at(0), newest: undefined }, since: at(-10) },
    { when: "the newest entry is old", upTo: { readAt: at(59), newest: at(30) }, since: at(20) },
    { when: "the last read is old", upTo: { readAt: at(30), newest: at(40) }, since: at(20) },
    { when: "our clock was ahead", upTo: { readAt: at(90), newest: at(90) }, since: at(50) },
    {
      when: "nothing was read for days",
      upTo: { readAt: at(-5_000), newest: undefined },
      since: at(60 - 24 * 60),
    },
  ])("when $when", ({ upTo, since }, { expect }) => {
    const window = nextWindow(at(60), upTo, 10 * minuteMs);
    expect(window).toEqual({ since, before: at(120) });
  });

  it("does not move with times in the future", ({ expect }) => {
    const upTo = { readAt: at(0), newest: at(0) };
    const entries = [3, 500, 1].map((minutes) => auditEntry({ at: at(minutes) }));
    expect(afterRead(upTo, at(5), entries)).toEqual({ readAt: at(5), newest: at(3) });
    const first = { readAt: at(0), newest: undefined };
    expect(afterRead(first, at(5), entries)).toEqual({ readAt: at(5), newest: at(3) });
    const now = [auditEntry({ at: at(5) })];
    expect(afterRead(first, at(5), now).newest).toEqual(at(5));
    const late = { readAt: at(3), newest: at(4) };
    expect(afterRead(late, at(5), entries).newest).toEqual(at(4));
  });
});

describe("the reads of an audit log", () => {
  const history = fc.array(
    fc.record({ minute: fc.nat(60), lateMinutes: fc.nat(9), repeated: fc.boolean() }),
    { maxLength: 40 },
  );

  it("find every entry once that comes no later than the overlap, in any order", ({ expect }) => {
    fc.assert(
      fc.property(history, fc.integer({ min: 1, max: 9 }), (events, everyMinutes) => {
        const log = events.map(({ minute, ...rest }, index) => ({
          entry: auditEntry({ id: `${index}`, at: at(minute) }),
          visible: minute + rest.lateMinutes,
          repeated: rest.repeated,
        }));
        const seen = new SeenEntries();
        const found: AuditEntry[] = [];
        let upTo: ReadUpTo = { readAt: at(0), newest: undefined };
        for (let minute = 0; minute <= 90; minute += everyMinutes) {
          const { since, before } = nextWindow(at(minute), upTo, 10 * minuteMs);
          const read = log
            .filter(({ visible }) => visible <= minute)
            .flatMap(({ entry, repeated }) => (repeated ? [entry, entry] : [entry]))
            .filter((entry) => entry.at >= since && entry.at < before);
          const { entries } = seen.add(read);
          upTo = afterRead(upTo, at(minute), entries);
          found.push(...entries);
        }
        expect(new Set(found).size).toBe(found.length);
        expect(found.length).toBe(log.length);
      }),
      cases(300),
    );
  });

  it("count an id that comes again with other content, and keep the first", ({ expect }) => {
    const seen = new SeenEntries();
    const first = auditEntry({ id: "a", path: "/zones/1" });
    const forged = auditEntry({ id: "a", path: "/zones/2" });
    expect(seen.add([first, forged, first])).toEqual({ entries: [first], contradictory: 1 });
    expect(seen.add([first])).toEqual({ entries: [], contradictory: 0 });
  });
});
