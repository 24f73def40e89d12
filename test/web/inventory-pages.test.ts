import { describe, it } from "vitest";

import type { Fleet } from "../../src/state/fleet.ts";
import type { InventoryReport } from "../../src/state/inventory.ts";
import { drifted, fleetOf, held, shop } from "../support/fleets.ts";
import { inventoryRead, inventoryUnreadable } from "../support/inventories.ts";
import { connection, cookie, script } from "../support/inventory.ts";
import { fleetPage, wordsOf, zonePage } from "../support/pages.ts";
import { declared, failure, report, start } from "../support/reports.ts";
import { scene } from "../support/scenes.ts";

/** The shop's page after looks at its inventory, its plan in sync unless something was recorded before. */
function shopAfter(fleet: Fleet, ...looks: readonly InventoryReport[]): string {
  fleet.followInventory(true);
  for (const look of looks) fleet.recordInventory(look);
  return zonePage(fleet);
}

describe("the inventory on the pages", () => {
  it("is not shown if inventories are off", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held("weakening")));
    for (const page of [zonePage(fleet), fleetPage(fleet)]) {
      expect(wordsOf(page)).not.toContain("browsers");
      expect(page).not.toContain("inventory");
    }
    // Whoever comes with a filter, from a link, can take it away.
    const filtered = fleetPage(fleet, { inventory: "unread" });
    expect(filtered).toMatch(/href="\/"\s+aria-current="true"\s*><b>0<\/b>.*not read yet/s);
  });

  it("is unknown before the first read", ({ expect }) => {
    const page = wordsOf(shopAfter(fleetOf()));
    expect(page).toContain("Inventory Not read yet. Inventories are read one zone after the other");
    expect(page).not.toContain("Items");
  });

  it("is unknown before a successful read, with the failure", ({ expect }) => {
    const looks = [inventoryUnreadable(shop, 5), inventoryUnreadable(shop, 20)];
    const markup = shopAfter(fleetOf(), ...looks);
    expect(markup).toMatch(/<section class="card warning">\s*<h2>Read failed/);
    const page = wordsOf(markup);
    expect(page).toContain(
      "Read failed GET page_shield/scripts: 403: the token may not read this zone API_FORBIDDEN ray 8f2a failing since 25 min ago , retried with the next read; nothing was read before",
    );
    expect(page).not.toContain("Items");
    expect(page).not.toContain("Not read yet");
  });

  it("is that of the last successful read", ({ expect }) => {
    const page = wordsOf(
      shopAfter(fleetOf(), inventoryRead(shop, 5), inventoryUnreadable(shop, 20, failure())),
    );
    expect(page).toContain("Inventory read 25 min ago Read failed");
    expect(page).toContain(
      "failing since 10 min ago , retried automatically; the last successful read is below",
    );
    expect(page).toContain("scripts 4 3 active, 1 inactive 1 1");
  });

  it("has counts, and malicious items with reasons", ({ expect }) => {
    const page = wordsOf(shopAfter(fleetOf(), inventoryRead(shop, 5)));
    expect(page).toContain("scripts 4 3 active, 1 inactive 1 1");
    expect(page).toContain("connections 2 2 active 1 1");
    expect(page).toContain("cookies 1 – – 0");
    expect(page).toContain(
      "Malicious https://collect.example.org/c connection, domain reported (Malware) , first seen 3 h ago on https://shop.example.com/checkout/pay https://stats.example.org/m.js script, integrity score 4",
    );
    expect(page).toContain("New in the last day (2) https://collect.example.org/c");
  });

  it("does not say when an item was first seen that the service does not date", ({ expect }) => {
    const url = "https://evil.example/a.js";
    const items = [script(url, { urlReportedMalicious: true, firstSeenAt: undefined })];
    const page = wordsOf(shopAfter(fleetOf(), inventoryRead(shop, 5, { items })));
    expect(page).toContain(`Malicious ${url} script, URL reported on https://shop.example.com/`);
  });

  it("is unknown for a kind that is not permitted", ({ expect }) => {
    const notPermitted = new Map([
      ["cookie" as const, failure("GET page_shield/cookies: 403: not entitled")],
    ]);
    const page = wordsOf(shopAfter(fleetOf(), inventoryRead(shop, 5, { notPermitted })));
    expect(page).toContain("cookies not permitted: GET page_shield/cookies: 403: not entitled");
    const items = [connection("a.example", { status: "inactive" }), connection("b.example")];
    const others = shopAfter(fleetOf(), inventoryRead(shop, 5, { kinds: ["connection"], items }));
    expect(wordsOf(others)).toContain("connections 2 1 active, 1 inactive 0 0 Last 7 days");
  });

  it("has nothing malicious to list where there is none", ({ expect }) => {
    const items = [cookie("lang", { host: "", firstPageUrl: "", firstSeenAt: start })];
    const page = shopAfter(fleetOf(), inventoryRead(shop, 5, { items }));
    expect(wordsOf(page)).toContain("scripts 0 – 0 0");
    expect(wordsOf(page)).toContain(
      "New in the last day (1) lang cookie, first seen 30 min ago Last",
    );
    expect(page).not.toContain('<h3 class="error">');
    expect(page).not.toContain('<b class="error">0');
  });

  it("is listed up to a bound and counted beyond it", ({ expect }) => {
    const items = Array.from({ length: 230 }, (_, index) =>
      script(`https://evil.example/${index}.js`, { urlReportedMalicious: true }),
    );
    const page = wordsOf(shopAfter(fleetOf(), inventoryRead(shop, 5, { items })));
    expect(page.match(/URL reported/g)).toHaveLength(200);
    expect(page).toContain("and 30 more items Scripts outside every enforced policy");
  });

  it.for([
    { policy: undefined, says: "The zone enforces no policy." },
    {
      policy: "script-src 'self' https://cdn.example.net",
      says: "1 in use. https://stats.example.org/m.js",
    },
    { policy: "script-src https:", says: "None in use. New in" },
    {
      policy: "script-src 'strict-dynamic' 'nonce-a'",
      says: "None in use; 3 unclear.",
    },
  ])("is compared with the enforced policies: $policy", ({ policy, says }, { expect }) => {
    const seen = policy === undefined ? {} : { policy };
    const page = shopAfter(fleetOf(), inventoryRead(shop, 5, seen));
    expect(wordsOf(page)).toContain(`Scripts outside every enforced policy ${says}`);
    expect(page).not.toMatch(/<ul[^>]*>\s*<\/ul>/);
  });

  it("counts what is outside, and what is unclear", ({ expect }) => {
    const scripts = Array.from({ length: 5 }, (_, nth) => script(`https://a.example/${nth}.js`));
    const outside = { scripts, unclear: 1 };
    expect(wordsOf(shopAfter(fleetOf(), inventoryRead(shop, 5, { outside })))).toMatch(
      /enforced policy 5 in use; 1 unclear\. https:\/\/a\.example.*and 2 more items New in/,
    );
  });

  const impact = ["Impact on shop.example.com", "  ✗ blocks anew: 1"];
  const judged = inventoryRead(shop, 5, { impact });

  it("has the impact of the plan, open if the plan is held", ({ expect }) => {
    const waiting = fleetOf();
    waiting.recordZone(report(shop, 1, held("weakening")));
    const page = shopAfter(waiting, judged);
    expect(page).toContain(`<pre class="value">${impact.join("\n")}</pre>`);
    expect(page).toContain('<details class="record" id="impact" open>');
    expect(wordsOf(page)).toContain("Impact on the inventory as of 25 min ago");

    const free = fleetOf();
    free.recordZone(report(shop, 1, drifted));
    const line = inventoryRead(shop, 5, { impact: impact.slice(0, 1) });
    expect(shopAfter(free, line)).toContain('<details class="record" id="impact" >');
  });

  it("has no impact before it is known, nor after the plan is applied", ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held("weakening")));
    expect(wordsOf(shopAfter(fleet, inventoryRead(shop, 5)))).toContain(
      "The impact is not known yet",
    );
    fleet.recordInventory(judged);
    fleet.recordZone(report(shop, 6, { result: "in_sync" }));
    expect(wordsOf(zonePage(fleet))).not.toMatch(/impact/i);
  });

  it("is counted over the fleet, each number a filter that a second click takes away", ({
    expect,
  }) => {
    const page = fleetPage(scene(), { status: "held", q: "shop", inventory: "malicious" });
    expect(wordsOf(page)).toContain("1 with malicious items: 2 1 with scripts outside policies: 1");
    expect(wordsOf(page)).toContain("Zones: held, with malicious items");
    expect(wordsOf(page)).toContain("shop.example.com 2 malicious");
    expect(page).toMatch(/href="\/\?q=shop&amp;status=held"\s+aria-current="true"/);
    expect(page).toContain('href="/?q=shop&amp;status=held&amp;inventory=outside"');
    expect(page).toContain('href="/?q=shop&amp;status=drifted&amp;inventory=malicious"');
    expect(page).toContain('<input type="hidden" name="inventory" value="malicious" />');
  });

  it("has zero findings over the fleet only after a read", ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("blog.example.com"));
    fleet.followInventory(true);
    fleet.recordInventory(inventoryUnreadable("blog.example.com", 5));
    const heading = "Inventory zones, as of the last read";
    expect(wordsOf(fleetPage(fleet))).toContain(
      `${heading} 1 with failed reads 1 not read yet Zones`,
    );
    fleet.recordInventory(inventoryRead(shop, 6, { items: [cookie("lang")] }));
    expect(wordsOf(fleetPage(fleet))).toContain(
      `${heading} 0 with malicious items 1 with failed reads Zones`,
    );
    const policy = "script-src 'self'";
    fleet.recordInventory(inventoryRead(shop, 7, { items: [cookie("lang")], policy }));
    expect(wordsOf(fleetPage(fleet))).toContain(
      `${heading} 0 with malicious items 0 with scripts outside policies 1 with failed reads Zones`,
    );
    expect(wordsOf(fleetPage(fleet, { q: "nowhere" }))).not.toContain(heading);
  });
});

