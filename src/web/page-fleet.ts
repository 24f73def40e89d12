import { driftIn, impacts } from "../report/drift.ts";
import { driftOf, pendingOf, zoneStatuses, type ZoneState } from "../report/zone-state.ts";
import { kinds } from "../zone/resource.ts";
import { html, type Html } from "./html.ts";
import type { Look } from "./look.ts";
import { renderSidePanels } from "./page-fleet-side.ts";
import { layout } from "./page-layout.ts";
import { counted, foreign, impactWords, moment, statusBadge, statusWords } from "./page-parts.ts";
import { isWeakened, queryOf, select, type Selected, type Selection } from "./selection.ts";

/** The fleet at a glance: how it stands, and the zones that need somebody first. */
export function renderFleetPage(look: Look, selection: Selection): Html {
  const selected = select(look.fleet.zones, selection);
  return layout(
    look,
    "Fleet",
    html`<h1 class="hidden">Fleet</h1>
      ${weakenedBanner(look.fleet.zones)}${overview(selected, selection)}
      <div class="columns">
        <section class="zones" aria-labelledby="zones-title">
          ${toolbar(selected, selection)}
          ${selected.zones.length === 0 ? emptyTable(look) : zoneTable(look, selected)}
          ${pager(selected, selection)}
        </section>
        ${renderSidePanels(look)}
      </div>`,
  );
}

function weakenedBanner(zones: readonly ZoneState[]): Html | undefined {
  const weakened = zones.filter(isWeakened);
  const [first] = weakened;
  if (first === undefined) return undefined;
  return html`<p class="banner bad" role="status">
    <strong>${counted(weakened.length, "zone")} less protected than declared:</strong>
    ${weakened.slice(0, 5).map(zoneLink)}${weakened.length > 5 ? `and ${weakened.length - 5} more` : undefined}
  </p> `;
}

function zoneLink({ declared }: ZoneState): Html {
  return html`<a href="/zones/${declared.name}">${declared.name}</a> `;
}

/** One bar for all zones, and under it each status with its number, which is also the filter. */
function overview({ counts }: Selected, selection: Selection): Html {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return html`<section class="overview" aria-label="Zones by status">
    ${all === 0 ? undefined : shareBar(counts, all)}
    <ul class="tabs">
      <li>
        <a
          href="/${queryOf({ ...selection, status: undefined, page: 1 })}"
          ${current(selection.status === undefined)}
          ><b>${all.toLocaleString("en")}</b> ${selection.query === "" ? "zones" : "found"}</a
        >
      </li>
      ${zoneStatuses
        .filter((status) => counts[status] > 0 || status === selection.status || always.has(status))
        .map(
          (status) =>
            html`<li>
              <a
                class="${status}"
                href="/${queryOf({ ...selection, status, page: 1 })}"
                ${current(status === selection.status)}
                ><b>${counts[status].toLocaleString("en")}</b>
                <span class="dot" aria-hidden="true"></span>${statusWords[status]}</a
              >
            </li> `,
        )}
    </ul>
  </section>`;
}

const always = new Set(["in_sync", "drifted", "pending", "blocked", "error"]);

function current(is: boolean): Html | undefined {
  return is ? html` aria-current="true"` : undefined;
}

const barWidth = 1000;

function shareBar(counts: Selected["counts"], all: number): Html {
  let x = 0;
  const rectangles = zoneStatuses.map((status) => {
    const width = (counts[status] / all) * barWidth;
    const at = x;
    x += width;
    return width === 0
      ? undefined
      : html`<rect
          class="${status}"
          x="${at.toFixed(1)}"
          y="0"
          width="${Math.max(width, 2).toFixed(1)}"
          height="8"
        />`;
  });
  const spoken = zoneStatuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${statusWords[status]}`)
    .join(", ");
  return html`<svg
    class="share"
    role="img"
    aria-label="${spoken}"
    viewBox="0 0 ${barWidth} 8"
    preserveAspectRatio="none"
  >
    ${rectangles}
  </svg>`;
}

function toolbar({ matching, zones }: Selected, selection: Selection): Html {
  const status = selection.status;
  return html`<div class="toolbar">
    <h2 id="zones-title">
      ${status === undefined ? "Zones" : `Zones: ${statusWords[status]}`}${zones.length < matching ? html` <small>${zones.length} of ${matching.toLocaleString("en")}</small>` : undefined}
    </h2>
    <form role="search" action="/" method="get">
      ${status === undefined ? undefined : html`<input type="hidden" name="status" value="${status}" />`}<label
        class="hidden"
        for="q"
        >Search zones by name, account or id</label
      >
      <input
        id="q"
        type="search"
        name="q"
        value="${selection.query}"
        placeholder="Name, account or id"
        autocomplete="off"
        spellcheck="false"
      />
      <button type="submit">Search</button>
    </form>
  </div>`;
}

function emptyTable({ fleet }: Look): Html {
  return html`<p class="empty">
    ${
      fleet.zones.length === 0
        ? "No zones are declared yet."
        : html`No zone fits. <a href="/">Show all ${fleet.zones.length.toLocaleString("en")}</a>`
    }
  </p>`;
}

function zoneTable({ now }: Look, { zones }: Selected): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Zone</th>
        <th scope="col">Status</th>
        <th scope="col">Differs</th>
        <th scope="col">Since</th>
        <th scope="col">Checked</th>
      </tr>
    </thead>
    <tbody>
      ${zones.map((state) => zoneRow(state, now))}
    </tbody>
  </table>`;
}

function zoneRow(state: ZoneState, now: Date): Html {
  const note = noteOf(state);
  return html`<tr>
    <th scope="row">
      <a href="/zones/${state.declared.name}">${state.declared.name}</a
      >${note === "" ? undefined : html`<span class="note">${foreign(note)}</span>`}
    </th>
    <td>${statusBadge(state.status)}</td>
    <td>${differs(state)}</td>
    <td data-label="since">${moment(state.driftedSince ?? state.statusSince, now)}</td>
    <td data-label="checked">${moment(state.lastSuccess, now)}</td>
  </tr> `;
}

const longestNote = 160;

/** Why a zone is not what it shall be, in a line; the zone's page says all of it. */
function noteOf({ failure, refusals, declared }: ZoneState): string {
  const text = failure?.message ?? refusals[0]?.message ?? declared.suspension?.reason ?? "";
  return text.length > longestNote ? `${text.slice(0, longestNote)}…` : text;
}

/** How many things drifted with which effect, and how many changes are waiting. */
function differs(state: ZoneState): Html {
  const drift = driftIn(driftOf(state));
  const parts = impacts.flatMap((impact) => {
    const count = kinds.reduce((sum, kind) => sum + drift[kind][impact], 0);
    return count === 0
      ? []
      : [html`<span class="impact ${impact}">${count} ${impactWords[impact]}</span> `];
  });
  const pending = pendingOf(state).length;
  if (pending > 0) parts.push(html`<span class="impact pending">${pending} pending</span> `);
  return parts.length === 0 ? html`<span class="quiet">–</span>` : html`${parts}`;
}

function pager({ page, pages }: Selected, selection: Selection): Html | undefined {
  if (pages === 1) return undefined;
  const link = (to: number, rel: string, text: string): Html =>
    to < 1 || to > pages
      ? html`<span class="quiet">${text}</span>`
      : html`<a rel="${rel}" href="/${queryOf({ ...selection, page: to })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Pages of zones">
    ${link(page - 1, "prev", "← Previous")}
    <span>Page ${page} of ${pages}</span> ${link(page + 1, "next", "Next →")}
  </nav>`;
}
