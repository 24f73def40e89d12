import { pluralOf } from "../../render/format.ts";
import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import { isWorking } from "../../state/daemon-status.ts";
import { driftIn, impacts } from "../../state/drift.ts";
import { driftOf, holdsOf, pendingOf, unknownOf, type ZoneState } from "../../state/zone-state.ts";
import { sum } from "../../syntax/sum.ts";
import { kinds, kindWords } from "../../zone/resource.ts";
import type { Snapshot } from "../snapshot.ts";
import { type FleetCause, selectByCause } from "./fleet-causes.ts";
import { renderCauses, shownCauses } from "./page-causes.ts";
import { maliciousBadge, renderFleetInventory, renderOverview } from "./page-fleet-overview.ts";
import { renderSidePanels } from "./page-fleet-side.ts";
import { layout } from "./page-layout.ts";
import { banner, counted, moment, number, statusBadge, zoneLink } from "./page-parts.ts";
import {
  asOptions,
  type Filter,
  labelFilter,
  labelLinks,
  pager,
  shortNote,
  toolbar,
} from "./page-zone-list.ts";
import {
  choicesOf,
  type DriftFilter,
  isWeakened,
  type Sorting,
  sortings,
  type ZoneFilter,
} from "./selection.ts";

/** The page of the fleet: counts, causes, and zones with the most urgent first. */
export function renderFleetPage(snapshot: Snapshot, selection: ZoneFilter): Html {
  const selected = selectByCause(snapshot.fleet.zones, selection, snapshot.now);
  const causes = shownCauses(selected.causes, selection);
  return layout(
    snapshot,
    "Fleet",
    html`<h1 class="hidden">Fleet</h1>
      ${weakenedBanner(snapshot.fleet.zones)} ${renderOverview(selected.counts, selection)}
      ${renderFleetInventory(selected.inventory, selection)}
      <div class="columns">
        <div>
          ${renderCauses(causes, selection)}
          <section class="zones" aria-labelledby="zones-title">
            ${toolbar(selected, selection, filtersOf(snapshot.fleet.zones, selected.matching, selection))}
            ${
              selected.zones.length === 0
                ? emptyTable(snapshot)
                : htmlTable(columnsAt(snapshot.now, causes, selection), selected.zones)
            }
            ${selected.pages > 1 && pager(selected, selection)}
          </section>
        </div>
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
    ${more > 0 && html`<a href="/?drift=weakens">and ${number(more)} more</a>`}`,
  );
}

function filtersOf(
  zones: readonly ZoneState[],
  matching: number,
  selection: ZoneFilter,
): readonly Filter[] {
  const { accounts, authors, drifted, labels } = choicesOf(zones);
  const { account, drift, author, sort } = selection;
  return [
    {
      name: "account",
      label: "Account",
      value: account,
      options: accounts.length < 2 ? [] : [["", "All accounts"], ...asOptions(accounts)],
    },
    {
      name: "drift",
      label: "Kind of drift",
      value: drift ?? "",
      options:
        drifted.length === 0
          ? []
          : [["", "Any state"], ...drifted.map((found) => [found, driftTexts(found)] as const)],
    },
    {
      name: "author",
      label: "Changed by",
      value: author,
      options: authors.length === 0 ? [] : [["", "Changed by anybody"], ...asOptions(authors)],
    },
    labelFilter(labels, selection),
    {
      name: "sort",
      label: "Order",
      value: sort,
      options: matching > mostUnsorted ? sortings.map((by) => [by, sortTexts[by]] as const) : [],
    },
  ];
}

/** Fewer zones need no other order. */
const mostUnsorted = 10;

const sortTexts: Readonly<Record<Sorting, string>> = {
  urgency: "Most urgent first",
  name: "By name",
  since: "Longest in its state first",
  checked: "Longest not checked first",
};

function driftTexts(filter: DriftFilter): string {
  return filter === "weakens" ? "Drift that weakens" : `Drift of ${pluralOf(kindWords(filter))}`;
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

function columnsAt(
  now: Date,
  causes: readonly FleetCause[],
  selection: ZoneFilter,
): Columns<ZoneState> {
  return {
    Zone: (state) => [
      zoneLink(state.declared.name),
      " ",
      maliciousBadge(state),
      labelLinks(state.declared.labels, selection),
      noteOf(state, causes.length > 0),
    ],
    Status: ({ status }) => statusBadge(status),
    Differs: differs,
    Since: ({ driftedSince, statusSince }) => moment(driftedSince ?? statusSince, now),
    Checked: ({ lastSuccess }) => moment(lastSuccess, now),
  };
}

/** Why a zone is not in sync, in a line; its name alone where a cause above has the rest. */
function noteOf(state: ZoneState, isShort: boolean): Html | undefined {
  const { failure, declared } = state;
  // A held revision is a cause above.
  const [hold] = isShort ? state.holds : holdsOf(state);
  if (isShort && hold !== undefined) return shortNote(`held by ${hold.reason}`);
  if (isShort && failure !== undefined) return shortNote(failure.code);
  return shortNote(failure?.message ?? hold?.message ?? declared.suspension?.reason ?? "");
}

const impactWords = { weakens: "weaker", neutral: "other", strengthens: "stronger" } as const;

/** How many resources drifted with which effect, how many changes are pending, and how many have no known cause. */
function differs(state: ZoneState): Html {
  const drift = driftIn(driftOf(state));
  const counts = [
    ...impacts.map((impact) => ({
      tone: impact,
      word: impactWords[impact],
      count: sum(kinds.map((kind) => drift[kind][impact])),
    })),
    { tone: "pending", word: "pending", count: pendingOf(state).length },
    { tone: "pending", word: "of unknown cause", count: unknownOf(state).length },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return html`<span class="quiet">–</span>`;
  return html`${counts.map(({ tone, word, count }) => html`<span class="impact ${tone}">${count} ${word}</span> `)}`;
}
