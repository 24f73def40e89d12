import type { ItemBrief } from "../../state/inventory.ts";
import { html, type Html } from "./html.ts";
import { foreign, moment } from "./page-parts.ts";

/** What browsers reported, item by item. Addresses stand as text: nobody shall get to a malicious one by a click. */
export function renderItems(items: readonly ItemBrief[], now: Date): Html {
  return html`<ul class="items plain">
    ${items.map((item) => renderItem(item, now))}
  </ul>`;
}

function renderItem({ kind, what, where, firstSeenAt, malicious }: ItemBrief, now: Date): Html {
  return html`<li>
    ${address(what)}
    <span class="note"
      >${kind}${malicious.length > 0 && html`, <b class="error">${foreign(malicious.join("; "))}</b>`}${firstSeenAt !== undefined && html`, first seen ${moment(firstSeenAt, now)}`}${where !== "" && html` on ${address(where)}`}</span
    >
  </li>`;
}

/** A script can carry its whole content in its address. */
const longest = 200;

function address(text: string): Html {
  return text.length <= longest
    ? html`<code class="value">${text}</code>`
    : html`<code class="value" title="${text}">${text.slice(0, longest)}…</code>`;
}
