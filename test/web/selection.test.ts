import { describe, it } from "vitest";

import { zoneStatuses } from "../../src/state/zone-state.ts";
import {
  choicesOf,
  inventoryFilters,
  queryOf,
  select,
  selectionFrom,
  selectStored,
} from "../../src/web/pages/selection.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import { a, drifted, fleetOf, held, shop } from "../support/fleets.ts";
import { inventoryRead } from "../support/inventories.ts";
import { script } from "../support/inventory.ts";
import { change, declared, hold, named, report } from "../support/reports.ts";
import { scene } from "../support/scenes.ts";

const everything = {
  status: undefined,
  inventory: undefined,
  account: "",
  drift: undefined,
  author: "",
  cause: "",
  selector: "",
  query: "",
  sort: "urgency",
  page: 1,
} as const;

/** A script that the service calls malicious. */
function malicious(status: string, nth = 0): Script {
  return script(`https://evil.example/${nth}.js`, { status, urlReportedMalicious: true });
}

describe("a selection", () => {
  it.for([
    { query: {}, is: everything },
    {
      query: { status: "drifted", q: " Shop " },
      is: { ...everything, status: "drifted", query: "shop" },
    },
    { query: { inventory: "malicious" }, is: { ...everything, inventory: "malicious" } },
    { query: { inventory: "everything" }, is: everything },
    { query: { page: "3" }, is: { ...everything, page: 3 } },
    { query: { status: "<script>", page: "-1" }, is: everything },
    { query: { page: "0" }, is: everything },
    { query: { page: "1e99" }, is: everything },
    { query: { selector: "team=pay,!old" }, is: { ...everything, selector: "team=pay,!old" } },
    { query: { selector: "Team=pay" }, is: everything },
  ] as const)("is read from $query", ({ query, is }, { expect }) => {
    expect(selectionFrom(query)).toEqual(is);
  });

  it("can be written as a link and read again", ({ expect }) => {
    const selection = {
      status: "held",
      inventory: "outside",
      account: "Example Shops",
      drift: "weakens",
      author: "alice@example.com in the dashboard",
      cause: "a-b_c0",
      selector: "team=payments,tier!=gold",
      query: "a b&c",
      sort: "since",
      page: 2,
    } as const;
    const query = queryOf(selection);
    expect(selectionFrom(Object.fromEntries(new URLSearchParams(query)))).toEqual(selection);
    expect(queryOf(everything)).toBe("");
  });
});

