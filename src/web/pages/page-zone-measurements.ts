import { dayOf, hoursOfDay } from "../../measure/hours.ts";
import { type CountSum, sumOfHours, type ZoneSeries } from "../../measure/measured-series.ts";
import { numberText, shareText } from "../../measure/measured-text.ts";
import {
  datasetOf,
  type HourCount,
  type RefusedReason,
  shownState,
  type ShownState,
  shownStates,
} from "../../measure/measurement.ts";
import { type Columns, html, type Html, htmlTable } from "../../render/html.ts";
import { collectorRemedies, type CollectorStatus } from "../../state/collector-status.ts";
import { hourMs } from "../../syntax/time-units.ts";
import type { ResourceKey } from "../../zone/resource.ts";
import { type ChartHour, chartHour, hoursChart } from "./hours-chart.ts";
import { andMore, card, foreign, number, section } from "./page-parts.ts";

/** Objects that are shown; a zone may have hundreds. */
const mostShown = 40;

/** What was counted of an object, or of the whole zone. */
interface Counted {
  readonly what: ResourceKey | "requests";
  readonly counts: readonly HourCount[];
  readonly hours: readonly ChartHour[];
  readonly sum: CountSum;
}

/**
 * What policies and rules of a zone did, as a chart for each, and in numbers.
 *
 * @param series a text says why the counts cannot be read.
 */
export function renderMeasurements(
  series: ZoneSeries | string | undefined,
  collector: CollectorStatus | undefined,
): Html | undefined {
  if (series === undefined || collector === undefined) return undefined;
  if (typeof series === "string") {
    const why = html`<p>${foreign(series)}</p>`;
    return section("measured", "Measurements", card("warning", "The counts cannot be read", why));
  }
  return section(
    "measured",
    html`Measurements
      <small>by hour, ${momentText(series.since)} to ${momentText(series.until)} UTC</small>`,
    html`<div class="card counts">${[collectorNote(collector), content(series)]}</div>`,
  );
}

/** Why there may be no new counts. */
function collectorNote({ state, reason }: CollectorStatus): Html | undefined {
  const remedy = collectorRemedies[state];
  if (remedy === "") return undefined;
  return html`<p>
    <b class="error">${state}</b>: ${foreign(reason)}
    <span class="note">${remedy}</span>
  </p>`;
}

function content(series: ZoneSeries): Html {
  const { requests, zone } = series;
  const countedOf = (what: Counted["what"], counts: readonly HourCount[]): Counted => ({
    what,
    counts,
    hours: counts.map((hour, nth) => chartHour(hour, shownState(hour, requests[nth]))),
    sum: sumOfHours(counts, requests),
  });
  const all = countedOf("requests", requests);
  const objects = [...series.objects].map(([key, counts]) => countedOf(key, counts));
  if (objects.length === 0 && requests.every(({ state }) => state === "missing")) {
    return html`<p class="quiet">Nothing is measured yet.</p>`;
  }
  const shown = [all, ...shownOf(objects)];
  const days = requests.flatMap((_, nth) =>
    nth > 0 && hourIn(series, nth) % hoursOfDay === 0 ? [nth] : [],
  );
  return html`<ul class="plain">
      ${shown.map((counted) => html`<li>${rowOf(counted, series, days)}</li>`)}
    </ul>
    <p class="axis quiet" aria-hidden="true">
      <span>${momentText(series.since)}</span> <span>${momentText(series.until)} UTC</span>
    </p>
    ${andMore(objects.length + 1 - shown.length, "object")}
    <p class="legend quiet" aria-hidden="true">${legend(shown)}</p>
    <details id="figures">
      <summary>Figures by day</summary>
      ${htmlTable(dayColumns(series), shown, "figures")}
    </details>
    <p><a href="/api/v1/zones/${zone}/measurements">JSON</a></p>`;
}

/** Of too many objects, those that are not known and those that counted the most. */
function shownOf(objects: readonly Counted[]): readonly Counted[] {
  const weightOf = ({ sum }: Counted): number => (sum.hours.measured === 0 ? Infinity : sum.count);
  // The difference of two that are not known is NaN, which leaves them in their order.
  const sorted = objects.toSorted((a, b) => weightOf(b) - weightOf(a));
  const first = new Set(sorted.slice(0, mostShown));
  return objects.filter((object) => first.has(object));
}

