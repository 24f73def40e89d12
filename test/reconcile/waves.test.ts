import * as fc from "fast-check";
import { describe, it } from "vitest";

import { changesInWaves, wavesOf } from "../../src/reconcile/fleet/waves.ts";
import type { Wave } from "../../src/zone/wave.ts";
import { cases } from "../support/properties.ts";
import { change, named } from "../support/reports.ts";
import { many } from "../support/world.ts";

const seven = new Set(many(7).map(named));

function membersOf(waves: readonly Wave[], zones = seven): readonly (readonly string[])[] {
  const found = wavesOf(waves, zones);
  return waves.map((_, nth) => [...zones].filter((name) => found.get(name) === nth + 1));
}

function canaries(...zones: readonly string[]): Wave {
  return { by: "zones", zones: zones.map(named) };
}

function share(of: number): Wave {
  return { by: "share", share: of };
}

/** Shares that rise to all zones, with a wave of named zones between them. */
const anyWaves: fc.Arbitrary<readonly Wave[]> = fc
  .tuple(
    fc.array(fc.double({ min: 0.01, max: 0.99, noNaN: true }), { maxLength: 4 }),
    fc.subarray([...many(30)]),
    fc.nat(4),
  )
  .map(([shares, zones, at]) => {
    const rising = [...shares.toSorted((a, b) => a - b), 1].map(share);
    return rising.toSpliced(at, 0, canaries(...zones));
  });

const anyFleet = fc
  .subarray([...many(60)], { minLength: 1 })
  .map((zones) => new Set(zones.map(named)));

describe("the waves of a fleet", () => {
  it("begin with the zones that are named, whatever their hash", ({ expect }) => {
    const [first, second, third] = membersOf([
      canaries("z4.example", "z2.example"),
      share(0.6),
      share(1),
    ]);
    expect(first).toEqual(["z2.example", "z4.example"]);
    expect([second?.length, third?.length]).toEqual([3, 2]);
  });

  it("leave a zone out of a share that a later wave names", ({ expect }) => {
    const [first = []] = membersOf([share(0.3), share(1)]);
    const [one = ""] = first;
    const moved = membersOf([share(0.3), canaries(one), share(1)]);
    expect(moved[0]).toHaveLength(3);
    expect(moved[0]).not.toContain(one);
    expect(moved[1]).toEqual([one]);
  });

  it("count zones that are named towards the share", ({ expect }) => {
    const [, rest] = membersOf([
      canaries("z0.example", "z1.example", "z5.example"),
      share(0.4),
      share(1),
    ]);
    expect(rest).toEqual([]);
  });

  it("are the same for every revision and every order of the zones", ({ expect }) => {
    const waves = [share(0.3), share(0.7), share(1)];
    expect(
      membersOf(waves, new Set([...seven].toReversed())).map((each) => each.toSorted()),
    ).toEqual(membersOf(waves).map((each) => each.toSorted()));
  });

  it("have each zone once, and no more zones than their shares", ({ expect }) => {
    fc.assert(
      fc.property(anyWaves, anyFleet, (waves, zones) => {
        const found = wavesOf(waves, zones);
        expect(new Set(found.keys())).toEqual(zones);
        for (const [nth, wave] of waves.entries()) {
          if (wave.by === "zones") continue;
          const byName = new Set(waves.flatMap((each) => (each.by === "zones" ? each.zones : [])));
          const before = [...found].filter(([name, at]) => at <= nth + 1 && !byName.has(name));
          expect(before.length).toBeLessThanOrEqual(Math.ceil(wave.share * zones.size));
        }
      }),
      cases(500),
    );
  });

  it("move at most one zone for each wave when a zone is added", ({ expect }) => {
    fc.assert(
      fc.property(anyWaves, anyFleet, (waves, zones) => {
        const [before, after] = [zones, new Set([...zones, named("added.example")])].map((each) =>
          wavesOf(waves, each),
        );
        const moved = [...zones].filter((name) => before?.get(name) !== after?.get(name));
        expect(moved.length).toBeLessThanOrEqual(waves.length);
      }),
      cases(500),
    );
  });
});

describe("the changes that go out in waves", () => {
  const breaking = change("policy/allow", "strengthens", { mayBreak: true });
  const safe = change("policy/log", "strengthens");
  const weaker = change("policy/off", "weakens");
  const unclear = change("policy/odd", "unclear");
  const title = change("policy/title", "neutral");
  const all = [breaking, safe, weaker, unclear, title];

  it.for([
    { appliesTo: "may_break", expected: [breaking] },
    { appliesTo: "weakens", expected: [weaker, unclear] },
    { appliesTo: "all", expected: [breaking, weaker, unclear, title] },
  ] as const)(
    "are those that applies_to names: $appliesTo",
    ({ appliesTo, expected }, { expect }) => {
      expect(changesInWaves(all, appliesTo)).toEqual(expected);
    },
  );
});
