import { html, type Html, type Part } from "../../render/html.ts";
import { type ZoneState, type ZoneStatus, zoneStatuses } from "../../state/zone-state.ts";
import { sum } from "../../syntax/sum.ts";
import { bar, barPart, barWidth, number, section, statusText } from "./page-parts.ts";
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

/** A filter of the zone list, with what it finds. */
interface Tab {
  /** Its class. */
  readonly kind?: string;
  readonly count: number;
  readonly label: Part;
  /** What it selects. */
  readonly to: ZoneFilter;
  readonly isCurrent: boolean;
}

function tabList(tabs: readonly Tab[]): Html {
  return html`<ul class="tabs">
    ${tabs.map(
      ({ kind, count, label, to, isCurrent }) =>
        html`<li>
          <a${kind !== undefined && html` class="${kind}"`} href="/${queryOf({ ...to, page: 1 })}" aria-current="${String(isCurrent)}"
            ><b>${number(count)}</b>
            ${kind !== undefined && count > 0 && dot}${label}</a
          >
        </li> `,
    )}
  </ul>`;
}

const dot = html`<span class="dot" aria-hidden="true"></span>`;

/** A bar of all zones by status, and a filter with a count for each status. */
export function renderOverview(counts: Counts, selection: ZoneFilter): Html {
  const all = sum(Object.values(counts));
  const isNarrowed = selection.query !== "" || selection.inventory !== undefined;
  const shown = zoneStatuses.filter(
    (status) => counts[status] > 0 || status === selection.status || always.has(status),
  );
  const tabs = shown.map((status) => ({
    kind: status,
    count: counts[status],
    label: statusText(status),
    to: { ...selection, status },
    isCurrent: status === selection.status,
  }));
  const every = {
    count: all,
    label: isNarrowed ? "found" : all === 1 ? "zone" : "zones",
    to: { ...selection, status: undefined },
    isCurrent: selection.status === undefined,
  };
  return html`<section class="overview" aria-label="Zones by status">
    ${all > 0 && shareBar(counts, all)} ${tabList([every, ...tabs])}
  </section>`;
}

const height = 8;
const minWidth = 3;

function shareBar(counts: Counts, all: number): Html {
  const present = zoneStatuses.filter((status) => counts[status] > 0);
  const wantedOf = (status: ZoneStatus): number =>
    Math.max((counts[status] / all) * barWidth, minWidth);
  const scale = barWidth / sum(present.map(wantedOf));
  let x = 0;
  const parts = present.map((status) => {
    const width = wantedOf(status) * scale;
    x += width;
    return barPart(status, { x: x - width, width, height });
  });
  const label = present.map((status) => `${counts[status]} ${statusText(status)}`).join(", ");
  return bar("share", label, parts, height);
}

/** Labels of the inventory filters, after "zones". */
export const filterWords: Readonly<Record<InventoryFilter, string>> = {
  malicious: "with malicious items",
  outside: "with scripts outside policies",
  failing: "with failed reads",
  unread: "not read yet",
};

/** The inventories of all zones: a filter with a count for each finding. The current one links to the page without it. */
export function renderFleetInventory(
  { zones, malicious, outside }: FleetInventory,
  selection: ZoneFilter,
): Html | undefined {
  const items = { malicious, outside, failing: undefined, unread: undefined };
  const tabs = inventoryFilters
    .map((filter) => {
      const isCurrent = filter === selection.inventory;
      const found = items[filter];
      return {
        kind: filter,
        count: zones[filter],
        label: [filterWords[filter], found ? `: ${number(found)}` : undefined],
        to: { ...selection, inventory: isCurrent ? undefined : filter },
        isCurrent,
      };
    })
    // A count of zero is shown once an inventory was read.
    .filter(({ kind, count, isCurrent }) => count > 0 || isCurrent || items[kind] !== undefined);
  if (tabs.length === 0) return undefined;
  const title = html`Inventory <small>zones, as of the last read</small>`;
  return section("seen", title, tabList(tabs), "overview");
}

export function maliciousBadge({ inventory }: ZoneState): Html | undefined {
  const count = maliciousIn(inventory?.facts);
  return count === 0
    ? undefined
    : html`<span class="impact weakens">${number(count)} malicious</span>`;
}
