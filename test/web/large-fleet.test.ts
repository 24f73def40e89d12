import { describe, it } from "vitest";

import { textOfHtml } from "../../src/render/html.ts";
import type { ZoneState } from "../../src/state/zone-state.ts";
import { zonesJson } from "../../src/web/json-view.ts";
import { selectByCause } from "../../src/web/pages/fleet-causes.ts";
import { nextSteps } from "../../src/web/pages/next-steps.ts";
import { renderDiagnosticsPage } from "../../src/web/pages/page-diagnostics.ts";
import { selectionFrom } from "../../src/web/pages/selection.ts";
import { after, drifted, fleetOf, held, pending, shop, stateAfter } from "../support/fleets.ts";
import { heldHash, heldStatus, largeName, largeStatus } from "../support/large-status.ts";
import { fleetPage, snapshotOf, wordsOf, zonePage } from "../support/pages.ts";
import { at, change, declared, diagnostic, hold, load, report } from "../support/reports.ts";

function commands(state: ZoneState): readonly string[] {
  return nextSteps(state).map(({ command }) => command.replace("zonewarden ", ""));
}

describe("the page of many zones", () => {
  const fleet = largeStatus(400);
  const words = wordsOf(fleetPage(fleet));

  it("says each cause once, what a person must see first", ({ expect }) => {
    const parts = [
      `By cause 10 zones somebody lowered the protection setting/enabled value true → false changed by alice@example.com in the dashboard ${largeName(3)}`,
      "10 zones somebody lowered the protection setting/enabled value true → false changed by bob@example.com in the dashboard",
      "10 zones failed API_UNAVAILABLE GET page_shield: 403: no access",
      "10 zones held by too_many_updates If you do not intend the updates",
      "1 zone ▼ weakens ~ setting/enabled value true → false scripts are no longer watched",
      "230 zones ▲ strengthens ~ managed_rule/owasp paranoia_level 1 → 2",
    ];
    const places = parts.map((part) => words.indexOf(part));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it("marks drift that lowered the protection as a change that weakens", ({ expect }) => {
    const [first = ""] = fleetPage(fleet).match(/<span class="effect.*?<\/span>/) ?? [];
    expect(first).toBe('<span class="effect weakens">somebody lowered the protection</span>');
    expect(fleetPage(fleet)).toContain('<span class="effect held">held by</span>');
    expect(fleetPage(fleet)).toContain('<h2 id="causes-title">');
    expect(fleetPage(fleet)).not.toContain('<span class="note"></span>');
    expect(words).toContain(`${largeName(7)} API_UNAVAILABLE error`);
    expect(words).toContain(`${largeName(9)} held by too_many_updates held`);
  });

  it.for([1, 10])("leaves the causes of %i zones to their rows", (count, { expect }) => {
    expect(fleetPage(largeStatus(count))).not.toContain("By cause");
  });

  it("names eight causes, of each three zones, and counts the others", ({ expect }) => {
    const names = Array.from({ length: 12 }, (_, nth) => `z${10 + nth}.example`);
    const many = fleetOf(...names.map((name) => declared(name)));
    for (const [nth, name] of names.entries()) {
      const changes = [change(`policy/p${Math.min(nth, 8)}`)];
      // As many rows say themselves what differs.
      if (nth === 10) expect(fleetPage(many)).not.toContain("By cause");
      many.recordZone(report(name, 1, { result: "planned", cause: "pending", changes }));
    }
    const page = wordsOf(fleetPage(many));
    expect(page).toMatch(
      /4 zones .{0,60} z18\.example z19\.example z20\.example and 1 more 1 zone .{0,60} z10\.example 1 zone .* and 1 more cause Zones/,
    );
  });

  it("says of observed zones what they drifted by, not that they are observed", ({ expect }) => {
    const names = Array.from({ length: 11 }, (_, nth) => `z${10 + nth}.example`);
    const many = fleetOf(...names.map((name) => declared(name)));
    const changes = [change("policy/a", "unclear")];
    for (const name of names) {
      const holds = [hold("observe")];
      many.recordZone(report(name, 1, { result: "held", cause: "drift", changes, holds }));
    }
    expect(wordsOf(fleetPage(many))).toContain(
      "11 zones somebody lowered the protection policy/a enabled true → false z10.example z11.example z12.example and 8 more Zones",
    );
  });

  it("has a link to the zones of each cause", ({ expect }) => {
    const links = [
      ...fleetPage(fleet, { page: "2" }).matchAll(/href="\/(\?cause=[^"&]+)"\s*><b>(\d+) zone/g),
    ];
    expect(links.map(([, , count]) => count)).toEqual(["10", "10", "10", "10", "1", "230"]);
    for (const [, query = "", count] of links) {
      const selection = Object.fromEntries(new URLSearchParams(query));
      const found = selectionFrom(selection);
      expect(zonesJson(snapshotOf(fleet), found)["matching"]).toBe(Number(count));
      const chosen = fleetPage(fleet, { ...selection, page: "2" });
      expect(chosen).toContain('<a href="/">Show all causes</a>');
      expect(wordsOf(chosen)).toMatch(new RegExp(`One cause Show all causes ${count} zone`));
    }
  });

  it("stays as long for 4,000 zones as for 400", ({ expect }) => {
    const size = fleetPage(fleet).length;
    expect(fleetPage(largeStatus(4_000)).length).toBeLessThan(size * 1.1);
  });

  it("has no zone for a cause that is gone", ({ expect }) => {
    expect(wordsOf(fleetPage(fleet, { cause: "gone" }))).toContain("No zone matches.");
  });

  it("comes in pages of 200 as JSON", ({ expect }) => {
    const { zones, ...page } = zonesJson(snapshotOf(fleet), selectionFrom({ page: "2" }));
    expect(page).toMatchObject({ matching: 400, page: 2, pages: 2 });
    expect(zones).toHaveLength(200);
  });

  it.for([
    { query: { account: "Example Brands" }, finds: 131 },
    { query: { account: "b".repeat(32) }, finds: 131 },
    { query: { drift: "weakens" }, finds: 20 },
    { query: { drift: "setting" }, finds: 20 },
    { query: { drift: "policy" }, finds: 0 },
    { query: { author: "bob@example.com in the dashboard" }, finds: 10 },
    { query: { author: "bob@example.com in the dashboard", account: "Example Brands" }, finds: 3 },
    { query: { status: "pending", account: "Example Brands" }, finds: 74 },
  ])("finds $finds zones by $query", ({ query, finds }, { expect }) => {
    expect(selectByCause(fleet.zones, selectionFrom(query), at(30)).matching).toBe(finds);
  });

  it("offers what the fleet has, and keeps what is set", ({ expect }) => {
    const page = fleetPage(fleet, { account: "Example Brands", status: "pending", sort: "name" });
    expect(page).toMatch(/<option value="Example Brands" selected>/);
    expect(page).toMatch(/<option value="name" selected>/);
    expect(page).toContain('<input type="hidden" name="status" value="pending" />');
    expect(page).not.toContain("Drift of policies");
    const fields = page.matchAll(
      /<label class="hidden" for="(\w+)">([^<]*)<\/label>\s*<select id="\1" name="\1">\s*<option value="(\w*)" [^>]*>([^<]*).*?<\/select>/gs,
    );
    expect(
      [...fields].map(([, id, label, value, text]) => `${id}: ${label}: ${value} ${text}`),
    ).toEqual([
      "account: Account:  All accounts",
      "drift: Kind of drift:  Any state",
      "author: Changed by:  Changed by anybody",
      "sort: Order: urgency Most urgent first",
    ]);
    expect(page).toContain('<option value="bob@example.com in the dashboard" >');
    expect(page).not.toContain('type="hidden" name="account"');
    expect(page).toContain('<option value="weakens" >Drift that weakens</option>');
    expect(page).toContain('<option value="setting" >Drift of settings</option>');
    const ofSettings = fleetPage(fleet, { drift: "setting" });
    expect(ofSettings).toContain('<option value="setting" selected>Drift of settings</option>');
    expect(fleetPage(fleetOf())).not.toContain("<select");
    const sort = '<select id="sort" name="sort">';
    expect(fleetPage(largeStatus(10))).not.toContain(sort);
    expect(fleetPage(largeStatus(11))).toContain(sort);
  });

  it("sorts by name, by the time in a state and by the last check", ({ expect }) => {
    const few = fleetOf(...["c", "a", "d", "b"].map((name) => declared(`${name}.example`)));
    few.recordZone(report("c.example", 1, drifted));
    few.recordZone(report("a.example", 3, { result: "in_sync" }));
    few.recordZone(report("b.example", 2, pending));
    few.recordZone(report("c.example", 4, { result: "error" }));
    const sorted = (sort: string): string =>
      selectByCause(few.zones, selectionFrom({ sort }), at(30))
        .zones.map(({ declared: { name } }) => name[0])
        .join("");
    expect(["urgency", "name", "since", "checked"].map(sorted)).toEqual([
      "cbda",
      "abcd",
      "dcba",
      "dcba",
    ]);
  });
});

describe("the page of a held fleet", () => {
  it.for([11, 400])("has one cause for %i zones, with the hash once", (count, { expect }) => {
    const page = fleetPage(heldStatus(count));
    const words = wordsOf(page);
    expect(words).toContain(`stays active. ${count} of ${count} zones match it.`);
    expect(words).toContain(`By cause ${count} zones held by fleet_change`);
    expect(page.split(heldHash)).toHaveLength(2);
    expect(words).not.toContain("sha256-f8847a57bb7f…");
    expect(words).toContain("or raise limits.max_fleet_share");
  });

  it("says in a row of one zone how to release it, with a short hash", ({ expect }) => {
    const words = wordsOf(fleetPage(heldStatus(1)));
    expect(words).toContain("to accept it, add sha256-f8847a57bb7f… to limits.accept, or raise");
  });
});

describe("the page of many diagnostics", () => {
  it.for([1, 40, 400])(
    "shows errors first, and counts what is too many: %i",
    (count, { expect }) => {
      const fleet = fleetOf();
      const warnings = Array.from({ length: count }, (_, n) =>
        diagnostic({ severity: "warning", place: { file: "a.yaml", line: n + 1, column: 1 } }),
      );
      const error = diagnostic({ place: { file: "z.yaml", line: 7, column: 1 }, zones: 388 });
      fleet.recordLoad(load({ result: "partial", diagnostics: [...warnings, error] }));
      const page = textOfHtml(renderDiagnosticsPage(snapshotOf(fleet)));
      expect(page.match(/<li class="card/g)).toHaveLength(Math.min(count + 1, 50));
      expect(page.indexOf("z.yaml:7:1")).toBeLessThan(page.indexOf("a.yaml:1:1"));
      expect(wordsOf(page)).toContain("(in 388 zones)");
      expect(wordsOf(page).includes("and 351 more diagnostics")).toBe(count === 400);
    },
  );
});

describe("what a person can do", () => {
  const plan = "c0".repeat(32);

  it.for([
    { state: after({ result: "in_sync" }), is: [`history ${shop}`, `blame ${shop}`] },
    {
      state: after(drifted),
      is: [`blame ${shop}`, `plan ${shop}`, `apply ${shop}`, `import ${shop}`],
    },
    { state: after(), is: [`explain zone ${shop}`, "doctor"] },
    {
      state: after({ result: "planned", cause: "unknown", changes: [change("policy/a")] }),
      is: [`blame ${shop}`, `plan ${shop}`, `apply ${shop}`, `import ${shop}`],
    },
    {
      state: stateAfter(fleetOf(declared(shop, { mode: "observe" })), report(shop, 1, pending)),
      is: [`plan ${shop}`, `explain zone ${shop}`, `apply --enforce ${shop}`],
    },
    { state: after(pending), is: [`plan ${shop}`, `explain zone ${shop}`, `apply ${shop}`] },
    { state: after({ result: "error" }), is: ["doctor", `explain zone ${shop}`] },
    {
      state: after({
        result: "held",
        cause: "pending",
        changes: [],
        holds: [{ ...hold("weakening"), hash: plan }],
      }),
      is: [`plan ${shop}`, `apply --accept ${plan} ${shop}`, `explain zone ${shop}`],
    },
    {
      // No command has the plan that would set the zone back.
      state: after({
        result: "held",
        cause: "pending",
        changes: [],
        holds: [
          { ...hold("weakening"), hash: plan },
          { ...hold("set_back"), hash: plan },
        ],
      }),
      is: [`plan ${shop}`, `explain zone ${shop}`],
    },
    { state: after(held("unplaced")), is: [`plan ${shop}`, `explain zone ${shop}`] },
    {
      state: after(held("observe")),
      is: [`blame ${shop}`, `plan ${shop}`, `apply --enforce ${shop}`, `import ${shop}`],
    },
  ])("about a zone that is $state.status: $is", ({ state, is }, { expect }) => {
    expect(commands(state)).toEqual(is);
  });

  it("about a zone of a held revision accepts the revision", ({ expect }) => {
    const state = heldStatus(40).zone(largeName(7));
    if (state === undefined) throw new Error("not declared");
    expect(commands(state)).toEqual([
      `plan ${largeName(7)}`,
      `apply --accept ${heldHash}`,
      `explain zone ${largeName(7)}`,
      `history ${largeName(7)}`,
      `blame ${largeName(7)}`,
    ]);
    const drifting = fleetOf(declared(shop, { hold: hold("fleet_change") }));
    expect(commands(stateAfter(drifting, report(shop, 1, drifted)))).toEqual([
      `plan ${shop}`,
      `explain zone ${shop}`,
      `blame ${shop}`,
      `import ${shop}`,
    ]);
  });

  it("is on the zone's page", ({ expect }) => {
    const fleet = fleetOf();
    stateAfter(fleet, report(shop, 1, drifted));
    expect(wordsOf(zonePage(fleet))).toContain(
      `What you can do See who changed it zonewarden blame ${shop}`,
    );
  });
});
