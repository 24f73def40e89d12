import { describe, it } from "vitest";

import { Fleet } from "../../src/state/fleet.ts";
import { neverRead } from "../../src/state/inventory.ts";
import { drifted, fleetOf, held, shop, stateAfter } from "../support/fleets.ts";
import {
  at,
  declared,
  diagnostic,
  failure,
  heldLoad,
  load,
  named,
  report,
  start,
} from "../support/reports.ts";
import { check, declaredScripts } from "../support/watched.ts";

describe("what is declared", () => {
  it("decides which zones there are, in the order of their names", ({ expect }) => {
    const fleet = fleetOf(declared("b.example.com"), declared("a.example.com"));
    expect(fleet.zones.map((state) => state.declared.name)).toEqual([
      "a.example.com",
      "b.example.com",
    ]);
  });

  it("keeps what is known of a zone, and forgets it with the zone", ({ expect }) => {
    const fleet = fleetOf();
    stateAfter(fleet, report(shop, 1, drifted));
    fleet.declare([declared(shop), declared("a.example.com")], at(2));
    expect(fleet.zone(shop)?.status).toBe("drifted");

    const removed = fleet.declare([declared("a.example.com")], at(3));
    expect(removed.map(({ status }) => status)).toEqual(["drifted"]);
    fleet.declare([declared(shop)], at(4));
    expect(fleet.zone(shop)?.status).toBe("unknown");
    expect(fleet.zones).toHaveLength(1);
  });

  it("ends a suspension, and nothing else that holds a plan", ({ expect }) => {
    const suspension = { reason: "migration", until: at(50) };
    const fleet = fleetOf(declared(shop, { suspension }));
    stateAfter(fleet, report(shop, 1, held("suspend", "weakening")));
    fleet.declare([declared(shop, { suspension, mode: "observe" })], at(2));
    expect(fleet.zone(shop)?.holds).toHaveLength(2);
    fleet.declare([declared(shop)], at(3));
    expect(fleet.zone(shop)?.holds).toMatchObject([{ reason: "weakening" }]);
  });

  it("ends a suspension whose time is over, of a zone that cannot be read too", ({ expect }) => {
    const zone = declared(shop, { suspension: { reason: "migration", until: at(50) } });
    const fleet = fleetOf(zone);
    stateAfter(fleet, report(shop, 1, held("suspend")), report(shop, 2, { result: "error" }));
    fleet.declare([zone], at(49));
    expect(fleet.zone(shop)?.holds).toHaveLength(1);
    fleet.declare([zone], at(50));
    expect(fleet.zone(shop)).toMatchObject({ holds: [], status: "error" });
  });

  it("has what runs, inventories and checks of scripts say, of zones that are declared", ({
    expect,
  }) => {
    const fleet = fleetOf(declared(shop), declared("a.example.com"));
    expect(fleet.zones.map(({ lastRun }) => lastRun)).toEqual([undefined, undefined]);
    expect(fleet.recordZone(report(shop, 1, drifted))).toMatchObject({
      before: { status: "unknown" },
      after: { status: "drifted" },
    });
    expect(fleet.zones.map(({ lastRun }) => lastRun?.at)).toEqual([undefined, at(1)]);
    const names = [shop, "gone.example.com"].map(named);
    for (const zone of names) {
      fleet.recordInventory({ result: "error", zone, at: at(1), failure: failure() });
    }
    expect(fleet.zones.map(({ inventory }) => inventory?.failingSince)).toEqual([undefined, at(1)]);
    const later = { result: "error", zone: named(shop), at: at(2), failure: failure() } as const;
    expect(fleet.recordInventory(later)).toMatchObject({ failingSince: at(1) });
    expect(fleet.zone(shop)?.inventory?.failingSince).toEqual(at(1));
    const { watch } = check(declaredScripts([]), undefined, at(2));
    for (const zone of names) fleet.recordScripts(zone, watch);
    expect(fleet.zones.map(({ scripts }) => scripts)).toEqual([undefined, watch]);
    fleet.followInventory(false);
    expect(fleet.zones.map(({ inventory }) => inventory)).toEqual([undefined, undefined]);
    fleet.followInventory(true);
    fleet.declare([declared(shop), declared("b.example.com")], at(3));
    expect(fleet.zones.map(({ inventory }) => inventory)).toEqual([neverRead, neverRead]);
  });

  it("leaves a zone that is declared as before as it is, to the very object", ({ expect }) => {
    const until = { reason: "migration", until: at(5) };
    const fleet = fleetOf(declared(shop, { suspension: until }), declared("a.example.com"));
    const { zones } = fleet;
    const same = [declared(shop, { suspension: until }), declared("a.example.com")];
    expect(fleet.declare(same, at(4))).toEqual([]);
    expect(fleet.zones).toBe(zones);

    fleet.declare(same, at(6));
    expect(fleet.zones[0]).toBe(zones[0]);
    expect(fleet.zones[1]).toMatchObject({ status: "unknown", statusSince: at(6) });

    fleet.declare([declared(shop, { mode: "observe" })], at(7));
    expect(fleet.zones).toMatchObject([{ declared: { mode: "observe" } }]);
    fleet.declare([declared(shop, { mode: "enforce" })], at(8));
    expect(fleet.zones).toMatchObject([{ declared: { mode: "enforce" } }]);
    fleet.declare([declared(shop, { labels: { team: "payments" } })], at(9));
    expect(fleet.zones).toMatchObject([{ declared: { labels: { team: "payments" } } }]);
  });

  it("knows since when a zone differed before the start, but not since a moment to come", ({
    expect,
  }) => {
    const fleet = new Fleet((zone) => ({
      drift: zone === shop ? start : at(1),
      pending: zone === shop ? at(-9) : undefined,
    }));
    fleet.declare([declared(shop), declared("a.example.com")], start);
    expect(fleet.zone(shop)).toMatchObject({ driftedSince: start, pendingSince: at(-9) });
    const seen = stateAfter(fleet, report(shop, 1, drifted));
    expect(seen).toMatchObject({ driftedSince: start, driftOnsets: 0 });
    expect(fleet.zone("a.example.com")).toMatchObject({
      driftedSince: undefined,
      pendingSince: undefined,
    });
  });

  it("ignores the report of a zone that was removed during its run", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report("gone.example.com", 1, drifted));
    expect(fleet.zone("gone.example.com")).toBeUndefined();
  });
});

