import { describe, it } from "vitest";

import { zoneJson } from "../../src/web/json-view.ts";
import { fleetOf, shop } from "../support/fleets.ts";
import { script } from "../support/inventory.ts";
import { wordsOf, zonePage } from "../support/pages.ts";
import { authorised, check, day, declaredScripts, readingOf } from "../support/watched.ts";

const pay = "https://pay.example.net/pay.js";
const hostile = 'https://evil.example/<script>alert(1)</script>"onload=x';

/** The shop's page after a check of two scripts, one of which is acknowledged. */
function pageAfter(...acknowledged: readonly string[]): string {
  const fleet = fleetOf();
  const declared = declaredScripts(
    [authorised(pay, { approvedOn: "2026-11-01", justification: "" })],
    { acknowledged: acknowledged.map((id) => ({ id, until: day(60), reason: "<b>", by: "Alex" })) },
  );
  const reading = readingOf([script(pay), script(hostile)], {
    enforcementOf: ({ url }) => [
      { policy: "checkout", decision: url === pay ? "allows" : "blocks" },
    ],
  });
  fleet.recordScripts(shop, check(declared, reading, day(2)).watch);
  return zonePage(fleet);
}

describe("the declared scripts on the page of a zone", () => {
  it("are not shown where none are declared", ({ expect }) => {
    expect(zonePage(fleetOf())).not.toContain("scripts-title");
  });

  it("have what was seen, what is authorised, what policies do, and the findings", ({ expect }) => {
    const words = wordsOf(pageAfter());
    expect(words).toContain("On shop.example.com/checkout/*");
    expect(words).toMatch(/unauthorised https:\/\/evil\S+ no entry authorises the script ; found/);
    expect(words).toMatch(/unjustified https:\/\/pay\S+ the entry has no justification ; found/);
    expect(words).toMatch(/pay\.js \S.* yes checkout allows/);
    expect(words).toMatch(/onload=x .* no checkout blocks/);
  });

  it("show text from outside as text", ({ expect }) => {
    const page = pageAfter();
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain('"onload=x');
    const [, id = ""] = /(unauthorised-[0-9a-f]{12})/.exec(page) ?? [];
    const acknowledged = pageAfter(id);
    expect(acknowledged).toContain("&lt;b&gt;");
    expect(wordsOf(acknowledged)).toContain("Acknowledged (1)");
  });

  it("say that nothing was read yet", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordScripts(shop, check(declaredScripts([]), undefined, day(2)).watch);
    expect(wordsOf(zonePage(fleet))).toContain("the inventory was not read yet");
    const state = fleet.zone(shop);
    expect(state && zoneJson(state)["scripts"]).toMatchObject({ read_at: null, findings: [] });
  });
});
