import { describe, it } from "vitest";

import { selectZones } from "../../src/desired/zones/select.ts";
import { declaredIn } from "../../src/reconcile/fleet/desired-fleet.ts";
import type { DesiredState, Select } from "../../src/zone/desired-state.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { diagnostic } from "../support/reports.ts";
import {
  activeRevision,
  byName,
  document,
  files,
  limits,
  listing,
  names,
  off,
  on,
  withActive,
  zones,
  judge,
  judgeBy,
} from "../support/revision-files.ts";
import { zone } from "../support/service.ts";

describe("the active revision", () => {
  it("is none before the first load, and after a first load of which nothing is usable", ({
    expect,
  }) => {
    const active = activeRevision(selectZones);
    const { fleet, latest } = active;
    const { revision, commit } = active.active;
    expect({ revision, commit, declared: declaredIn(fleet), latest }).toEqual({
      revision: "",
      commit: undefined,
      declared: 0,
      latest: undefined,
    });
    const broken = files("r0", [], { usable: false, diagnostics: [diagnostic()] });
    const loaded = active.activate(broken, listing(2), judge);
    expect(loaded).toMatchObject({
      result: "rejected",
      active: { revision: "", hash: "" },
      diagnostics: [diagnostic()],
      hold: undefined,
    });
    expect([active.latest, active.latestUsable, active.active.revision]).toEqual([
      broken,
      undefined,
      "",
    ]);
  });

  it("is known by its content and by the commit that it comes from", ({ expect }) => {
    const active = activeRevision(selectZones);
    active.activate(files("r1", byName(2), { commit: "8db4839c" }), listing(2), judge);
    expect([active.active.revision, active.active.commit]).toEqual(["r1", "8db4839c"]);
    // A revision of which nothing is usable has no say in it.
    const broken = files("r2", [], { commit: "11111111", usable: false });
    active.activate(broken, listing(2), judge);
    expect([active.active.revision, active.active.commit]).toEqual(["r1", "8db4839c"]);
    expect([active.latest, active.latestUsable?.revision]).toEqual([broken, "r1"]);
  });

  it("counts the declared zones that the service does not list", ({ expect }) => {
    const active = activeRevision(selectZones);
    const loaded = active.activate(files("r1", byName(3)), listing(2), judge);
    expect([...active.fleet.zones.keys()]).toEqual(["z0.example", "z1.example"]);
    expect([declaredIn(active.fleet), declaredIn(loaded.fleet)]).toEqual([3, 3]);
  });

  it("is partly active where a file has an error, and wholly where it has a warning", ({
    expect,
  }) => {
    const active = withActive(2);
    const warned = [diagnostic({ severity: "warning" })];
    const load = (revision: string, diagnostics: DesiredState["diagnostics"]): unknown =>
      active.activate(files(revision, byName(2), { diagnostics }), listing(2), judge).result;
    expect(load("r2", warned)).toBe("applied");
    expect(load("r2", warned)).toBe("unchanged");
    expect(load("r3", [diagnostic()])).toBe("partial");
  });

  it.for([{ result: "applied" }, { result: "held" }, { result: "rejected" }])(
    "says what is wrong in the files and in the listing where it is $result",
    ({ result }, { expect }) => {
      const active = withActive(4);
      const documents = result === "held" ? byName(4, off) : [...byName(4)];
      // No listed zone matches it.
      const selector = { name: ["w*.example"] };
      const unused = document({ by: "selector", selector }, on);
      active.activate(files("r1a", [...byName(4), unused]), listing(4), judge);
      const state = files("r2", [...documents, unused], {
        diagnostics: [diagnostic({ severity: "warning" })],
        usable: result !== "rejected",
      });
      const loaded = active.activate(state, listing(4), judge);
      expect(loaded.result).toBe(result);
      expect(loaded.diagnostics.map(({ code }) => code)).toEqual([
        "SCHEMA_ENUM",
        "SELECTOR_UNUSED",
      ]);
    },
  );

  it("is not searched in the listing again while neither changes", ({ expect }) => {
    let searches = 0;
    const select: Select = (documents, known) => {
      searches += 1;
      return selectZones(documents, known);
    };
    const active = activeRevision(select);
    const [state, known] = [files("r1", byName(5)), listing(5)];
    active.activate(state, known, judge);
    const { fleet } = active;
    for (let load = 0; load < 3; load += 1) active.activate(state, known, judge);
    expect(searches).toBe(1);
    expect(active.fleet).toBe(fleet);
  });

  it.for([
    { count: 1, says: "but 1 zone is active" },
    { count: 2, says: "but 2 zones are active" },
  ])("is kept where the files declare no zone, $says", ({ count, says }, { expect }) => {
    const active = withActive(count);
    const loaded = active.activate(files("r2", []), listing(count), judge);
    expect(loaded).toMatchObject({
      result: "rejected",
      active: { revision: "r1" },
      diagnostics: [
        {
          code: "NO_ZONE_DECLARED",
          severity: "error",
          place: { file: ".", line: 1, column: 1 },
          path: "",
          message: `the files declare no zone, ${says}`,
          remedy: "restore the zone files; to stop managing all zones, stop zonewarden",
        },
      ],
    });
    expect(active.fleet.zones.size).toBe(count);
  });

  it("may declare no zone where none was active", ({ expect }) => {
    const active = activeRevision(selectZones);
    expect(active.activate(files("r1", []), listing(2), judge).result).toBe("applied");
  });
});

describe("a revision that was active before a restart", () => {
  it("is compared whole with the next one, though few of its zones are listed", ({ expect }) => {
    const active = activeRevision(selectZones);
    active.restore(files("r1", byName(10)));
    const loaded = active.activate(files("r2", byName(10, off)), listing(2), judge);
    expect(loaded).toMatchObject({ result: "held", active: { revision: "r1" } });
    expect(loaded.hold?.touched).toEqual(names(10));
  });

  it("is compared in zones that are not listed only where their content is known", ({ expect }) => {
    const active = activeRevision(selectZones);
    const [z0, z1, z2, z3] = zones(4);
    if (z0 === undefined || z1 === undefined || z2 === undefined || z3 === undefined) {
      throw new Error("no zones");
    }
    const documents = [
      document({ by: "name", name: z0.name }, on),
      document({ by: "name", name: z1.name }, off, { needsListing: true }),
      document({ by: "id", id: z2.id }, on),
      document({ by: "id", id: z3.id }, off, { needsListing: true }),
    ];
    active.restore(files("r1", documents));
    const other = zone("other.example", { id: zoneId("f".repeat(32)) ?? z0.id });
    const loaded = active.activate(
      files("r2", [document({ by: "name", name: other.name }, on)]),
      { zones: [other], unlisted: [] },
      judgeBy({ ...limits, minFleet: 1 }),
    );
    expect(loaded.hold?.touched).toEqual(new Set(["z0.example"]));
    expect(loaded.hold?.message).toContain("changes 0 and drops 1 of 1 zones");
  });

  it("waits for the listing before anything is compared or replaced", ({ expect }) => {
    const active = activeRevision(selectZones);
    active.restore(files("r1", byName(2)));
    const loaded = active.activate(files("r2", byName(2, off)), undefined, judge);
    expect(loaded).toMatchObject({ result: "unchanged", active: { revision: "r1" } });
    expect(active.active.revision).toBe("r1");
    // Once it was compared, a listing is not waited for any more.
    expect(active.activate(files("r2", byName(2, off)), listing(2), judge).result).toBe("applied");
    expect(active.active.revision).toBe("r2");
  });
});
