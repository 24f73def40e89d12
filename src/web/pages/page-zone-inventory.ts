import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import type {
  InventoryFacts,
  InventoryState,
  InventorySummary,
  ItemBrief,
} from "../../state/inventory.ts";
import type { Failure } from "../../state/run-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { byEntryName } from "../../syntax/by-text.ts";
import { type ItemKind, resourceKinds } from "../../zone/inventory-item.ts";
import { andMore, card, foreign, moment, number, plainList, ray, section } from "./page-parts.ts";
import { maliciousIn } from "./selection.ts";

/** The inventory of a zone as of the last read; nothing if inventories are off. */
export function renderInventory({ inventory }: ZoneState, now: Date): Html | undefined {
  if (inventory === undefined) return undefined;
  const { facts, failure, readAt } = inventory;
  return section(
    "inventory",
    html`Inventory ${readAt !== undefined && html`<small>read ${moment(readAt, now)}</small>`}`,
    html`${failure !== undefined && unreadable(failure, inventory, now)}
    ${facts !== undefined && found(facts, now)}
    ${facts === undefined && failure === undefined && unread}`,
  );
}

const unread = html`<p class="empty">
  Not read yet. Inventories are read one zone after the other at the lowest request priority.
</p>`;

function unreadable(
  { code, message, transient, ray: id }: Failure,
  { failingSince, facts }: InventoryState,
  now: Date,
): Html {
  return card(
    "warning",
    "Read failed",
    html`<p>${foreign(message)}</p>
      <p class="quiet">
        <code>${code}</code> ${ray(id)} failing since ${moment(failingSince, now)}, retried
        ${transient ? "automatically" : "with the next read"};
        ${facts === undefined ? "nothing was read before" : "the last successful read is below"}
      </p>`,
  );
}

function found(facts: InventoryFacts, now: Date): Html {
  const { kinds, notPermitted, malicious, newest, outside } = facts;
  return html`<div class="seen">
    ${htmlTable(kindColumns, [...kinds])} ${[...notPermitted].map(notPermittedItem)}
    ${
      malicious.length > 0 &&
      html`<h3 class="error">Malicious</h3>
        ${renderItems(malicious, now)} ${andMore(maliciousIn(facts) - malicious.length, "item")}`
    }
    ${
      kinds.has("script") &&
      html`<h3>Scripts outside every enforced policy</h3>
        ${outside === undefined ? html`<p>The zone enforces no policy.</p>` : outsideItems(outside, now)}`
    }
    ${
      newest.length > 0 &&
      html`<details id="newest">
        <summary>New in the last day (${newest.length})</summary>
        ${renderItems(newest, now)}
      </details>`
    }
  </div>`;
}

const none = html`<span class="quiet">–</span>`;

const kindColumns: Columns<readonly [ItemKind, InventorySummary]> = {
  Kind: ([kind]) => `${kind}s`,
  Items: ([, { total }]) => number(total),
  "By status": ([, { statuses }]) => {
    const counts = Object.entries(statuses).toSorted(byEntryName);
    if (counts.length === 0) return none;
    return counts.map(([status, count]) => `${number(count)} ${status}`).join(", ");
  },
  Malicious: ([kind, { malicious }]) =>
    resourceKinds.some((judged) => judged === kind) ? badNumber(malicious) : none,
  "New in the last day": ([, { fresh }]) => number(fresh),
};

/** Unknown, not zero: the token or the contract does not permit to read it. */
function notPermittedItem([kind, { code, message }]: readonly [ItemKind, Failure]): Html {
  return html`<p>
    ${kind}s not permitted: ${foreign(message)} <code class="quiet">${code}</code>
  </p>`;
}

function badNumber(count: number): Html {
  return count === 0 ? html`0` : html`<b class="error">${number(count)}</b>`;
}

function outsideItems(
  { count, unclear, newest }: NonNullable<InventoryFacts["outside"]>,
  now: Date,
): Html {
  return html`<p>
      ${count === 0 ? "None in use" : `${number(count)} in use`}${unclear > 0 && `; ${number(unclear)} unclear`}.
    </p>
    ${newest.length > 0 && renderItems(newest, now)} ${andMore(count - newest.length, "item")}`;
}

/** Items of the inventory. URLs are no links: they may be malicious. */
function renderItems(items: readonly ItemBrief[], now: Date): Html {
  return plainList(
    items,
    ({ kind, name, page, firstSeenAt, malicious }) =>
      html`${address(name)}
        <span class="note"
          >${kind}${malicious.length > 0 && html`, <b class="error">${foreign(malicious.join("; "))}</b>`}${firstSeenAt !== undefined && html`, first seen ${moment(firstSeenAt, now)}`}${page !== "" && html` on ${address(page)}`}</span
        >`,
    "items",
  );
}

/** Longer URLs are cut. */
const maxUrlLength = 200;

function address(text: string): Html {
  return text.length <= maxUrlLength
    ? html`<code class="value">${text}</code>`
    : html`<code class="value" title="${text}">${text.slice(0, maxUrlLength)}…</code>`;
}
