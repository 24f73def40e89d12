import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";

import { runTool } from "../../deploy/release/commands.ts";
import { isTooWide, noChromium, openTab, startBrowser, violationsOn } from "./chromium.ts";

const root = path.resolve(import.meta.dirname, "../..");

const screens = [
  { width: 390, colorScheme: "dark" },
  { width: 1_400, colorScheme: "light" },
] as const;

describe.skipIf(noChromium !== undefined)(`the site in Chromium ${noChromium ?? ""}`, () => {
  let browser: Browser;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), "zonewarden-site-"));
    runTool("npm", ["run", "--silent", "site", "--", directory], { cwd: root });
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.for(screens)(
    "is readable by all on every page, $width pixels wide and $colorScheme",
    async ({ width, colorScheme }, { expect }) => {
      const pages = globSync("**/*.html", { cwd: directory }).toSorted();
      expect(pages.length).toBeGreaterThan(50);
      await using tab = await openTab(browser, "about:blank", {
        viewport: { width, height: 860 },
        colorScheme,
      });
      const { page } = tab;
      // Axe reads style sheets itself, which Chromium refuses for files.
      await page.route("http://site.test/**", (route) => {
        const { pathname } = new URL(route.request().url());
        return route.fulfill({ path: path.join(directory, pathname) });
      });
      for (const name of pages) {
        await page.goto(`http://site.test/${name}`);
        expect(await isTooWide(page), name).toBe(false);
        expect(await violationsOn(page), name).toEqual([]);
      }
      expect(tab.complaints).toEqual([]);
    },
  );

  it("scrolls a wide table of a narrow screen by itself", async ({ expect }) => {
    const address = pathToFileURL(path.join(directory, "docs/architecture.html")).href;
    await using tab = await openTab(browser, address, { viewport: { width: 390, height: 860 } });
    const tables = tab.page.getByRole("group", { name: "Table" });
    await tables.first().waitFor();
    const areWide = await tables.evaluateAll((all) =>
      all.map(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    expect(areWide).toContain(true);
  });

  it("leads from a narrow page to all others, and to a heading of one", async ({ expect }) => {
    const address = pathToFileURL(path.join(directory, "index.html")).href;
    await using tab = await openTab(browser, address, { viewport: { width: 390, height: 860 } });
    const { page } = tab;
    await page.locator(".to-pages").click();
    await page.getByRole("navigation", { name: "Pages" }).getByText("Monitoring").click();
    await page.waitForURL("**/docs/monitoring.html");
    await page.getByText("On this page").click();
    await page.locator(".sections").getByRole("link", { name: "Log", exact: true }).click();
    await page.waitForURL("**/docs/monitoring.html#log");
    expect(await page.locator("#log").innerText()).toContain("Log");
  });
});
