import type { JudgedFleet } from "../../src/measure/judged-fleet.ts";
import { createMetrics, type Build, type Metrics } from "../../src/telemetry/metrics/metrics.ts";
import type { ExportedLabels } from "../../src/telemetry/metrics/zone-labels.ts";
import { fleetOf } from "./fleets.ts";
import { daemon } from "./reports.ts";

const build: Build = { version: "0.1.0", revision: "3c1c4fe", nodeVersion: "v24.21.0" };

/** Metrics that have counted nothing yet. */
export function freshMetrics(zoneLabels: ExportedLabels = {}): Metrics {
  return createMetrics(build, zoneLabels);
}

/** A scrape, and the value of each of its series by name and labels as written. */
export interface Scrape {
  readonly text: string;
  readonly series: ReadonlyMap<string, number>;
}

export async function scrape(
  metrics: Metrics,
  fleet = fleetOf(),
  facts = daemon(),
  judged?: JudgedFleet,
): Promise<Scrape> {
  let text = "";
  for await (const piece of metrics.render(fleet, facts, judged)) text += piece;
  return { text, series: seriesIn(text) };
}

/** The series of an exposition by name and labels as written, with their values. */
export function seriesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(" ");
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Takes a series apart. */
export function parsed(series: string): Series {
  const [name = ""] = series.split("{", 1);
  const labels: Record<string, string> = {};
  const pairs = series.slice(name.length).matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
  for (const [, label = "", value = ""] of pairs) labels[label] = value;
  return { name, labels };
}

/** The first revision in a label of a metric. */
export function revisionIn(series: ReadonlyMap<string, number>, metric: string): string {
  const labels = [...series.keys()].map(parsed).find(({ name }) => name === metric)?.labels;
  return labels?.["revision"] ?? "";
}