describe("hostile text among it", () => {
  const hostile = [`" onmouseover="alert(1)`, "<script>alert(1)</script>", "\u202E"];

  it("is shown as text, and leads nowhere", ({ expect }) => {
    const evil = `https://evil.example/"${hostile.join("")}`;
    const items = [
      script(evil, {
        urlReportedMalicious: true,
        maliciousCategories: [evil],
        status: evil,
        firstSeenAt: start,
      }),
      cookie(evil, { firstPageUrl: evil, firstSeenAt: start }),
    ];
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held("weakening")));
    const page = shopAfter(
      fleet,
      inventoryRead(shop, 2, { items, policy: "script-src 'self'", impact: [evil] }),
      inventoryUnreadable(shop, 3, failure(evil)),
    );
    for (const bad of hostile) expect(page).not.toContain(bad);
    expect(page.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThan(8);
    expect(page).not.toMatch(/(?:href|src|action)="[^"]*evil\.example/);
  });

  it("is cut where it is long, with more on demand", ({ expect }) => {
    const long = `data:text/javascript,${"x".repeat(5_000)}`;
    const page = shopAfter(
      fleetOf(),
      inventoryRead(shop, 2, { items: [script(long, { urlReportedMalicious: true })] }),
    );
    const title = `${long.slice(0, 500)}…`;
    expect(page).toContain(`<code class="value" title="${title}">${long.slice(0, 200)}…</code>`);
    expect(wordsOf(page)).not.toContain(long);
    const whole = `https://evil.example/${"x".repeat(179)}`;
    const items = [script(whole, { urlReportedMalicious: true })];
    expect(shopAfter(fleetOf(), inventoryRead(shop, 2, { items }))).toContain(
      `<code class="value">${whole}</code>`,
    );
  });
});
