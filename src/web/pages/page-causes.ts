import { html, type Html } from "../../render/html.ts";
import type { FleetCause } from "./fleet-causes.ts";
import { andMore, counted, foreign, number, plainList, section, zoneLink } from "./page-parts.ts";
import { queryOf, type ZoneFilter } from "./selection.ts";

/** As many zones say themselves why they are not in sync. */
const mostAlone = 10;

/** Causes that are shown. */
const mostCauses = 8;

/** Zones that a cause names. */
const mostNamed = 3;

/** The causes that the page shows: the chosen one, or all if many zones have some. */
export function shownCauses(
  causes: readonly FleetCause[],
  { cause }: ZoneFilter,
): readonly FleetCause[] {
  if (cause !== "") return causes.filter(({ id }) => id === cause);
  return new Set(causes.flatMap(({ zones }) => zones)).size > mostAlone ? causes : [];
}

/** Why zones differ, each cause once with its zones; what a person must see first. */
export function renderCauses(
  causes: readonly FleetCause[],
  selection: ZoneFilter,
): Html | undefined {
  if (causes.length === 0) return undefined;
  const all = queryOf({ ...selection, cause: "", page: 1 });
  const title =
    selection.cause === ""
      ? "By cause"
      : html`One cause <small><a href="/${all}">Show all causes</a></small>`;
  return section(
    "causes",
    title,
    html`${plainList(causes.slice(0, mostCauses), (cause) => causeItem(cause, selection))}
    ${andMore(causes.length - mostCauses, "cause")}`,
    "panel causes",
  );
}

function causeItem(cause: FleetCause, selection: ZoneFilter): Html {
  const { id, zones, kind, direction, head, code, remarks, text } = cause;
  const names = zones.slice(0, mostNamed);
  const more = zones.length - names.length;
  return html`<a href="/${queryOf({ ...selection, cause: id, page: 1 })}"
      ><b>${counted(zones.length, "zone")}</b></a
    >
    <span class="effect ${direction === "" ? kind : direction}">${head}</span>
    ${code !== "" && html`<code>${foreign(code)}</code>`} ${foreign(remarks.join("; "))}
    ${text !== "" && html`<span class="note">${foreign(text)}</span>`}
    <span class="note"
      >${names.map((name) => html`${zoneLink(name)} `)}${more > 0 && html`and ${number(more)} more`}</span
    >`;
}
