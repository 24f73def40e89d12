import { describe, it } from "vitest";

import type { Fleet } from "../../src/state/fleet.ts";
import { zoneJson } from "../../src/web/json-view.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { script } from "../support/inventory.ts";
import { fleetPage, snapshotOf, wordsOf, zonePage } from "../support/pages.ts";
import { declared } from "../support/reports.ts";
import { authorised, check, day, declaredScripts, readingOf } from "../support/watched.ts";

const pay = "https://pay.example.net/pay.js";
const hostile = 'https://evil.example/<script>alert(1)</script>"onload=x';

/** The shop's page after a check of two scripts, one of which is acknowledged. */
function pageAfter(...acknowledged: readonly string[]): string {
  const fleet = fleetOf();
  const scripts = declaredScripts(
    [authorised(pay, { approvedOn: "2026-11-01", justification: "" })],
    { acknowledged: acknowledged.map((id) => ({ id, until: day(60), reason: "<b>", by: "Alex" })) },
  );
  const reading = readingOf([script(pay), script(hostile)], {
    enforcementOf: ({ url }) => [
      { policy: "checkout", decision: url === pay ? "allows" : "blocks" },
    ],
  });
  fleet.recordScripts(shop, check(scripts, reading, day(2)).watch);
  return zonePage(fleet);
}

describe("the declared scripts on the page of a zone", () => {
  it("are not shown where none are declared", ({ expect }) => {
    expect(zonePage(fleetOf())).not.toContain("scripts-title");
  });

  it("have what was seen, what is authorised, what policies do, and the findings", ({ expect }) => {
    const page = pageAfter();
    const words = wordsOf(page);
    expect(page).toContain('<h2 id="scripts-title">');
    expect(page).toContain('<ul class="plain items">');
    expect(words).toContain("On shop.example.com/checkout/*");
    expect(words).not.toContain("Acknowledged");
    expect(words).toMatch(/unauthorised https:\/\/evil\S+ no entry authorises the script ; found/);
    expect(words).toMatch(/unjustified https:\/\/pay\S+ the entry has no justification ; found/);
    expect(words).toContain(`${pay} 24 h ago yes checkout allows Last`);
    expect(words).toContain("onload=x 24 h ago no checkout blocks https");
  });

  it("show text from outside as text", ({ expect }) => {
    const page = pageAfter();
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain('"onload=x');
    const [, id = ""] = /(unauthorised-[0-9a-f]{12})/.exec(page) ?? [];
    const acknowledged = pageAfter(id);
    expect(acknowledged).toContain("&lt;b&gt;");
    expect(acknowledged.split(id)).toHaveLength(2);
    expect(wordsOf(acknowledged)).toContain("Acknowledged (1)");
    expect(wordsOf(acknowledged)).toContain("; acknowledged by Alex until 2027-01-01: &lt;b&gt;");
  });

  it("name a page of a script, and say where none was seen", ({ expect }) => {
    expect(wordsOf(pageAfter())).toMatch(
      /no entry authorises the script ; found .* ago on https:\/\/shop\.example\.com\/ unauthorised-/,
    );
    const fleet = fleetOf();
    fleet.recordScripts(shop, check(declaredScripts([]), readingOf([]), day(2)).watch);
    expect(wordsOf(zonePage(fleet))).toContain(
      "No open finding. No script in use was seen on these pages.",
    );
  });

  it.for([
    { approvedBy: "Alex Doe", says: "yes, by https://pay.example.net/* none" },
    { approvedBy: "", says: "no , by https://pay.example.net/* , not approved none" },
  ])("name the entry that is approved by '$approvedBy'", ({ approvedBy, says }, { expect }) => {
    const entry = authorised("https://pay.example.net/*", { approvedBy });
    const fleet = fleetOf();
    fleet.recordScripts(
      shop,
      check(declaredScripts([entry]), readingOf([script(pay)]), day(2)).watch,
    );
    expect(wordsOf(zonePage(fleet))).toContain(`${pay} 24 h ago ${says}`);
  });

  it("count what is not listed", ({ expect }) => {
    const { watch } = check(declaredScripts([]), readingOf([script(pay)]), day(2));
    const fleet = fleetOf();
    const scripts = watch.scripts.map((each) => ({ ...each, lastSeenAt: undefined }));
    fleet.recordScripts(shop, { ...watch, scripts, moreScripts: 3, moreFindings: 2 });
    const words = wordsOf(zonePage(fleet));
    expect(words).toMatch(
      /and 2 more findings Script .*pay\.js unknown no none and 3 more scripts/,
    );
    expect(wordsOf(fleetPage(fleet))).toContain("unauthorised and 2 more findings");
  });

  it("name no script where the zone as a whole is not monitored", ({ expect }) => {
    const fleet = fleetOf();
    const reading = readingOf([], { isMonitored: false });
    fleet.recordScripts(shop, check(declaredScripts([]), reading, day(2)).watch);
    const page = zonePage(fleet);
    expect(wordsOf(page)).toContain("unmonitored Page Shield is switched off");
    expect(page).not.toMatch(/<code[^>]*><\/code>/);
  });

  it("say that nothing was read yet", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordScripts(shop, check(declaredScripts([]), undefined, day(2)).watch);
    expect(wordsOf(zonePage(fleet))).toContain(
      "Declared scripts the inventory was not read yet On the declared pages",
    );
    const state = fleet.zone(shop);
    expect(state && zoneJson(state, snapshotOf(fleet))["scripts"]).toMatchObject({
      read_at: null,
      findings: [],
    });
  });
});

