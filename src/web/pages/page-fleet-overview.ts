import { html, type Html } from "../../render/html.ts";
import { type ZoneState, type ZoneStatus, zoneStatuses } from "../../state/zone-state.ts";
import { number, statusText } from "./page-parts.ts";
import {
  type FleetInventory,
  type InventoryFilter,
  inventoryFilters,
  maliciousIn,
  queryOf,
  type ZoneFilter,
} from "./selection.ts";

type Counts = Readonly<Record<ZoneStatus, number>>;

/** Shown even with zero zones. */
const always = new Set<ZoneStatus>(["in_sync", "drifted", "pending", "held", "error"]);

/** A bar of all zones by status, and a filter with a count for each status. */
export function renderOverview(counts: Counts, selection: ZoneFilter): Html {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const isNarrowed = selection.query !== "" || selection.inventory !== undefined;
  const shown = zoneStatuses.filter(
    (status) => counts[status] > 0 || status === selection.status || always.has(status),
  );
  const href = (status: ZoneStatus | undefined): string =>
    `/${queryOf({ ...selection, status, page: 1 })}`;
  return html`<section class="overview" aria-label="Zones by status">
    ${all > 0 && shareBar(counts, all)}
    <ul class="tabs">
      <li>
        <a href="${href(undefined)}" aria-current="${String(selection.status === undefined)}"
          ><b>${number(all)}</b> ${isNarrowed ? "found" : "zones"}</a
        >
      </li>
      ${shown.map(
        (status) =>
          html`<li>
            <a
              class="${status}"
              href="${href(status)}"
              aria-current="${String(status === selection.status)}"
              ><b>${number(counts[status])}</b>
              <span class="dot" aria-hidden="true"></span>${statusText(status)}</a
            >
          </li> `,
      )}
    </ul>
  </section>`;
}

const barWidth = 1000;
const barHeight = 8;
const minWidth = 3;

function shareBar(counts: Counts, all: number): Html {
  const present = zoneStatuses.filter((status) => counts[status] > 0);
  const widths = present.map((status) => Math.max((counts[status] / all) * barWidth, minWidth));
  const total = widths.reduce((sum, width) => sum + width, 0);
  let x = 0;
  const rectangles = present.map((status, at) => {
    const width = widths[at] ?? 0;
    const left = x;
    x += width;
    return html`<rect
      class="${status}"
      x="${left.toFixed(1)}"
      width="${width.toFixed(1)}"
      height="${barHeight}"
    />`;
  });
  return html`<svg
    class="share"
    role="img"
    aria-label="${present.map((status) => `${counts[status]} ${statusText(status)}`).join(", ")}"
    viewBox="0 0 ${total.toFixed(1)} ${barHeight}"
    preserveAspectRatio="none"
  >
    ${rectangles}
  </svg>`;
}

/** Labels of the inventory filters, after "zones". */
export const filterWords: Readonly<Record<InventoryFilter, string>> = {
  malicious: "with malicious items",
  outside: "with scripts outside policies",
  failing: "with failed reads",
  unread: "not read yet",
};

/** The inventories of all zones: a filter with a count for each finding. */
export function renderFleetInventory(
  found: FleetInventory,
  selection: ZoneFilter,
): Html | undefined {
  // A count of zero is shown once an inventory was read.
  const shown = inventoryFilters.filter(
    (filter) =>
      found.zones[filter] > 0 ||
      filter === selection.inventory ||
      itemsOf(filter, found) !== undefined,
  );
  if (shown.length === 0) return undefined;
  return html`<section class="overview" aria-labelledby="seen-title">
    <h2 id="seen-title">Inventory <small>zones, as of the last read</small></h2>
    <ul class="tabs">
      ${shown.map((filter) => tab(filter, found, selection))}
    </ul>
  </section>`;
}

function itemsOf(
  filter: InventoryFilter,
  { malicious, outside }: FleetInventory,
): number | undefined {
  return { malicious, outside, failing: undefined, unread: undefined }[filter];
}

/** The current filter links to the page without it. */
function tab(filter: InventoryFilter, found: FleetInventory, selection: ZoneFilter): Html {
  const isCurrent = filter === selection.inventory;
  const inventory = isCurrent ? undefined : filter;
  const zones = found.zones[filter];
  const items = itemsOf(filter, found) ?? 0;
  return html`<li>
    <a
      class="${filter}"
      href="/${queryOf({ ...selection, inventory, page: 1 })}"
      aria-current="${String(isCurrent)}"
      ><b>${number(zones)}</b>
      ${zones > 0 && html`<span class="dot" aria-hidden="true"></span>`}${filterWords[filter]}${items > 0 && `: ${number(items)}`}</a
    >
  </li> `;
}

export function maliciousBadge({ inventory }: ZoneState): Html | undefined {
  const count = maliciousIn(inventory?.facts);
  return count === 0
    ? undefined
    : html`<span class="impact weakens">${number(count)} malicious</span>`;
}