describe("the selected zones", () => {
  const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.example.com`);
  const fleet = fleetOf(...names.map((name) => declared(name)));
  const stronger = change("managed_rule/x", "weakens");
  fleet.recordZone(report("a.example.com", 1, { result: "in_sync" }));
  fleet.recordZone(
    report("b.example.com", 1, { result: "planned", cause: "drift", changes: [stronger] }),
  );
  fleet.recordZone(report("c.example.com", 1, { result: "error" }));
  fleet.recordZone(report("d.example.com", 1, { ...held("weakening") }));

  it("come in the order of their urgency: weakened ones first", ({ expect }) => {
    const { zones } = select(fleet.zones, everything);
    expect(zones.map((state) => `${state.declared.name} ${state.status}`)).toEqual([
      "d.example.com held",
      "c.example.com error",
      "b.example.com drifted",
      "e.example.com unknown",
      "a.example.com in_sync",
    ]);
  });

  it.for<{ readonly when: string; readonly items: readonly Script[]; readonly isFirst: boolean }>([
    { when: "is active", items: [malicious("active")], isFirst: true },
    { when: "is not active", items: [malicious("inactive")], isFirst: false },
    {
      when: "is beyond what is listed",
      items: Array.from({ length: 201 }, (_, nth) => malicious("inactive", nth)),
      isFirst: true,
    },
  ])(
    "come after weakened ones where something malicious $when",
    ({ items, isFirst }, { expect }) => {
      const watched = fleetOf(declared("a.example"), declared("b.example"), declared("c.example"));
      watched.recordZone(
        report("a.example", 1, {
          result: "held",
          cause: "pending",
          changes: [a],
          holds: [hold("quota")],
        }),
      );
      watched.recordZone(report("c.example", 1, drifted));
      watched.followInventory(true);
      watched.recordInventory(inventoryRead("b.example", 2, { items }));
      const [weakened, next] = select(watched.zones, everything).zones;
      expect(select(watched.zones, { ...everything, inventory: "malicious" }).matching).toBe(1);
      expect(weakened?.declared.name).toBe("c.example");
      expect(next?.declared.name).toBe(isFirst ? "b.example" : "a.example");
    },
  );

  it("of a store come in the order of their urgency", ({ expect }) => {
    const stored = zoneStatuses.map((status) => {
      return {
        name: named(`${status.replace("_", "-")}.example`),
        status,
        labels: {},
        entry: undefined,
      };
    });
    expect(selectStored(stored, everything).zones.map(({ status }) => status)).toEqual([
      "held",
      "error",
      "drifted",
      "pending",
      "differs",
      "suspended",
      "unknown",
      "in_sync",
    ]);
  });

  const found = (query: string): number => select(fleet.zones, { ...everything, query }).matching;

  it("are found by part of the name, by account and by id", ({ expect }) => {
    expect(found("b.exam")).toBe(1);
    expect(found("example shops")).toBe(3);
    expect(found("023e105f4ecef8ad9ca31a8372d0c353")).toBe(3);
    expect(found("023e105f4e")).toBe(0);
  });

  it.for([
    { selector: "team=payments", finds: ["a.example", "b.example"] },
    { selector: "team=payments,tier!=gold", finds: ["b.example"] },
    { selector: "!team", finds: ["d.example"] },
  ])("are found by their labels: $selector", ({ selector, finds }, { expect }) => {
    const labelled = fleetOf(
      declared("a.example", { labels: { tier: "gold", team: "payments" } }),
      declared("b.example", { labels: { team: "payments" } }),
      declared("c.example", { labels: { team: "search" } }),
      declared("d.example"),
    );
    const selected = select(labelled.zones, { ...everything, selector });
    expect(selected.zones.map((state) => state.declared.name)).toEqual(finds);
    expect(selected.counts.unknown).toBe(finds.length);
    expect(choicesOf(labelled.zones).labels).toEqual(["team=payments", "team=search", "tier=gold"]);
  });

  it("are counted before the status is applied, so that the filter can be changed", ({
    expect,
  }) => {
    const { counts, matching, zones } = select(fleet.zones, { ...everything, status: "error" });
    expect(counts).toMatchObject({ error: 1, held: 1, in_sync: 1, suspended: 0 });
    expect([matching, zones.length]).toEqual([1, 1]);
  });

  it.for([
    { inventory: "malicious", finds: [shop] },
    { inventory: "outside", finds: [shop] },
    { inventory: "failing", finds: ["old.example.com", "pay.example.com"] },
    { inventory: "unread", finds: ["www.example.com"] },
  ] as const)("are found by their inventory: $inventory", (each, { expect }) => {
    const { zones } = select(scene().zones, { ...everything, inventory: each.inventory });
    expect(zones.map((state) => state.declared.name)).toEqual(each.finds);
  });

  it("are counted without their own filter", ({ expect }) => {
    const selected = select(scene().zones, {
      ...everything,
      status: "error",
      inventory: "malicious",
    });
    expect(selected.matching).toBe(0);
    expect(selected.counts).toMatchObject({ held: 1, error: 0, in_sync: 0 });
    expect(selected.inventory.zones).toEqual({ malicious: 0, outside: 0, failing: 1, unread: 0 });
  });

  it("do not match inventory filters if inventories are off", ({ expect }) => {
    for (const inventory of inventoryFilters) {
      expect(select(fleet.zones, { ...everything, inventory }).matching).toBe(0);
    }
  });

  it("come in pages of 50; a page beyond the end is the last one", ({ expect }) => {
    const many = fleetOf(...Array.from({ length: 120 }, (_, n) => declared(`z${n}.example.com`)));
    many.recordZone(
      report("z1.example.com", 1, { result: "planned", cause: "drift", changes: [a] }),
    );
    const page = (number: number): number =>
      select(many.zones, { ...everything, page: number }).zones.length;
    expect([page(1), page(2), page(3), page(9)]).toEqual([50, 50, 20, 20]);
  });
});
