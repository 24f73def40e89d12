import { driftTimeText } from "../../history/history-text.ts";
import type { HistoryEntry } from "../../history/history.ts";
import { driftTimeIn, type Period, type StatusSpan, statusSpans } from "../../history/timeline.ts";
import { changedByLine, driftWords } from "../../render/cause-text.ts";
import { html, type Html } from "../../render/html.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import type { Snapshot } from "../snapshot.ts";
import { causeText, counted, foreign, moment, section, statusText } from "./page-parts.ts";

const days = 7;
const dayMs = 86_400_000;
const barWidth = 1000;
const barHeight = 28;
const minWidth = 2;

/** The last week of a zone: status as a bar, drift, and history. */
export function renderTimeline({ history, now }: Snapshot, state: ZoneState): Html {
  const { name } = state.declared;
  const entries = history.of(name);
  // To the minute, so that a page and its ETag stay the same for one.
  const until = new Date(Math.floor(Number(now) / 60_000) * 60_000 + 60_000);
  const period = { since: new Date(Number(until) - days * dayMs), until };
  const spans = statusSpans(entries, state, period);
  const time = driftTimeText(driftTimeIn(name, entries, period));
  return section(
    "timeline",
    html`Last ${days} days <small>${time}</small>`,
    html`<div class="card timeline">
      ${bar(spans, correctedDrifts(entries), period, time)}
      <p class="axis quiet" aria-hidden="true">
        <span>${days} days ago</span> <span>${legend(spans)}</span> <span>now</span>
      </p>
      ${entries.length > 0 && recentEntries(entries, now)}
    </div>`,
  );
}

function legend(spans: readonly StatusSpan[]): readonly Html[] {
  const present = new Set(spans.map(({ status }) => status));
  return [...present].map(
    (status) =>
      html`<span class="${status ?? "none"}"><span class="dot"></span>${wordOf(status)}</span> `,
  );
}

function wordOf(status: StatusSpan["status"]): string {
  return status === undefined ? "no record" : statusText(status);
}

function bar(
  spans: readonly StatusSpan[],
  ticks: readonly Date[],
  { since, until }: Period,
  time: string,
): Html {
  const x = (at: Date): number =>
    ((Number(at) - Number(since)) / (Number(until) - Number(since))) * barWidth;
  const shown = ticks.filter((at) => at >= since);
  return html`<svg
    class="spans"
    role="img"
    aria-label="The zone ${time}; now ${statusText(spans.at(-1)?.status ?? "unknown")}"
    viewBox="0 0 ${barWidth} ${barHeight}"
    preserveAspectRatio="none"
  >
    ${spans.map((span) => spanRectangle(span, x))}
    ${Array.from({ length: days - 1 }, (_, day) => {
      const at = new Date(Number(until) - (day + 1) * dayMs);
      return html`<rect class="day" x="${x(at).toFixed(1)}" width="1" height="${barHeight}" />`;
    })}
    ${shown.map(
      (at) =>
        html`<rect
          class="drifted"
          x="${x(at).toFixed(1)}"
          width="${minWidth + 1}"
          height="${barHeight}"
        >
          <title>drift corrected ${at.toISOString()}</title>
        </rect>`,
    )}
  </svg>`;
}

function spanRectangle({ status, since, until }: StatusSpan, x: (at: Date) => number): Html {
  const width = Math.max(x(until) - x(since), minWidth);
  return html`<rect
    class="${status ?? "none"}"
    x="${x(since).toFixed(1)}"
    width="${width.toFixed(1)}"
    height="${barHeight}"
  >
    <title>${wordOf(status)} from ${since.toISOString()} to ${until.toISOString()}</title>
  </rect>`;
}

/** Drift that was corrected by the run that detected it: a point in time. */
function correctedDrifts(entries: readonly HistoryEntry[]): readonly Date[] {
  return entries
    .filter(({ causes, driftedSince }) => causes.includes("drift") && driftedSince === undefined)
    .map(({ at }) => at);
}

const entriesShown = 12;

function recentEntries(entries: readonly HistoryEntry[], now: Date): Html {
  return html`<details id="history">
    <summary>History (${counted(entries.length, "run")})</summary>
    <ol class="recent">
      ${entries
        .slice(-entriesShown)
        .toReversed()
        .map((entry) => entryItem(entry, now))}
    </ol>
    <p><a href="/api/v1/zones/${entries[0]?.zone ?? ""}/history">JSON</a></p>
  </details>`;
}

function entryItem(entry: HistoryEntry, now: Date): Html {
  const { at, result: outcome, causes, trigger, changes, holds, failure } = entry;
  const who = changedByLine(changes);
  const why = failure?.message ?? holds[0]?.message ?? "";
  return html`<li>
    ${moment(at, now)} <b>${outcome.replaceAll("_", " ")}</b>
    ${causes.length > 0 && `after ${causeText(causes)}`}
    <span class="note">
      ${trigger}${changes.map(
        ({ key, direction, drift, result }) =>
          html`, <code>${foreign(key)}</code> ${direction},
            ${result}${drift === "weakens" && `; ${driftWords.weakens}`}`,
      )}${who !== "" && html`; ${foreign(who)}`}${why !== "" && html`: ${foreign(why)}`}
    </span>
  </li>`;
}
