import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import { isWorking } from "../../state/daemon-status.ts";
import { driftIn, impacts } from "../../state/drift.ts";
import { driftOf, holdsOf, pendingOf, unknownOf, type ZoneState } from "../../state/zone-state.ts";
import { kinds } from "../../zone/resource.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  filterWords,
  maliciousBadge,
  renderFleetInventory,
  renderOverview,
} from "./page-fleet-overview.ts";
import { renderSidePanels } from "./page-fleet-side.ts";
import { layout } from "./page-layout.ts";
import {
  banner,
  counted,
  foreign,
  moment,
  number,
  statusBadge,
  statusText,
  zoneLink,
} from "./page-parts.ts";
import {
  isInventoryOn,
  isWeakened,
  queryOf,
  select,
  type SelectedZones,
  type ZoneFilter,
} from "./selection.ts";

/** The page of the fleet: counts, and zones with the most urgent first. */
export function renderFleetPage(snapshot: Snapshot, selection: ZoneFilter): Html {
  const selected = select(snapshot.fleet.zones, selection);
  return layout(
    snapshot,
    "Fleet",
    html`<h1 class="hidden">Fleet</h1>
      ${weakenedBanner(snapshot.fleet.zones)} ${renderOverview(selected.counts, selection)}
      ${isInventoryOn(snapshot.fleet.zones) && renderFleetInventory(selected.inventory, selection)}
      <div class="columns">
        <section class="zones" aria-labelledby="zones-title">
          ${toolbar(selected, selection)}
          ${selected.zones.length === 0 ? emptyTable(snapshot) : htmlTable(columnsAt(snapshot.now), selected.zones)}
          ${selected.pages > 1 && pager(selected, selection)}
        </section>
        ${renderSidePanels(snapshot)}
      </div>`,
  );
}

const weakenedShown = 5;

function weakenedBanner(zones: readonly ZoneState[]): Html | undefined {
  const weakened = zones.filter(isWeakened);
  if (weakened.length === 0) return undefined;
  const more = weakened.length - weakenedShown;
  return banner(
    `${counted(weakened.length, "zone")} with weakened protection:`,
    html`${weakened.slice(0, weakenedShown).map(({ declared }) => html`${zoneLink(declared.name)} `)}
    ${more > 0 && `and ${number(more)} more`}`,
  );
}

/** The heading of the zones, and the search. */
export function toolbar({ matching, zones }: SelectedZones<unknown>, selection: ZoneFilter): Html {
  const { status, inventory, query } = selection;
  return html`<div class="toolbar">
    <h2 id="zones-title">
      ${titleOf(selection)}
      ${zones.length < matching && html`<small>${zones.length} of ${number(matching)}</small>`}
    </h2>
    <form role="search" action="/" method="get">
      ${status !== undefined && html`<input type="hidden" name="status" value="${status}" />`}
      ${
        inventory !== undefined &&
        html`<input type="hidden" name="inventory" value="${inventory}" />`
      }
      <label class="hidden" for="q">Search zones by name, account or id</label>
      <input
        id="q"
        type="search"
        name="q"
        value="${query}"
        placeholder="Name, account or id"
        autocomplete="off"
        spellcheck="false"
      />
      <button type="submit">Search</button>
    </form>
  </div>`;
}

function titleOf({ status, inventory }: ZoneFilter): string {
  const words = [
    ...(status === undefined ? [] : [statusText(status)]),
    ...(inventory === undefined ? [] : [filterWords[inventory]]),
  ];
  return words.length === 0 ? "Zones" : `Zones: ${words.join(", ")}`;
}

function emptyTable({ fleet, daemon }: Snapshot): Html {
  const all = fleet.zones.length;
  if (!isWorking(daemon)) {
    return html`<p class="empty">
      The zones are on the pages of the processes that hold a Lease.
    </p>`;
  }
  if (all === 0) return html`<p class="empty">No zones are declared yet.</p>`;
  return html`<p class="empty">No zone matches. <a href="/">Show all ${number(all)}</a></p>`;
}

function columnsAt(now: Date): Columns<ZoneState> {
  return {
    Zone: (state) => [zoneLink(state.declared.name), " ", maliciousBadge(state), noteOf(state)],
    Status: ({ status }) => statusBadge(status),
    Differs: differs,
    Since: ({ driftedSince, statusSince }) => moment(driftedSince ?? statusSince, now),
    Checked: ({ lastSuccess }) => moment(lastSuccess, now),
  };
}

const maxNoteLength = 160;

/** Why a zone is not in sync, in a line. */
function noteOf(state: ZoneState): Html | undefined {
  const { failure, declared } = state;
  const [hold] = holdsOf(state);
  return shortNote(failure?.message ?? hold?.message ?? declared.suspension?.reason ?? "");
}

/** A reason below the name of a zone, cut if it is long; nothing for none. */
export function shortNote(text: string): Html | undefined {
  if (text === "") return undefined;
  const shown = text.length > maxNoteLength ? `${text.slice(0, maxNoteLength)}…` : text;
  return html`<span class="note">${foreign(shown)}</span>`;
}

const impactWords = { weakens: "weaker", neutral: "other", strengthens: "stronger" } as const;

/** How many resources drifted with which effect, how many changes are pending, and how many have no known cause. */
function differs(state: ZoneState): Html {
  const drift = driftIn(driftOf(state));
  const counts = [
    ...impacts.map((impact) => ({
      tone: impact,
      word: impactWords[impact],
      count: kinds.reduce((sum, kind) => sum + drift[kind][impact], 0),
    })),
    { tone: "pending", word: "pending", count: pendingOf(state).length },
    { tone: "pending", word: "of unknown cause", count: unknownOf(state).length },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return html`<span class="quiet">–</span>`;
  return html`${counts.map(({ tone, word, count }) => html`<span class="impact ${tone}">${count} ${word}</span> `)}`;
}

/** Links to the pages before and after. */
export function pager({ page, pages }: SelectedZones<unknown>, selection: ZoneFilter): Html {
  const link = (to: number, rel: string, text: string): Html =>
    to < 1 || to > pages
      ? html`<span class="quiet">${text}</span>`
      : html`<a rel="${rel}" href="/${queryOf({ ...selection, page: to })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of zones">
    ${link(page - 1, "prev", "← Previous")}
    <span>Page ${page} of ${pages}</span>
    ${link(page + 1, "next", "Next →")}
  </nav>`;
}
