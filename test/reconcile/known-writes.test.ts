import { describe, it } from "vitest";

import { KnownWrites } from "../../src/reconcile/audit/known-writes.ts";
import type { AuditEntry } from "../../src/zone/audit-entry.ts";
import type { ZoneName } from "../../src/zone/zone.ts";
import { idOf, writeEntry } from "../support/audit-entries.ts";
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

    known.forget(nameOf(0));
    known.forget(nameOf(20));
    expect(known.names).toHaveLength(58);
    known.add(nameOf(20), entries(1, 4), at(5));
    expect(known.since(nameOf(20), at(0))).toHaveLength(1);
    expect(known.isCompleteSince(nameOf(20), at(0))).toBe(true);
    expect(known.since(nameOf(10), at(0))).toHaveLength(200);
  });

  it("leave out what happened, or was read, before a moment", ({ expect }) => {
    const known = new KnownWrites();
    known.add(nameOf(1), entries(1, 3), at(4));
    expect(known.since(nameOf(1), at(2))).toHaveLength(1);
    expect(known.since(nameOf(1), at(3))).toHaveLength(0);
    // A clock of the service that is ahead of ours.
    known.add(nameOf(2), entries(1, 9), at(4));
    expect(known.since(nameOf(2), at(5))).toHaveLength(0);
  });
});