describe("loads of the files", () => {
  it.for([
    { given: load(), active: true, loaded: true },
    { given: load({ result: "unchanged" }), active: true, loaded: true },
    {
      given: load({ diagnostics: [diagnostic({ severity: "warning" })] }),
      active: true,
      loaded: true,
    },
    { given: load({ zones: 0 }), active: true, loaded: true },
    {
      given: load({ result: "partial", diagnostics: [diagnostic()] }),
      active: true,
      loaded: false,
    },
    {
      given: load({ result: "rejected", diagnostics: [diagnostic()] }),
      active: false,
      loaded: false,
    },
    { given: heldLoad(), active: false, loaded: false },
  ])(
    "$given.result: a revision is active: $active, without errors: $loaded",
    ({ given, active, loaded }, { expect }) => {
      const fleet = new Fleet();
      fleet.recordLoad(given);
      expect(fleet.load).toBe(given);
      expect(fleet.hasActiveRevision).toBe(active);
      expect(fleet.loadedAt).toEqual(loaded ? start : undefined);
    },
  );

  it("remembers the zones that were removed for a day, unless they are declared again", ({
    expect,
  }) => {
    const fleet = new Fleet();
    const hour = 60;
    fleet.declare([declared("a.example"), declared("b.example"), declared("c.example")], at(0));
    fleet.declare([declared("c.example")], at(hour));
    expect(fleet.removedSince(at(0))).toEqual([
      { zone: "a.example", at: at(hour) },
      { zone: "b.example", at: at(hour) },
    ]);
    expect(fleet.removedSince(at(hour))).toHaveLength(2);
    fleet.declare([declared("a.example")], at(24 * hour));
    expect(fleet.removedSince(at(0)).map(({ zone }) => zone)).toEqual(["c.example", "b.example"]);
    expect(fleet.removedSince(at(2 * hour)).map(({ zone }) => zone)).toEqual(["c.example"]);
    fleet.declare([declared("a.example"), declared("d.example")], at(25 * hour));
    expect(fleet.removedSince(at(0)).map(({ zone }) => zone)).toEqual(["c.example", "b.example"]);
    fleet.declare([declared("d.example")], new Date(Number(at(25 * hour)) + 1));
    expect(fleet.removedSince(at(0)).map(({ zone }) => zone)).toEqual(["a.example", "c.example"]);
  });

  it("takes zones of the process before for removed that the first load does not declare", ({
    expect,
  }) => {
    const fleet = fleetOf();
    const gone = fleet.removeUndeclared([named("a.example"), named(shop)], at(1));
    expect(gone.map((state) => state.declared.name)).toEqual(["a.example"]);
    expect(fleet.removedSince(start)).toEqual([{ zone: "a.example", at: at(1) }]);
  });

  it("a revision that was active once stays active", ({ expect }) => {
    const fleet = new Fleet();
    fleet.recordLoad(load());
    fleet.recordLoad(load({ result: "rejected", at: at(9) }));
    expect(fleet.hasActiveRevision).toBe(true);
    expect(fleet.loadedAt).toEqual(start);
  });
});
