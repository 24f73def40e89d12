import type { StoredFleet, StoredZone } from "../../history/stored-fleet.ts";
import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import type { ClusterStatus } from "../../state/daemon-status.ts";
import type { Snapshot } from "../snapshot.ts";
import { renderOverview } from "./page-fleet-overview.ts";
import { layout } from "./page-layout.ts";
import { banner, causeText, counted, foreign, moment, statusBadge } from "./page-parts.ts";
import { labelFilter, labelLinks, pager, shortNote, toolbar } from "./page-zone-list.ts";
import { labelChoices, selectionFrom, selectStored, type ZoneFilter } from "./selection.ts";

/** The page of the fleet in a process that does not work: what the store says, and who knows more. */
export function renderStoredPage(
  { readAt, zones }: StoredFleet,
  snapshot: Snapshot,
  { status, selector, query, page }: ZoneFilter,
): Html {
  // The store knows names, statuses and labels.
  const selection = { ...selectionFrom({}), status, selector, query, page };
  const content =
    typeof zones === "string"
      ? banner("The store cannot be read:", html`${foreign(zones)}. The zones are not known here.`)
      : zoneList(zones, snapshot, selection, readAt);
  return layout(
    snapshot,
    "Fleet",
    html`<h1 class="hidden">Fleet</h1>
      ${content}`,
  );
}

function zoneList(
  zones: readonly StoredZone[],
  { daemon: { cluster }, now }: Snapshot,
  selection: ZoneFilter,
  readAt: Date,
): Html {
  const selected = selectStored(zones, selection);
  return html`<p class="source">
      As the store says,
      <time datetime="${readAt.toISOString()}">${readAt.toISOString().slice(11, 19)} UTC</time>;
      ${leaderText(cluster)}
    </p>
    ${renderOverview(selected.counts, selection)}
    <section class="zones" aria-labelledby="zones-title">
      ${toolbar(selected, selection, [labelFilter(labelChoices(zones), selection)])}
      ${
        selected.zones.length === 0
          ? html`<p class="empty">
              ${zones.length === 0 ? "The store has no zones." : "No zone matches."}
            </p>`
          : htmlTable(columnsAt(now, cluster?.page ?? "", selection), selected.zones)
      }
      ${selected.pages > 1 && pager(selected, selection)}
    </section>`;
}

function leaderText(cluster: ClusterStatus | undefined): Html {
  const { page = "", holder = "" } = cluster ?? {};
  if (page !== "") return html`<a href="${page}">${foreign(page)}</a> has what is now.`;
  return holder === "" ? html`nobody leads now.` : html`${foreign(holder)} has what is now.`;
}

function columnsAt(now: Date, page: string, selection: ZoneFilter): Columns<StoredZone> {
  return {
    Zone: ({ name, labels, entry }) => [
      nameAt(page, name),
      " ",
      labelLinks(labels, selection),
      shortNote(entry?.failure?.message ?? entry?.holds[0]?.message ?? ""),
    ],
    Status: ({ status }) => statusBadge(status),
    Since: ({ entry }) =>
      entry === undefined ? "not known" : moment(entry.driftedSince ?? entry.at, now),
    "Last entry": ({ entry }) => (entry === undefined ? noEntry : entryText(entry, now)),
  };
}

const noEntry = html`<span class="quiet"
  >none: in sync since its first run, or unchanged for long</span
>`;

function entryText(entry: NonNullable<StoredZone["entry"]>, now: Date): Html {
  const { at, result, trigger, changes, causes } = entry;
  return html`${result.replaceAll("_", " ")} ${moment(at, now)}
    <span class="note"
      >${trigger}${changes > 0 && html`, ${counted(changes, "change")}`}${causes.length > 0 && ` after ${causeText(causes)}`}</span
    >`;
}

/** The name of a zone, with a link to its page at the leader if that is known. */
function nameAt(page: string, name: string): Html {
  const url = URL.parse(
    `zones/${encodeURIComponent(name)}`,
    page.endsWith("/") ? page : `${page}/`,
  );
  return url === null ? html`${foreign(name)}` : html`<a href="${url.href}">${name}</a>`;
}
