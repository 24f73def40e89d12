import type { ZoneState } from "../../state/zone-state.ts";
import {
  inventoryFilters,
  maliciousIn,
  type FleetInventory,
  type InventoryFilter,
} from "./fleet-inventory.ts";
import { html, type Html } from "./html.ts";
import { number } from "./page-parts.ts";
import { queryOf, type Selection } from "./selection.ts";

/** Zones that somebody looks for among the inventories, in words after "zones". */
export const filterWords: Readonly<Record<InventoryFilter, string>> = {
  malicious: "with malicious items",
  outside: "with scripts outside policies",
  failing: "not readable",
  unread: "not read yet",
};

/** What browsers reported in all zones: each finding with its number of zones, which is also the filter. */
export function renderFleetInventory(
  found: FleetInventory,
  selection: Selection,
): Html | undefined {
  // That no zone has a finding is what one wants to see, unless nobody can know yet.
  const shown = inventoryFilters.filter(
    (filter) =>
      found.zones[filter] > 0 ||
      filter === selection.inventory ||
      itemsOf(filter, found) !== undefined,
  );
  if (shown.length === 0) return undefined;
  return html`<section class="overview" aria-labelledby="seen-title">
    <h2 id="seen-title">Seen by browsers <small>zones, as they were read last</small></h2>
    <ul class="tabs">
      ${shown.map((filter) => tab(filter, found, selection))}
    </ul>
  </section>`;
}

function itemsOf(
  filter: InventoryFilter,
  { malicious, outside }: FleetInventory,
): number | undefined {
  switch (filter) {
    case "malicious":
      return malicious;
    case "outside":
      return outside;
    case "failing":
    case "unread":
      return undefined;
  }
}

/** A second click takes the filter away. */
function tab(filter: InventoryFilter, found: FleetInventory, selection: Selection): Html {
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

/** How many malicious items a zone has, where it has some. */
export function maliciousBadge({ inventory }: ZoneState): Html | undefined {
  const count = maliciousIn(inventory?.facts);
  return count === 0
    ? undefined
    : html`<span class="impact weakens">${number(count)} malicious</span>`;
}
