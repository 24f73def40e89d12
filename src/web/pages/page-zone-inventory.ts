import { html, type Html, htmlTable } from "../../render/html.ts";
import type {
  InventoryFacts,
  InventoryState,
  InventorySummary,
  ItemBrief,
} from "../../state/inventory.ts";
import type { Failure } from "../../state/run-report.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { type ItemKind, resourceKinds } from "../../zone/inventory-item.ts";
import { counted, foreign, moment, number, ray } from "./page-parts.ts";
import { maliciousIn } from "./selection.ts";

/** The inventory of a zone as of the last read; nothing if inventories are off. */
export function renderInventory({ inventory }: ZoneState, now: Date): Html | undefined {
  if (inventory === undefined) return undefined;
  const { facts, failure, readAt } = inventory;
  return html`<section aria-labelledby="inventory-title">
    <h2 id="inventory-title">
      Inventory ${readAt !== undefined && html`<small>read ${moment(readAt, now)}</small>`}
    </h2>
    ${failure !== undefined && unreadable(failure, inventory, now)}
    ${facts !== undefined && found(facts, now)}
    ${facts === undefined && failure === undefined && unread}
  </section>`;
}

const unread = html`<p class="empty">
  Not read yet. Inventories are read one zone after the other at the lowest request priority.
</p>`;

function unreadable(
  { code, message, transient, ray: id }: Failure,
  { failingSince, facts }: InventoryState,
  now: Date,
): Html {
  return html`<div class="card warning">
    <h3>Read failed</h3>
    <p>${foreign(message)}</p>
    <p class="quiet">
      <code>${code}</code> ${ray(id)} failing since ${moment(failingSince, now)}, retried
      ${transient ? "automatically" : "with the next read"};
      ${facts === undefined ? "nothing was read before" : "the last successful read is below"}
    </p>
  </div>`;
}

function found(facts: InventoryFacts, now: Date): Html {
  const { newest } = facts;
  return html`<div class="seen">
    ${kindTable(facts)} ${maliciousList(facts, now)}
    ${facts.kinds.has("script") && outside(facts, now)}
    ${
      newest.length > 0 &&
      html`<details id="newest">
        <summary>New in the last day (${newest.length})</summary>
        ${renderItems(newest, now)}
      </details>`
    }
  </div>`;
}

function kindTable({ kinds, notPermitted }: InventoryFacts): Html {
  return htmlTable(
    ["Kind", "Items", "By status", "Malicious", "New in the last day"],
    [
      [...kinds].map(([kind, summary]) => kindRow(kind, summary)),
      [...notPermitted].map(([kind, failure]) => notPermittedRow(kind, failure)),
    ],
  );
}

const none = html`<span class="quiet">–</span>`;

function kindRow(
  kind: ItemKind,
  { total, statuses, fresh, malicious: bad }: InventorySummary,
): Html {
  const byStatus = Object.entries(statuses)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, count]) => `${number(count)} ${status}`);
  const isJudged = resourceKinds.some((judged) => judged === kind);
  return html`<tr>
    <th scope="row">${kind}s</th>
    <td data-label="items">${number(total)}</td>
    <td data-label="status">${byStatus.length === 0 ? none : byStatus.join(", ")}</td>
    <td data-label="malicious">${isJudged ? badNumber(bad) : none}</td>
    <td data-label="new">${number(fresh)}</td>
  </tr>`;
}

/** Unknown, not zero: the token or the contract does not permit to read it. */
function notPermittedRow(kind: ItemKind, { code, message }: Failure): Html {
  return html`<tr>
    <th scope="row">${kind}s</th>
    <td colspan="4">not permitted: ${foreign(message)} <code class="quiet">${code}</code></td>
  </tr>`;
}

function badNumber(count: number): Html {
  return count === 0 ? html`0` : html`<b class="error">${number(count)}</b>`;
}

function maliciousList(facts: InventoryFacts, now: Date): Html | undefined {
  if (facts.malicious.length === 0) return undefined;
  return html`<h3 class="error">Malicious</h3>
    ${renderItems(facts.malicious, now)} ${more(maliciousIn(facts) - facts.malicious.length)}`;
}

function outside(facts: InventoryFacts, now: Date): Html {
  const scripts = facts.outside;
  return html`<h3>Scripts outside every enforced policy</h3>
    ${scripts === undefined ? html`<p>The zone enforces no policy.</p>` : outsideItems(scripts, now)}`;
}

function outsideItems(
  { count, unclear, newest }: NonNullable<InventoryFacts["outside"]>,
  now: Date,
): Html {
  return html`<p>
      ${count === 0 ? "None in use" : `${number(count)} in use`}${unclear > 0 && `; ${number(unclear)} unclear`}.
    </p>
    ${newest.length > 0 && renderItems(newest, now)} ${more(count - newest.length)}`;
}

function more(count: number): Html | undefined {
  return count > 0 ? html`<p class="quiet">and ${counted(count, "more item")}</p>` : undefined;
}

/** Items of the inventory. URLs are no links: they may be malicious. */
function renderItems(items: readonly ItemBrief[], now: Date): Html {
  return html`<ul class="items plain">
    ${items.map((item) => renderItem(item, now))}
  </ul>`;
}

function renderItem({ kind, name, page, firstSeenAt, malicious }: ItemBrief, now: Date): Html {
  return html`<li>
    ${address(name)}
    <span class="note"
      >${kind}${malicious.length > 0 && html`, <b class="error">${foreign(malicious.join("; "))}</b>`}${firstSeenAt !== undefined && html`, first seen ${moment(firstSeenAt, now)}`}${page !== "" && html` on ${address(page)}`}</span
    >
  </li>`;
}

/** Longer URLs are cut. */
const maxUrlLength = 200;

function address(text: string): Html {
  return text.length <= maxUrlLength
    ? html`<code class="value">${text}</code>`
    : html`<code class="value" title="${text}">${text.slice(0, maxUrlLength)}…</code>`;
}
