import { html, type Html } from "./html.ts";
import { panel } from "./page-parts.ts";

/** Where people ask for a look now: at a zone, "" for all. Browsers keep the token for them, these pages never do. */
export function renderReconcile(zone: string): Html {
  return panel(
    "reconcile",
    "Look now",
    html`<form class="ask" method="post" action="/reconcile">
      <input type="hidden" name="zone" value="${zone}" />
      <label class="hidden" for="token">Token for looking now</label>
      <input
        id="token"
        type="password"
        name="token"
        required
        placeholder="Token"
        autocomplete="current-password"
      />
      <button type="submit">${zone === "" ? "All zones" : "This zone"}</button>
    </form>`,
  );
}
