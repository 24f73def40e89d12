import { describe, it } from "vitest";

import { Fleet } from "../../src/state/fleet.ts";
import { JoinedFleet, joinLoads } from "../../src/state/joined-fleet.ts";
import type { LoadReport } from "../../src/state/load-report.ts";
import { at, declared, diagnostic, heldLoad, load } from "../support/reports.ts";

function part(...zones: readonly string[]): Fleet {
  const fleet = new Fleet();
  fleet.declare(
    zones.map((name) => declared(name)),
    at(0),
  );
  return fleet;
}

function joined(...parts: readonly Fleet[]): JoinedFleet {
  return new JoinedFleet(() => parts);
}

describe("several parts of a fleet", () => {
  it("show all zones, by name, and find each", ({ expect }) => {
    const fleet = joined(part("b.example.com", "d.example.com"), part("a.example.com"));
    expect(fleet.zones.map((zone) => zone.declared.name)).toEqual([
      "a.example.com",
      "b.example.com",
      "d.example.com",
    ]);
    expect(fleet.zone("a.example.com")?.declared.name).toBe("a.example.com");
    expect(fleet.zone("c.example.com")).toBe(undefined);
    // Nothing has changed: the same list.
    expect(fleet.zones).toBe(fleet.zones);
  });

  it("are ready where there is none, and where one has an active revision", ({ expect }) => {
    expect(joined().hasActiveRevision).toBe(true);
    const [one, other] = [part(), part()];
    expect(joined(one, other).hasActiveRevision).toBe(false);
    one.recordLoad(load());
    expect(joined(one, other).hasActiveRevision).toBe(true);
  });

  it("were loaded when the one was that waits longest", ({ expect }) => {
    const [one, other] = [part(), part()];
    one.recordLoad(load({ at: at(3) }));
    other.recordLoad(load({ at: at(2) }));
    expect(joined(one, other, part()).loadedAt).toEqual(at(2));
  });

  it("remember what was removed from each, the latest first", ({ expect }) => {
    const [one, other] = [part("a.example.com"), part("b.example.com")];
    one.declare([], at(1));
    other.declare([], at(2));
    expect(joined(one, other).removedSince(at(0))).toEqual([
      { zone: "b.example.com", at: at(2) },
      { zone: "a.example.com", at: at(1) },
    ]);
  });
});

function held(message: string): LoadReport {
  const base = heldLoad();
  const hold = { reason: "fleet_change" as const, message };
  return heldLoad({ held: base.held && { ...base.held, hold } });
}

describe("the loads of several parts", () => {
  it("are none where there is none, and the only one where there is one", ({ expect }) => {
    expect(joinLoads([])).toBe(undefined);
    const only = load();
    expect(joinLoads([only])).toBe(only);
  });

  it.for([
    { results: ["unchanged", "applied"], is: "applied" },
    { results: ["partial", "applied"], is: "partial" },
    { results: ["partial", "rejected", "unchanged"], is: "rejected" },
  ] as const)("$results are $is", ({ results, is }, { expect }) => {
    expect(joinLoads(results.map((result) => load({ result })))?.result).toBe(is);
  });

  it("count all zones, and name what is wrong once", ({ expect }) => {
    const wrong = diagnostic();
    const loads = [
      load({ zones: 2, diagnostics: [wrong], at: at(2) }),
      load({ zones: 3, diagnostics: [wrong], at: at(1) }),
    ];
    expect(joinLoads(loads)).toMatchObject({ zones: 5, diagnostics: [wrong], at: at(2) });
  });

  it("show every hold that a person has to accept", ({ expect }) => {
    const both = joinLoads([held("accept one"), load(), held("accept two"), held("accept one")]);
    expect(both?.result).toBe("held");
    expect(both?.held?.hold.message).toBe("accept one; accept two");
  });
});
