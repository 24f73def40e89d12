import type { ZoneId } from "../zone/zone.ts";
import type { CountUnit } from "./hours.ts";
import type { MeasuredDataset } from "./measurement.ts";

/** The names of the datasets at the service; of those of events, the second has each event (SERVICE.md C.8). */
export const sources = [
  "httpRequestsAdaptiveGroups",
  "firewallEventsAdaptiveGroups",
  "firewallEventsAdaptive",
  "pageShieldReportsAdaptiveGroups",
] as const;

export type CountSource = (typeof sources)[number];

/** Where a dataset is read, the best first. */
export const sourcesOf: Readonly<Record<MeasuredDataset, readonly CountSource[]>> = {
  requests: ["httpRequestsAdaptiveGroups"],
  events: ["firewallEventsAdaptiveGroups", "firewallEventsAdaptive"],
  violations: ["pageShieldReportsAdaptiveGroups"],
};

/** Zones of one query at most: the service refuses more (SERVICE.md C.8). */
export const zonesOfQuery = 10;

/** What groups are counted by. */
const dimensions: Readonly<Record<Exclude<CountSource, "firewallEventsAdaptive">, string>> = {
  httpRequestsAdaptiveGroups: "",
  firewallEventsAdaptiveGroups: "ruleId rulesetId action ",
  pageShieldReportsAdaptiveGroups: "policyID action ",
};

function fieldsOf(source: CountSource, { dimension }: CountUnit): string {
  if (source === "firewallEventsAdaptive") {
    return "ruleId rulesetId action datetime sampleInterval";
  }
  return `count avg { sampleInterval } dimensions { ${dimensions[source]}${dimension} }`;
}

/** What a query counts: one dataset, so that a refusal voids nothing else. */
export interface CountQuery {
  readonly source: CountSource;
  readonly unit: CountUnit;
  readonly zones: readonly ZoneId[];
  /** The moments from which, and before which, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  /** Rows of a zone at most. */
  readonly limit: number;
}

/** The text of a query. */
export function countQuery({ source, unit, zones, from, to, limit }: CountQuery): string {
  const time = `datetime_geq: ${timeText(from)}, datetime_lt: ${timeText(to)}`;
  return viewerQuery(
    zones,
    `${source}(limit: ${limit}, filter: { ${time} }) { ${fieldsOf(source, unit)} }`,
  );
}

/** The text of the query that asks what the plans of zones let one read. */
export function settingsQuery(zones: readonly ZoneId[]): string {
  const limits = sources.map(
    (source) => `${source} { enabled notOlderThan maxDuration maxPageSize }`,
  );
  return viewerQuery(zones, `settings { ${limits.join(" ")} }`);
}

function viewerQuery(zones: readonly ZoneId[], selection: string): string {
  const ids = zones.map((id) => JSON.stringify(id)).join(", ");
  return `{ viewer { zones(filter: { zoneTag_in: [${ids}] }) { zoneTag ${selection} } } }`;
}

function timeText(ms: number): string {
  return JSON.stringify(new Date(ms).toISOString().replace(/\.\d+Z$/, "Z"));
}
