import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

import type { Page } from "playwright-core";
import { describe, it } from "vitest";

import { noChromium, openTab, startBrowser } from "./chromium.ts";
import { drawRecording, stableTextOf } from "./draw-recording.ts";
import { record } from "./recording.ts";

const file = path.resolve(import.meta.dirname, "../../docs/recording.svg");
const drawn = readFileSync(file, "utf8");

/** Stops the recording at a part of its length, and gives the commands and outputs that a person sees then. */
async function shownAt(page: Page, part: number): Promise<readonly string[]> {
  const shown: unknown = await page.evaluate(`
    for (const each of document.getAnimations()) {
      each.pause();
      each.currentTime = ${part} * each.effect.getTiming().duration;
    }
    [...document.querySelectorAll("g")]
      .filter((each) => getComputedStyle(each).opacity === "1")
      .map((each) => each.textContent.trim().split("\\n")[0]);
  `);
  return Array.isArray(shown) ? shown.map(String) : [];
}

describe("the recording of the README", () => {
  it("is what the program prints now (npm run recording)", async ({ expect }) => {
    expect(stableTextOf(drawn)).toBe(stableTextOf(drawRecording(await record())));
  });

  it("is small, and has no script and nothing from elsewhere", ({ expect }) => {
    expect(drawn.length).toBeLessThan(60_000);
    expect(drawn).not.toMatch(/<script|\bon\w+=|href|url\(|@import/);
  });
});

describe.skipIf(noChromium)(`the recording in Chromium ${noChromium ?? ""}`, () => {
  it("shows one step after another, and then all of it within its frame", async ({ expect }) => {
    await using stack = new AsyncDisposableStack();
    const browser = await startBrowser();
    stack.defer(() => browser.close());
    const { page } = stack.use(await openTab(browser, pathToFileURL(file).href));
    expect(await shownAt(page, 0)).toEqual([]);
    const steps = [await shownAt(page, 0.1), await shownAt(page, 0.4), await shownAt(page, 0.95)];
    expect(steps.map(({ length }) => length)).toEqual([2, 3, 6]);
    expect(steps[2]?.[4]).toContain("$");
    const outside: unknown = await page.evaluate(`
      const frame = document.querySelector(".paper").getBoundingClientRect();
      [...document.querySelectorAll("text")]
        .filter((each) => {
          const box = each.getBoundingClientRect();
          return box.left < frame.left || box.right > frame.right || box.bottom > frame.bottom;
        })
        .map((each) => each.textContent);
    `);
    expect(outside).toEqual([]);
  });

  it("stands still, whole, where motion is unwelcome", async ({ expect }) => {
    await using stack = new AsyncDisposableStack();
    const browser = await startBrowser();
    stack.defer(() => browser.close());
    const still = { reducedMotion: "reduce" } as const;
    const { page } = stack.use(await openTab(browser, pathToFileURL(file).href, still));
    expect(await page.evaluate("document.getAnimations().length")).toBe(0);
    expect(await shownAt(page, 0)).toHaveLength(6);
  });
});