function rowOf(counted: Counted, series: ZoneSeries, days: readonly number[]): Html {
  const { what, hours } = counted;
  return html`<p>
      <b>${nameOf(counted)}</b>
      <span class="note">${figures(counted, series)}</span>
    </p>
    ${hoursChart(`${what} by hour: ${statesText(hours)}`, hours, days)}`;
}

function nameOf({ what }: Counted): Html {
  return what === "requests" ? html`All requests` : html`<code>${what}</code>`;
}

/** How much was counted, which part of all requests that is, and what is not known. */
function figures({ what, counts, hours, sum }: Counted, series: ZoneSeries): Html {
  const reasons = new Set(counts.flatMap((hour) => ("reason" in hour ? [hour.reason] : [])));
  const why = [...reasons].map((reason) => `; refused: ${refusedTexts[reason]}`);
  if (sum.hours.measured === 0) return html`unknown (${statesText(hours)})${why}`;
  const noun = what === "requests" ? what : `${datasetOf(what)}, ${shareText(sum)} of requests`;
  const actions = Object.entries(sum.actions).map(
    ([action, count]) => `${action} ${numberText(count, sum)}`,
  );
  const isWhole = sum.hours.measured === hours.length;
  const known = isWhole ? [] : [`in ${sum.hours.measured} of ${hours.length} hours`];
  const rest = [noun, ...actions, ...mostText(hours, series), ...known].join("; ");
  return html`<b>${numberText(sum.count, sum)}</b> ${rest}${why}`;
}

const refusedTexts: Readonly<Record<RefusedReason, string>> = {
  denied: "the token may not read it",
  unavailable: "the plan of the zone does not include it",
};

/** The hour with the highest count; nothing if there is none. */
function mostText(hours: readonly ChartHour[], series: ZoneSeries): readonly string[] {
  const most = Math.max(...hours.map(({ count }) => count));
  if (most === 0) return [];
  const nth = hours.findIndex(({ count }) => count === most);
  const about = hours[nth]?.state === "sampled" ? "~" : "";
  return [
    `at most ${about}${number(most)} in an hour (${momentText(new Date(hourIn(series, nth) * hourMs))})`,
  ];
}

/** How many hours are in which state: `120 h measured, 48 h missing`. */
function statesText(hours: readonly ChartHour[]): string {
  return shownStates
    .map((state) => [hours.filter((hour) => hour.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} h ${wordOf(state)}`)
    .join(", ");
}

function legend(shown: readonly Counted[]): readonly Html[] {
  const present = new Set(shown.flatMap(({ hours }) => hours.map(({ state }) => state)));
  const sample = [2, 4, 3, 5];
  return shownStates
    .filter((state) => present.has(state))
    .map((state) => {
      const hours = sample.map((count) => ({ state, count }));
      return html`<span>${hoursChart("", hours)} ${wordOf(state)}</span> `;
    });
}

function wordOf(state: ShownState): string {
  return state.replace("_", " ");
}

/** A column for each day. */
function dayColumns(series: ZoneSeries): Columns<Counted> {
  const days = Map.groupBy(series.requests.keys(), (nth) => dayOf(hourIn(series, nth)));
  const columns = [...days].map(([day, [start = 0, ...others]]) => {
    const end = start + 1 + others.length;
    const cell = ({ counts, hours }: Counted): Html =>
      dayCell(sumOfHours(counts.slice(start, end), []), hours.slice(start, end));
    return [dayText(new Date(day)), cell] as const;
  });
  return { Counted: nameOf, ...Object.fromEntries(columns) };
}

/** The count of a day, and how many hours are not in it. */
function dayCell(sum: CountSum, hours: readonly ChartHour[]): Html {
  const unknown = statesText(hours.filter(({ state }) => !knownStates.has(state)));
  if (sum.hours.measured === 0) return html`<span class="quiet">${unknown}</span>`;
  return html`${numberText(sum.count, sum)}
  ${unknown !== "" && html`<span class="note">${unknown}</span>`}`;
}

const knownStates: ReadonlySet<ShownState> = new Set(["measured", "sampled", "no_traffic"]);

function hourIn({ since }: ZoneSeries, nth: number): number {
  return since.getTime() / hourMs + nth;
}

/** `20 Nov`. */
function dayText(at: Date): string {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

/** `20 Nov 14:00`, in UTC. */
function momentText(at: Date): string {
  return `${dayText(at)} ${at.toISOString().slice(11, 16)}`;
}
