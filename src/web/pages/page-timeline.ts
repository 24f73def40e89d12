import { driftTimeText } from "../../history/history-text.ts";
import type { HistoryEntry } from "../../history/history.ts";
import { driftTimeIn, type Period, type StatusSpan, statusSpans } from "../../history/timeline.ts";
import { changedByLine, driftWords } from "../../render/cause-text.ts";
import { html, type Html } from "../../render/html.ts";
import { stepEventText } from "../../render/step-event-text.ts";
import type { ZoneState } from "../../state/zone-state.ts";
import { dayMs } from "../../syntax/time-units.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  bar,
  barPart,
  barWidth,
  causeText,
  counted,
  foreign,
  moment,
  section,
  statusText,
} from "./page-parts.ts";

const days = 7;
const height = 28;
const minWidth = 2;

/** The last week of a zone: status as a bar, drift, and history. */
export function renderTimeline({ history, now }: Snapshot, state: ZoneState): Html {
  const { name } = state.declared;
  const entries = history.of(name);
  // To the minute, so that a page and its ETag stay the same for one.
  const until = new Date(Math.floor(Number(now) / 60_000) * 60_000 + 60_000);
  const period = { since: new Date(Number(until) - days * dayMs), until };
  const spans = statusSpans(entries, state, period);
  const time =
    entries.length === 0 ? "no record" : driftTimeText(driftTimeIn(name, entries, period));
  return section(
    "timeline",
    html`Last ${days} days <small>${time}</small>`,
    html`<div class="card timeline">
      ${weekBar(spans, correctedDrifts(entries), period, `The zone ${time}; now ${statusText(state.status)}`)}
      <p class="axis quiet" aria-hidden="true">
        <span>${days} days ago</span> <span>${legend(spans)}</span> <span>now</span>
      </p>
      ${entries.length > 0 && recentEntries(name, entries, now)}
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

function weekBar(
  spans: readonly StatusSpan[],
  corrected: readonly Date[],
  { since, until }: Period,
  label: string,
): Html {
  const xOf = (at: Date): number =>
    ((Number(at) - Number(since)) / (Number(until) - Number(since))) * barWidth;
  const shown = corrected.filter((at) => at >= since);
  const parts = [
    spans.map(({ status, since: begin, until: end }) => {
      const x = xOf(begin);
      const place = { x, width: Math.max(xOf(end) - x, minWidth), height };
      const title = `${wordOf(status)} from ${begin.toISOString()} to ${end.toISOString()}`;
      return barPart(status ?? "none", place, title);
    }),
    Array.from({ length: days - 1 }, (_, day) =>
      barPart("day", { x: (barWidth / days) * (day + 1), width: 1, height }),
    ),
    shown.map((at) => {
      const place = { x: xOf(at), width: minWidth + 1, height };
      return barPart("drifted", place, `drift corrected ${at.toISOString()}`);
    }),
  ];
  return bar("spans", label, parts, height);
}

/** Drift that was corrected by the run that detected it: a point in time. */
function correctedDrifts(entries: readonly HistoryEntry[]): readonly Date[] {
  return entries
    .filter(({ causes, driftedSince }) => causes.includes("drift") && driftedSince === undefined)
    .map(({ at }) => at);
}

const entriesShown = 12;

function recentEntries(zone: string, entries: readonly HistoryEntry[], now: Date): Html {
  return html`<details id="history">
    <summary>History (${counted(entries.length, "run")})</summary>
    <ol class="recent">
      ${entries
        .slice(-entriesShown)
        .toReversed()
        .map((entry) => entryItem(entry, now))}
    </ol>
    <p><a href="/api/v1/zones/${zone}/history">JSON</a></p>
  </details>`;
}

function entryItem(entry: HistoryEntry, now: Date): Html {
  const { at, result: outcome, causes, trigger, changes, holds, failure, stepEvents } = entry;
  const who = changedByLine(changes);
  const why = failure?.message ?? holds[0]?.message ?? "";
  return html`<li>
    ${moment(at, now)} <b>${outcome.replaceAll("_", " ")}</b>
    ${causes.length > 0 && `after ${causeText(causes)}`}
    ${stepEvents?.map((each) => html`<span class="note">${foreign(stepEventText(each))}</span>`)}
    <span class="note">
      ${trigger}${changes.map(
        ({ key, direction, drift, result }) =>
          html`, <code>${foreign(key)}</code> ${direction},
            ${result}${drift === "weakens" && `; ${driftWords.weakens}`}`,
      )}${who !== "" && html`; ${foreign(who)}`}${why !== "" && html`: ${foreign(why)}`}
    </span>
  </li>`;
}
