import { describe, it } from "vitest";

import { compareFleets } from "../../src/reconcile/fleet/fleet-guard.ts";
import { zoneName, type ZoneName } from "../../src/zone/zone.ts";

const limits = { maxFleetShare: 0.3, minFleet: 10, accept: [] };

/** Zones `z1.example` … with a digest each; the first `changed` of them differ. */
function fleet(size: number, changed = 0): ReadonlyMap<ZoneName, string> {
  return new Map(
    Array.from({ length: size }, (_, index) => {
      const name = zoneName(`z${index}.example`);
      if (name === undefined) throw new Error("no zone name");
      return [name, index < changed ? "other" : "same"] as const;
    }),
  );
}

describe("a new revision of the files", () => {
  it.for([
    { when: "nothing changes", before: fleet(10), after: fleet(10), refused: false },
    {
      when: "a share within the limit changes",
      before: fleet(10),
      after: fleet(10, 3),
      refused: false,
    },
    { when: "more than the limit changes", before: fleet(10), after: fleet(10, 4), refused: true },
    { when: "more than the limit is dropped", before: fleet(10), after: fleet(6), refused: true },
    { when: "the fleet is small", before: fleet(9), after: fleet(9, 9), refused: false },
    { when: "zones are only added", before: fleet(10), after: fleet(100), refused: false },
    { when: "it is the first one", before: fleet(0), after: fleet(500), refused: false },
    { when: "a small fleet is dropped whole", before: fleet(1), after: fleet(0), refused: true },
  ])("when $when", ({ before, after, refused }, { expect }) => {
    expect(compareFleets(before, after, "abc1234def", limits) !== undefined).toBe(refused);
  });

  it("says the numbers, the limit and the way out", ({ expect }) => {
    const hold = compareFleets(fleet(10), fleet(8, 2), "abc1234def", limits);
    expect(hold).toEqual({
      reason: "fleet_change",
      touched: new Set(["z0.example", "z1.example", "z8.example", "z9.example"]),
      message:
        "revision abc1234def changes 2 and drops 2 of 10 zones (40 %), the limit is 30 %: acknowledge it by adding abc1234def to limits.accept, or raise limits.max_fleet_share",
    });
  });

  it.for([
    { size: 1_000, changed: 301, says: "(30.1 %), the limit is 30 %:" },
    { size: 10_000, changed: 3_001, says: "(30.01 %), the limit is 30 %:" },
    { size: 10_000, changed: 5_001, says: "(50 %), the limit is 30 %:" },
  ])("never says that $changed of $size is the limit it is over", (given, { expect }) => {
    const { size, changed, says } = given;
    const hold = compareFleets(fleet(size), fleet(size, changed), "abc1234def", limits);
    expect(hold?.message).toContain(says);
  });

  it.for([
    { accept: "abc1234def", refused: false },
    { accept: "abc1234", refused: false },
    { accept: "abc", refused: true },
    { accept: "0000000", refused: true },
  ])("acknowledged as $accept is refused: $refused", ({ accept, refused }, { expect }) => {
    const acknowledged = { ...limits, accept: [accept] };
    const hold = compareFleets(fleet(10), fleet(10, 5), "abc1234def", acknowledged);
    expect(hold !== undefined).toBe(refused);
  });

  it.for([
    { accept: "sha256-0357424802a9", refused: false },
    { accept: "0357424802a9", refused: false },
    { accept: "03574248", refused: false },
    { accept: "sha256-03574248", refused: false },
    { accept: "sha256-", refused: true },
    { accept: "sha256-0357424802aa", refused: true },
  ])(
    "named by its content is released by $accept, with or without the kind of hash: refused $refused",
    ({ accept, refused }, { expect }) => {
      const acknowledged = { ...limits, accept: [accept] };
      const revision = "sha256-0357424802a9";
      const hold = compareFleets(fleet(10), fleet(10, 5), revision, acknowledged);
      expect(hold !== undefined).toBe(refused);
    },
  );

  it("is followed where it is the first one, however small the fleets that are judged", ({
    expect,
  }) => {
    const judged = { ...limits, minFleet: 0 };
    expect(compareFleets(fleet(0), fleet(5), "abc1234def", judged)).toBeUndefined();
  });

  it("is never followed to no zone at all, acknowledged or not", ({ expect }) => {
    const acknowledged = { ...limits, accept: ["abc1234def"] };
    expect(compareFleets(fleet(10), fleet(0), "abc1234def", acknowledged)?.reason).toBe(
      "fleet_change",
    );
  });
});
