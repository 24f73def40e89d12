import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { type Browser, chromium, type BrowserContextOptions, type Page } from "playwright-core";

import { isJsonObject } from "../../src/syntax/json.ts";
import { objectsIn, textAt } from "../deploy/rules.ts";
import { missing } from "../support/processes.ts";

/** Why browser tests are skipped here; `undefined` where Debian's Chromium is. */
export const noChromium: string | undefined = missing("chromium", "chromium");

/** A page in a browser of its own, and everything it complained of: faults of scripts, violations of the policy. */
export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Starts Chromium without a window. The sandbox stays off: tests run as root, and look at nothing but our own pages. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/** Opens a page. */
export async function openTab(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules of accessibility that a page breaks, each with where. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const result: unknown = await page.evaluate("axe.run()");
  const violations = isJsonObject(result) ? objectsIn(result["violations"]) : [];
  return violations.flatMap((violation) =>
    objectsIn(violation["nodes"]).map(
      (node) => `${textAt(violation, "id")}: ${JSON.stringify(node["target"])}`,
    ),
  );
}

/** Whether a reader must scroll a page sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth > innerWidth");
}
