import { zoneStatuses, type ZoneStatus } from "../../state/zone-state.ts";
import { html, type Html } from "./html.ts";
import { number, statusWords } from "./page-parts.ts";
import { queryOf, type Selection } from "./selection.ts";

type Counts = Readonly<Record<ZoneStatus, number>>;

/** Shown also when no zone is so: that none is, is what one wants to see. */
const always = new Set<ZoneStatus>(["in_sync", "drifted", "pending", "held", "error"]);

/** One bar for all zones, and under it each status with its number, which is also the filter. */
export function renderOverview(counts: Counts, selection: Selection): Html {
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
              <span class="dot" aria-hidden="true"></span>${statusWords[status]}</a
            >
          </li> `,
      )}
    </ul>
  </section>`;
}

const barWidth = 1000;
const barHeight = 8;

/** Below this a share could not be seen, however few zones it stands for. */
const narrowest = 3;

function shareBar(counts: Counts, all: number): Html {
  const present = zoneStatuses.filter((status) => counts[status] > 0);
  const widths = present.map((status) => Math.max((counts[status] / all) * barWidth, narrowest));
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
    aria-label="${present.map((status) => `${counts[status]} ${statusWords[status]}`).join(", ")}"
    viewBox="0 0 ${total.toFixed(1)} ${barHeight}"
    preserveAspectRatio="none"
  >
    ${rectangles}
  </svg>`;
}
