import { describe, it } from "vitest";

import { queryOf, select, selectionFrom } from "../../src/web/selection.ts";
import { a, fleetOf, held } from "../support/fleets.ts";
import { change, declared, report } from "../support/reports.ts";

const everything = { status: undefined, query: "", page: 1 } as const;

describe("a selection", () => {
  it.for([
    { query: {}, is: everything },
    {
      query: { status: "drifted", q: " Shop " },
      is: { status: "drifted", query: "shop", page: 1 },
    },
    { query: { page: "3" }, is: { ...everything, page: 3 } },
    { query: { status: "<script>", page: "-1" }, is: everything },
    { query: { page: "1e99" }, is: everything },
  ] as const)("is read from $query", ({ query, is }, { expect }) => {
    expect(selectionFrom(query)).toEqual(is);
  });

  it("can be written as a link and read again", ({ expect }) => {
    const selection = { status: "blocked", query: "a b&c", page: 2 } as const;
    const query = queryOf(selection);
    expect(selectionFrom(Object.fromEntries(new URLSearchParams(query)))).toEqual(selection);
    expect(queryOf(everything)).toBe("");
  });
});

describe("the selected zones", () => {
  const names = ["a", "b", "c", "d", "e"].map((name) => `${name}.example.com`);
  const fleet = fleetOf(...names.map((name) => declared(name)));
  const stronger = change("rule/x", "weakens");
  fleet.recordZone(report("a.example.com", 1, { result: "in-sync" }));
  fleet.recordZone(
    report("b.example.com", 1, { result: "ready", cause: "drift", changes: [stronger] }),
  );
  fleet.recordZone(report("c.example.com", 1, { result: "unreadable" }));
  fleet.recordZone(report("d.example.com", 1, { ...held("WEAKENING") }));

  it("come in the order of their urgency: weakened ones first", ({ expect }) => {
    const { zones } = select(fleet.zones, everything);
    expect(zones.map((state) => `${state.declared.name} ${state.status}`)).toEqual([
      "d.example.com blocked",
      "c.example.com error",
      "b.example.com drifted",
      "e.example.com unknown",
      "a.example.com in_sync",
    ]);
  });

  const found = (query: string): number => select(fleet.zones, { ...everything, query }).matching;

  it("are found by part of the name, by account and by id", ({ expect }) => {
    expect(found("b.exam")).toBe(1);
    expect(found("example shops")).toBe(3);
    expect(found("023e105f4ecef8ad9ca31a8372d0c353")).toBe(3);
    expect(found("023e105f4e")).toBe(0);
  });

  it("are counted before the status is applied, so that the filter can be changed", ({
    expect,
  }) => {
    const { counts, matching, zones } = select(fleet.zones, { ...everything, status: "error" });
    expect(counts).toMatchObject({ error: 1, blocked: 1, in_sync: 1, paused: 0 });
    expect([matching, zones.length]).toEqual([1, 1]);
  });

  it("come in pages of 200; a page beyond the end is the last one", ({ expect }) => {
    const many = fleetOf(...Array.from({ length: 450 }, (_, at) => declared(`z${at}.example.com`)));
    many.recordZone(report("z1.example.com", 1, { result: "ready", cause: "drift", changes: [a] }));
    const page = (number: number): number =>
      select(many.zones, { ...everything, page: number }).zones.length;
    expect([page(1), page(2), page(3), page(9)]).toEqual([200, 200, 50, 50]);
  });
});