describe("the findings on scripts on the page of the fleet", () => {
  const [shopCa, blog] = ["shop.ca.example", "blog.example.com"];
  const a = script("https://cdn.example.net/a.js");
  const b = script("https://cdn.example.net/b.js");
  const c = script("https://cdn.example.net/c.js");

  /** A fleet with three zones, whose pages have so many scripts that nobody authorised. */
  function fleetWith(found: Readonly<Record<string, readonly Script[]>>): Fleet {
    const fleet = fleetOf(...[shop, shopCa, blog].map((name) => declared(name)));
    for (const [zone, scripts] of Object.entries(found)) {
      fleet.recordScripts(zone, check(declaredScripts([]), readingOf(scripts), day(2)).watch);
    }
    return fleet;
  }

  it("are not shown where there are none", ({ expect }) => {
    expect(fleetPage(fleetWith({}))).not.toContain("Findings on scripts");
    expect(fleetPage(fleetWith({ [shop]: [] }))).not.toContain("Findings on scripts");
  });

  it("name the zones, the gravest first, with their number and a link", ({ expect }) => {
    const malicious = { ...b, urlReportedMalicious: true };
    const page = fleetPage(fleetWith({ [blog]: [a], [shop]: [a, b, c], [shopCa]: [malicious] }));
    const [, panel = ""] =
      /<h2 id="findings-title">Findings on scripts(.*?)<\/ul>/s.exec(page) ?? [];
    expect(wordsOf(panel)).toBe(
      `${shopCa} malicious and 1 more finding ${shop} unauthorised and 2 more findings ${blog} unauthorised`,
    );
    expect(panel).toContain(`href="/zones/${shop}#scripts-title"`);
  });

  it("leave out what is acknowledged", ({ expect }) => {
    const fleet = fleetOf();
    const first = check(declaredScripts([]), readingOf([a]), day(1)).watch;
    const acknowledged = first.findings.map(({ id }) => {
      return { id, until: day(9), reason: "test", by: "Alex" };
    });
    const known = declaredScripts([], { acknowledged });
    fleet.recordScripts(shop, check(known, readingOf([a]), day(2), first).watch);
    expect(fleetPage(fleet)).not.toContain("Findings on scripts");
  });

  it("are counted where there are many zones", ({ expect }) => {
    const names = Array.from({ length: 20 }, (_, nth) => `z${nth}.example.com`);
    const fleet = fleetOf(...names.map((name) => declared(name)));
    const { watch } = check(declaredScripts([]), readingOf([a]), day(1));
    for (const name of names) fleet.recordScripts(name, watch);
    const page = fleetPage(fleet);
    expect(page.match(/#scripts-title/g)).toHaveLength(12);
    expect(wordsOf(page)).toContain("and 8 more zones");
  });
});
