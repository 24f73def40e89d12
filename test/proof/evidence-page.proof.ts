import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { describe, it } from "vitest";

import { checkAt, evil, hostile, pay, placeWith } from "../support/evidence-pack.ts";
import { historyOfChecks, type StoryCheck } from "../support/evidence-story.ts";
import { shop } from "../support/fleets.ts";
import { isTooWide, noChromium, openTab, startBrowser, violationsOn } from "./chromium.ts";

/** A quarter: scripts come and go on most days, and on some nothing is checked. */
function quarter(): readonly StoryCheck[] {
  return Array.from({ length: 90 }, (_, days) => days).flatMap((days) => {
    if (days % 11 === 0 || (days > 40 && days < 52)) return [];
    const others = [1, 2, 3].map((each) => `https://cdn.example.net/${(days * each) % 17}.js`);
    return [checkAt(days, pay, ...new Set(others), ...(days % 3 === 0 ? [evil, hostile] : []))];
  });
}

/** The page of a quarter, as a file. */
async function quarterPage(): Promise<string> {
  await using place = await placeWith(await historyOfChecks(quarter()));
  const days = ["--since", "2026-11-01", "--until", "2027-01-31"];
  await place.run("evidence", "--zone", shop, ...days, "--out", "out");
  return place.read("out/evidence.html");
}

describe.skipIf(noChromium !== undefined)(`evidence in Chromium ${noChromium ?? ""}`, () => {
  it("is accessible, asks for nothing, and prints on whole pages", async ({ expect }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-"));
    await using browser = await startBrowser();
    const file = path.join(directory, "evidence.html");
    await writeFile(file, await quarterPage());
    await using tab = await openTab(browser, pathToFileURL(file).href);
    const { page, complaints } = tab;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.reload();
    expect(asked).toEqual([pathToFileURL(file).href]);
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    const words = await page.locator("main").innerText();
    expect(words).toContain("<script>alert(1)</script>");
    expect(words).toContain("No check for more than seven days");
    const pdf = await page.pdf({ preferCSSPageSize: true, tagged: true });
    await rm(directory, { recursive: true });
    const pages = pdf.toString("latin1").match(/\/Type \/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.length).toBeLessThan(40);
    // Landscape A4, in points.
    const sizes = new Set(pdf.toString("latin1").match(/\/MediaBox \[[^\]]*\]/g));
    expect([...sizes]).toEqual([expect.stringMatching(/\[0 0 84[12](\.\d+)? 59[456](\.\d+)?\]/)]);
    for (const each of ["screen", "print"] as const) {
      await page.emulateMedia({ media: each });
      expect(await isTooWide(page)).toBe(false);
    }
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width: 390, height: 860 });
    expect(await isTooWide(page)).toBe(false);
    expect(await violationsOn(page)).toEqual([]);
  });
});
