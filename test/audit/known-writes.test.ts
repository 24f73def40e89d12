import { describe, it } from "vitest";

import { KnownWrites } from "../../src/audit/known-writes.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { auditEntry, idOf, writeEntry } from "../support/audit-entries.ts";
import { at, named } from "../support/reports.ts";

const nameOf = (number: number): ZoneName => named(`zone-${number}.example.com`);

function entries(count: number, minutes: number): readonly AuditEntry[] {
  const path = `/zones/${idOf(1)}/page_shield`;
  return Array.from({ length: count }, (_, index) =>
    writeEntry({
      who: "alice@example.com",
      id: `${index}`,
      at: at(minutes),
      method: "PUT",
      path,
      body: { enabled: false },
    }),
  );
}

describe("the known writes of zones", () => {
  it("are at most 200 of a zone and 10,000 of all, and say where some were left out", ({
    expect,
  }) => {
    const known = new KnownWrites();
    for (let number = 0; number < 60; number += 1) {
      known.add(nameOf(number), entries(number === 59 ? 300 : 200, 1), at(2));
    }
    const counts = Array.from(
      { length: 60 },
      (_, number) => known.since(nameOf(number), at(0)).length,
    );
    expect(Math.max(...counts)).toBe(200);
    expect(counts.reduce((sum, each) => sum + each)).toBe(10_000);
    // The zones that were seen last are kept.
    expect(counts.findIndex((each) => each > 0)).toBe(10);
    const complete = counts.map((_, number) => known.isCompleteSince(nameOf(number), at(0)));
    expect(complete.indexOf(true)).toBe(10);
    expect(complete.lastIndexOf(true)).toBe(58);
    expect(known.isCompleteSince(nameOf(0), at(3))).toBe(true);
    expect(known.isCompleteSince(nameOf(0), at(2))).toBe(false);

    known.forget(nameOf(0));
    known.forget(nameOf(20));
    expect(known.names).toHaveLength(58);
    known.add(nameOf(20), entries(1, 4), at(5));
    expect(known.since(nameOf(20), at(0))).toHaveLength(1);
    expect(known.isCompleteSince(nameOf(20), at(0))).toBe(true);
    expect(known.since(nameOf(10), at(0))).toHaveLength(200);
  });

  it("are those of all reads, in the order of their times, and nothing that wrote nothing", ({
    expect,
  }) => {
    const known = new KnownWrites();
    const [late, early] = [entries(1, 3), entries(1, 2)];
    known.add(nameOf(1), [...late, auditEntry()], at(4));
    known.add(nameOf(1), early, at(5));
    known.add(nameOf(2), [auditEntry()], at(5));
    expect(known.since(nameOf(1), at(0))).toEqual([...early, ...late]);
    expect(known.names).toEqual([nameOf(1)]);
  });

  it("are dropped first of the zones that were not seen for longest", ({ expect }) => {
    const known = new KnownWrites();
    for (let number = 0; number < 300; number += 1) known.forget(nameOf(number));
    for (let number = 0; number < 50; number += 1) {
      known.add(nameOf(number), entries(200, 1), at(2));
    }
    known.add(nameOf(0), entries(1, 1), at(2));
    expect(known.since(nameOf(0), at(0))).toHaveLength(200);
    known.add(nameOf(50), entries(1, 1), at(2));
    const left = [0, 1, 2, 50].map((number) => known.since(nameOf(number), at(0)).length);
    expect(left).toEqual([200, 0, 200, 1]);
  });

  it("leave out what happened, or was read, before a moment", ({ expect }) => {
    const known = new KnownWrites();
    known.add(nameOf(1), entries(1, 3), at(4));
    expect(known.since(nameOf(1), at(2))).toHaveLength(1);
    expect(known.since(nameOf(1), at(3))).toHaveLength(0);
    // A clock of the service that is ahead of ours.
    known.add(nameOf(2), entries(1, 9), at(4));
    expect(known.since(nameOf(2), at(5))).toHaveLength(0);
    expect(known.since(nameOf(2), at(4))).toHaveLength(1);
  });
});
