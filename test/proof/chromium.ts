import { type Browser, chromium, type BrowserContextOptions, type Page } from "playwright-core";

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
