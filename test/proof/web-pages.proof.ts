import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { EventStream } from "../../src/web/event-stream.ts";
import type { ReconcileEndpoint } from "../../src/web/reconcile-request.ts";
import { fleetOf, shop, stepOf } from "../support/fleets.ts";
import { inventoryRead, inventoryUnreadable } from "../support/inventories.ts";
import { cookie, script } from "../support/inventory.ts";
import { heldStatus, largeName, largeStatus } from "../support/large-status.ts";
import { measuredWeek } from "../support/measured-week.ts";
import { at, change, declared, failure, load, report } from "../support/reports.ts";
import { noHistory, scene, sceneHistory } from "../support/scenes.ts";
import { steppedZone } from "../support/stepped.ts";
import { isTooWide, noChromium, openTab, startBrowser, violationsOn } from "./chromium.ts";
import { servePages } from "./serve-pages.ts";
import { showcase, watchedShowcase } from "./showcase.ts";

describe.skipIf(noChromium !== undefined)(`the pages in Chromium ${noChromium ?? ""}`, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
  });

  it("show the fleet at a glance, and filter it by status and by text", async ({ expect }) => {
    await using server = await servePages(showcase());
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    const rows = page.locator(".zones tbody tr");
    expect(await rows.count()).toBe(19);
    expect(await rows.first().innerText()).toContain(shop);
    expect(await page.locator(".banner").innerText()).toContain(
      `1 zone with weakened protection: ${shop}`,
    );

    await page.getByRole("link", { name: "1 error" }).click();
    expect(await rows.count()).toBe(1);
    expect(await rows.innerText()).toContain("the token may not read this zone");

    await page.getByRole("link", { name: "19 zones" }).click();
    await page.getByRole("searchbox").fill("fjord");
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]q=fjord$/);
    expect(await rows.count()).toBe(2);
    expect(tab.complaints).toEqual([]);
  });

  it("show a zone's plan as a difference, and its week", async ({ expect }) => {
    await using server = await servePages(showcase());
    await using tab = await openTab(browser, `${server.url}/zones/${shop}`);
    const { page } = tab;
    const policy = page.locator("article.change", { hasText: "policy/checkout" }).first();
    expect(await policy.locator("del").allInnerTexts()).toContain("evil.example");
    expect(await policy.innerText()).toContain("strengthens");
    const week = page.getByRole("img", { name: /drifted 4 times/ });
    expect(await week.locator("rect.drifted").count()).toBeGreaterThan(3);
    expect(await week.getAttribute("aria-label")).toContain("still drifting");
    await page.getByText(/^History \(/).click();
    expect(await page.locator(".timeline .recent li").count()).toBe(8);
    expect(tab.complaints).toEqual([]);
  });

  it("show within two seconds what a run has found, without being loaded again", async ({
    expect,
  }) => {
    const fleet = scene();
    const events = new EventStream(systemClock);
    await using server = await servePages({ fleet, history: sceneHistory(), now: at(30) }, events);
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await page.evaluate("window.sameDocument = true");
    await page.waitForLoadState("networkidle").catch(() => undefined);
    events.zone(stepOf(fleet, report("www.example.com", 29, { result: "error" })));
    const row = page.locator(".zones tbody tr", { hasText: "www.example.com" });
    await row.getByText("error").waitFor();
    expect(await page.evaluate("window.sameDocument")).toBe(true);
    expect(tab.complaints).toEqual([]);
  });

  it("find the zones in which something malicious was seen, and lead to no address of it", async ({
    expect,
  }) => {
    await using server = await servePages({
      fleet: scene(),
      history: sceneHistory(),
      now: at(30),
    });
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await page.getByRole("link", { name: "1 with malicious items: 2" }).click();
    await page.waitForURL("**/?inventory=malicious");
    const rows = page.locator(".zones tbody tr");
    expect(await rows.count()).toBe(1);
    await rows.getByRole("link", { name: shop }).click();
    const seen = page.getByRole("region", { name: /^Inventory/ });
    expect(await seen.innerText()).toContain("https://stats.example.org/m.js");
    expect(await seen.getByText("blocks anew: 1").count()).toBe(0);
    expect(await page.getByText("blocks anew: 1").isVisible()).toBe(true);
    expect(await seen.getByRole("link").count()).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it("work without JavaScript: search, filter, zone, what was changed", async ({ expect }) => {
    await using server = await servePages(showcase());
    await using tab = await openTab(browser, server.url, { javaScriptEnabled: false });
    const { page } = tab;
    await page.getByRole("searchbox").fill("shop.example");
    await page.getByRole("button", { name: "Search" }).click();
    await page
      .getByRole("cell", { name: shop })
      .or(page.getByRole("rowheader", { name: shop }))
      .getByRole("link", { name: shop })
      .click();
    await page.waitForURL(`**/zones/${shop}`);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain(shop);
    const runs = page.locator('details.record[id^="run-"]');
    await runs.nth(1).locator("summary").click();
    expect(await runs.nth(1).getByText("Trigger schedule").isVisible()).toBe(true);
  });

  it.for(["light", "dark"] as const)(
    "break no rule of accessibility in %s",
    async (colorScheme, { expect }) => {
      await using server = await servePages(showcase());
      await using troubled = await servePages({
        fleet: scene(),
        history: sceneHistory(),
        now: at(30),
      });
      await using watched = await servePages(watchedShowcase());
      for (const url of [
        server.url,
        watched.url,
        `${watched.url}/zones/${shop}`,
        `${server.url}/?status=error`,
        `${server.url}/zones/${shop}`,
        `${server.url}/zones/iris.example`,
        `${server.url}/nothing`,
        troubled.url,
        `${troubled.url}/diagnostics`,
        `${troubled.url}/zones/${shop}`,
        `${troubled.url}/?inventory=malicious`,
        `${troubled.url}/zones/old.example.com`,
      ]) {
        await using tab = await openTab(browser, url, { colorScheme });
        expect(await violationsOn(tab.page), url).toEqual([]);
      }
    },
  );

  it.for(["light", "dark"] as const)(
    "show the steps of policies and rules, in %s and within the width",
    async (colorScheme, { expect }) => {
      const shown = showcase();
      await using server = await servePages({ ...shown, steps: steppedZone(shown.now) });
      for (const width of [390, 1_400]) {
        const viewport = { width, height: 900 };
        await using tab = await openTab(browser, `${server.url}/zones/${shop}`, {
          viewport,
          colorScheme,
        });
        const steps = tab.page.getByRole("region", { name: "Steps" });
        expect(await steps.locator("[aria-current=step]").count()).toBe(6);
        expect(await steps.getByRole("img").count()).toBe(2);
        expect(await isTooWide(tab.page), `${width}`).toBe(false);
        expect(await violationsOn(tab.page), `${width}`).toEqual([]);
        expect(tab.complaints).toEqual([]);
      }
    },
  );

  it.for(["light", "dark"] as const)(
    "draw what policies and rules did without scripts, in %s and within the width",
    async (colorScheme, { expect }) => {
      const shown = showcase();
      const until = new Date(Math.floor(Number(shown.now) / 3_600_000) * 3_600_000);
      await using server = await servePages({ ...shown, series: measuredWeek(until) });
      for (const width of [390, 1_400]) {
        const viewport = { width, height: 900 };
        await using still = await openTab(browser, `${server.url}/zones/${shop}`, {
          viewport,
          colorScheme,
          javaScriptEnabled: false,
        });
        const owasp = still.page.getByRole("img", { name: "managed_rule/owasp by hour: 93 h" });
        const box = await owasp.boundingBox();
        expect(box?.width).toBeGreaterThan(width / 2 - 100);
        expect(box?.height).toBe(40);
        await using tab = await openTab(browser, `${server.url}/zones/${shop}`, {
          viewport,
          colorScheme,
        });
        await tab.page.getByText("Figures by day").click();
        expect(await isTooWide(tab.page), `${width}`).toBe(false);
        expect(await violationsOn(tab.page), `${width}`).toEqual([]);
        expect(tab.complaints).toEqual([]);
        // Each state of an hour looks different, also to those who see no colors.
        const forms = await tab.page.evaluate<readonly string[]>(
          "[...document.querySelectorAll('.legend path:not(.days)')].map((path) => path.getAttribute('d'))",
        );
        expect(new Set(forms).size).toBe(7);
      }
    },
  );

  it("would be caught breaking one", async ({ expect }) => {
    await using server = await servePages(showcase());
    await using tab = await openTab(browser, server.url);
    await tab.page.evaluate("document.body.append(document.createElement('button'))");
    expect(await violationsOn(tab.page)).toEqual(['button-name: ["body > button"]']);
  });

  it.for([true, false])(
    "take a request to reconcile from their form, with JavaScript: %s",
    async (javaScriptEnabled, { expect }) => {
      const woken: string[] = [];
      const reconcile: ReconcileEndpoint = {
        token: () => Promise.resolve("the-token"),
        works: () => true,
        request: (zone) => woken.push(zone),
        audit: () => undefined,
        store: () => Promise.resolve("stored"),
        auditStore: () => undefined,
      };
      await using server = await servePages(showcase(), new EventStream(systemClock), reconcile);
      await using tab = await openTab(browser, `${server.url}/zones/${shop}`, {
        javaScriptEnabled,
      });
      const { page } = tab;
      await page.getByLabel("Reconcile token").fill("the-token");
      await page.getByRole("button", { name: "This zone" }).click();
      await page.getByRole("heading", { level: 1, name: shop }).waitFor();
      expect(woken).toEqual([shop]);
      if (javaScriptEnabled) expect(await violationsOn(page)).toEqual([]);
      expect(tab.complaints).toEqual([]);
    },
  );

  it("can be walked by keyboard alone", async ({ expect }) => {
    await using server = await servePages(showcase());
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").innerText()).toBe("Skip to content");
    await page.keyboard.press("Enter");
    for (let press = 0; press < 30; press += 1) {
      await page.keyboard.press("Tab");
      if ((await page.locator(":focus").getAttribute("href")) === `/zones/${shop}`) break;
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/zones/${shop}`);
    expect(tab.complaints).toEqual([]);
  });

  it.for([
    {
      what: "markup",
      text: `<script>document.title="taken"</script><img src=x onerror="document.title='taken'">`,
    },
    { what: "a very long word", text: "x".repeat(5_000) },
    {
      what: "text from right to left",
      text: "\u202Eelpmaxe.live\u202C \u05D0\u05D1\u05D2 \u0627\u0644\u0639\u0631\u0628\u064A\u0629",
    },
  ])("show $what in a description as text", async ({ text }, { expect }) => {
    const fleet = fleetOf(declared(shop, { suspension: { reason: text, until: undefined } }));
    fleet.recordLoad(load({ zones: 1 }));
    const hostile = change("policy/a", "weakens", {
      title: text,
      reasons: [text],
      fields: [{ field: "value", before: text, after: `${text}!` }],
    });
    fleet.recordZone(
      report(shop, 3, {
        result: "planned",
        cause: "drift",
        changes: [hostile],
        unmanaged: [{ kind: "policy", id: "1", title: text }],
      }),
    );
    fleet.followInventory(true);
    const items = [script(text, { urlReportedMalicious: true }), cookie(text)];
    const impact = [text];
    fleet.recordInventory(inventoryRead(shop, 4, { items, impact, policy: "script-src 'self'" }));
    fleet.recordInventory(inventoryUnreadable(shop, 5, failure(text)));
    await using server = await servePages({ fleet, history: noHistory, now: at(30) });
    for (const path of ["/", `/zones/${shop}`]) {
      for (const width of [1280, 380]) {
        await using tab = await openTab(browser, server.url + path, {
          viewport: { width, height: 800 },
        });
        expect(await tab.page.title()).toContain("zonewarden");
        expect(await tab.page.locator("main script, main img").count()).toBe(0);
        expect(await isTooWide(tab.page), `${path} at ${width}`).toBe(false);
        expect(await tab.page.locator("main").innerText()).toContain(
          text
            .replaceAll(
              /[\u202E\u202C]/g,
              (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase()}⟩`,
            )
            .slice(0, 100),
        );
        expect(tab.complaints).toEqual([]);
      }
    }
  });

  it("stay short and within their width for 10,000 zones, with the causes first", async ({
    expect,
  }) => {
    const hold = `/zones/${largeName(9)}`;
    const paths = ["/", "/?status=pending&page=2&sort=since", hold];
    for (const fleet of [largeStatus(10_000), heldStatus(10_000)]) {
      await using server = await servePages({ fleet, history: noHistory, now: at(30) });
      for (const width of [390, 1_400]) {
        for (const path of paths) {
          await using tab = await openTab(browser, server.url + path, {
            viewport: { width, height: 900 },
          });
          const { page } = tab;
          const where = `${path} at ${width}`;
          expect(await isTooWide(page), where).toBe(false);
          expect(await violationsOn(page), where).toEqual([]);
          expect(tab.complaints, where).toEqual([]);
          const height = await page.evaluate<number>("document.documentElement.scrollHeight");
          expect(height, where).toBeLessThan(8_000);
          const sent = await page.evaluate<number>(
            "performance.getEntriesByType('navigation')[0].transferSize",
          );
          expect(sent, where).toBeLessThan(100_000);
          expect(sent, where).toBeGreaterThan(1_000);
        }
      }
    }
  });

  it("lead from a cause to its zones, and to what a person can do", async ({ expect }) => {
    await using server = await servePages({
      fleet: largeStatus(400),
      history: noHistory,
      now: at(30),
    });
    await using tab = await openTab(browser, server.url);
    const { page } = tab;
    const causes = page.getByRole("region", { name: "By cause" });
    const first = causes.getByRole("listitem").first();
    expect(await first.innerText()).toContain("somebody lowered the protection");
    await first.getByRole("link", { name: "10 zones" }).click();
    await page.waitForURL("**/?cause=*");
    expect(await page.locator(".zones tbody tr").count()).toBe(10);
    await page.getByRole("link", { name: "Show all causes" }).click();
    await page.getByLabel("Account", { exact: true }).selectOption("Example Brands");
    await page.getByLabel("Changed by").selectOption({ index: 1 });
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL("**/?account=Example+Brands*");
    const rows = page.locator(".zones tbody tr");
    expect(await rows.count()).toBe(4);
    await rows.first().getByRole("rowheader").getByRole("link").click();
    const steps = page.getByRole("region", { name: "What you can do" });
    expect(await steps.innerText()).toContain(`zonewarden blame ${largeName(3)}`);
    expect(tab.complaints).toEqual([]);
  });
});
