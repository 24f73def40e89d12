import type { Snapshot } from "../json/snapshot.ts";
import { html, type Html } from "./html.ts";
import { layout } from "./page-layout.ts";
import { foreign } from "./page-parts.ts";

/** What is shown where there is nothing. */
export function renderMissingPage(snapshot: Snapshot, path: string): Html {
  return layout(
    snapshot,
    "Not found",
    html`<h1>There is nothing here</h1>
      <p>
        <code>${foreign(path)}</code> is no page, or a zone that is not declared (any more).
        <a href="/">All zones</a>
      </p>`,
  );
}
