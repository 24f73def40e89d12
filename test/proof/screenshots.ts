import path from "node:path";

import { shop } from "../support/fleets.ts";
import { openTab, startBrowser } from "./chromium.ts";
import { servePages } from "./serve-pages.ts";
import { showcase } from "./showcase.ts";

const directory = path.resolve(import.meta.dirname, "../../deploy/screenshots");

/** The pages that the README shows. */
const shown = [
  { file: "overview.png", at: "/", height: 800 },
  { file: "zone.png", at: `/zones/${shop}`, height: 840 },
] as const;

const browser = await startBrowser();
await using server = await servePages(showcase());
for (const { file, at, height } of shown) {
  await using tab = await openTab(browser, server.url + at, {
    viewport: { width: 1280, height },
  });
  await tab.page.screenshot({ path: path.join(directory, file) });
}
await browser.close();
