import type { ZoneState } from "../../state/zone-state.ts";
import { html, type Html } from "./html.ts";
import { moment } from "./page-parts.ts";

/** What the plan would do to what was seen, in the words of `plan --impact`; nothing where nothing differs or nobody looks. */
export function renderImpact(state: ZoneState, now: Date): Html | undefined {
  const { inventory, differing, holds } = state;
  if (inventory === undefined || differing.length === 0) return undefined;
  const lines = inventory.facts?.impact ?? [];
  if (lines.length === 0) {
    return html`<p class="quiet">What this would do to what browsers saw is not judged yet.</p>`;
  }
  return html`<details class="record" id="impact" ${holds.length > 0 && "open"}>
    <summary>
      <b>What this would do to what browsers saw</b>
      <small>judged ${moment(inventory.readAt, now)}</small>
    </summary>
    <pre class="value">${lines.join("\n")}</pre>
  </details>`;
}
