import type { HourCount, ShownState } from "../../measure/measurement.ts";
import { html, type Html } from "../../render/html.ts";

/** An hour of a chart. */
export interface ChartHour {
  readonly state: ShownState;
  /** 0 unless the hour was measured. */
  readonly count: number;
}

/** An hour as a chart shows it. */
export function chartHour(hour: HourCount, state: ShownState): ChartHour {
  return { state, count: hour.state === "measured" ? hour.count : 0 };
}

/** Height of a chart, in units of its own; an hour is one unit wide. */
const height = 32;
/** A measured zero is a line; the least count is higher. */
const zeroHeight = 1;
const leastHeight = 3;

/** Hours one after another that have the same state. */
interface Run {
  readonly state: ShownState;
  readonly from: number;
  readonly hours: readonly ChartHour[];
}

/**
 * A bar for each hour that was measured, as high as its count. Of the others, each state has a form of its own, so that no
 * color is needed to tell it.
 *
 * @param label what the chart says, for those who do not see it.
 * @param days hours at which a day begins.
 */
export function hoursChart(
  label: string,
  hours: readonly ChartHour[],
  days: readonly number[] = [],
): Html {
  const most = Math.max(1, ...hours.map(({ count }) => count));
  const runs = [...Map.groupBy(runsIn(hours), ({ state }) => state)];
  return html`<svg
    class="hours"
    ${label === "" ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`}
    viewBox="0 0 ${hours.length} ${height}"
    preserveAspectRatio="none"
  >
    <path class="days" d="${days.map((hour) => `M${hour} 0v${height}`).join("")}" />
    ${runs.map(
      ([state, own]) =>
        html`<path class="${state}" d="${own.map((run) => formOf(run, most)).join("")}" />`,
    )}
  </svg>`;
}

function runsIn(hours: readonly ChartHour[]): readonly Run[] {
  const starts = hours.flatMap(({ state }, nth) => (hours[nth - 1]?.state === state ? [] : [nth]));
  return starts.flatMap((from, nth) => {
    const own = hours.slice(from, starts[nth + 1]);
    return own[0] === undefined ? [] : [{ state: own[0].state, from, hours: own }];
  });
}

function formOf({ state, from, hours }: Run, most: number): string {
  const width = hours.length;
  const box = `M${from} 0h${width}v${height}h-${width}z`;
  const bars = (thickness: number): string =>
    hours.map(({ count }, nth) => barOf(from + nth, thickness, heightOf(count, most))).join("");
  switch (state) {
    case "measured":
      return bars(1);
    case "sampled":
      return bars(0.5);
    case "no_traffic":
      return hours.map((_, nth) => barOf(from + nth, 0.5, leastHeight)).join("");
    case "refused":
      return `${box}M${from} ${height}l${width} -${height}`;
    case "failed":
      return `${box}M${from} ${height}l${width} -${height}M${from} 0l${width} ${height}`;
    case "missing":
      return box;
    case "undeclared":
      return `M${from} ${height / 2}h${width}`;
  }
}

function heightOf(count: number, most: number): number {
  return count === 0 ? zeroHeight : Math.max(leastHeight, (height * count) / most);
}

function barOf(x: number, width: number, tall: number): string {
  return `M${x} ${height}v-${Number(tall.toFixed(1))}h${width}V${height}z`;
}
