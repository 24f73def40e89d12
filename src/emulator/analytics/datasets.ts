import { dayMs, minuteMs } from "../../syntax/time-units.ts";
import type { DatasetSettings, EmulatedZone } from "../state.ts";
import type { Counted, CountedKind } from "./traffic.ts";

/** A dataset of zones (SERVICE.md C.8). */
export interface Dataset {
  readonly name: string;
  readonly kind: CountedKind;
  /** Whether it has counts by dimensions, or else single events. */
  readonly isGroups: boolean;
  /** Values of its dimensions, without those of time. */
  readonly dimensions: Readonly<Record<string, (counted: Counted) => string>>;
  /** Days that the plan of a zone includes; `undefined`: it has no access. */
  readonly days: (zone: EmulatedZone) => Days | undefined;
  /** Dimensions that the plan of a zone does not include. */
  readonly refused: (zone: EmulatedZone) => readonly string[];
}

/** The most fields in a selection. */
export const maxNumberOfFields = 30;

/** Dimensions of time, with their length in milliseconds; that of `datetime` is how exact counts are. */
export const timeDimensions: Readonly<Record<string, number>> = {
  datetime: minuteMs,
  datetimeMinute: minuteMs,
  datetimeFiveMinutes: 5 * minuteMs,
  datetimeFifteenMinutes: 15 * minuteMs,
  datetimeHalfOfHour: 30 * minuteMs,
  datetimeHour: 60 * minuteMs,
  date: dayMs,
};

/** How far back one can read, and how long a time at once. */
type Days = readonly [back: number, atOnce: number];

type ByPlan = Readonly<Record<string, Days>>;

const eventLimits: ByPlan = {
  free: [1, 1],
  pro: [1, 1],
  business: [3, 3],
  enterprise: [30, 31],
};

const requestLimits: ByPlan = {
  free: [7, 1],
  pro: [7, 7],
  business: [31, 31],
  enterprise: [90, 31],
};

/** What a zone may read of a dataset: what the plan includes, unless its contract differs. */
export function settingsOf(dataset: Dataset, zone: EmulatedZone): DatasetSettings {
  const days = dataset.days(zone);
  const [back, atOnce] = days ?? [0, 0];
  return {
    enabled: days !== undefined,
    notOlderThan: (back * dayMs) / 1_000,
    maxDuration: (atOnce * dayMs) / 1_000,
    maxPageSize: 10_000,
    ...zone.entitlements.datasets?.[dataset.name],
  };
}

const eventDimensions: Dataset["dimensions"] = {
  action: ({ object }) => object?.action ?? "",
  source: ({ object }) => object?.source ?? "",
  ruleId: ({ object }) => object?.id ?? "",
  rulesetId: ({ object }) => object?.rulesetId ?? "",
  clientRequestHTTPHost: ({ host }) => host,
  clientRequestPath: () => "/synthetic",
  clientCountryName: () => "DE",
  clientAsn: () => "64500",
  clientIP: () => "192.0.2.30",
  clientRequestQuery: () => "",
  userAgent: () => "Synthetic browser",
};

/** The datasets in the order of the schema. */
export const datasets: readonly Dataset[] = [
  {
    name: "pageShieldReportsAdaptiveGroups",
    kind: "policies",
    isGroups: true,
    dimensions: {
      policyID: ({ object }) => object?.id ?? "",
      action: ({ object }) => object?.action ?? "",
      host: ({ host }) => host,
      pageURL: ({ host }) => `https://${host}/`,
      resourceType: () => "script",
      url: () => "https://cdn.synthetic.example/other.js",
      urlHost: () => "cdn.synthetic.example",
    },
    // A zone without policies has no Client-Side Security Advanced.
    days: ({ entitlements }) => (entitlements.policies > 0 ? [30, 30] : undefined),
    refused: () => [],
  },
  {
    name: "firewallEventsAdaptiveGroups",
    kind: "rules",
    isGroups: true,
    dimensions: eventDimensions,
    days: ({ plan }) => (plan === "free" ? undefined : eventLimits[plan]),
    refused: () => [],
  },
  {
    name: "firewallEventsAdaptive",
    kind: "rules",
    isGroups: false,
    // The service writes the names of sources in two ways.
    dimensions: { ...eventDimensions, source: ({ object }) => object?.source?.toLowerCase() ?? "" },
    days: ({ plan }) => eventLimits[plan],
    refused: () => [],
  },
  {
    name: "httpRequestsAdaptiveGroups",
    kind: "requests",
    isGroups: true,
    dimensions: {
      clientRequestHTTPHost: ({ host }) => host,
      clientCountryName: () => "DE",
      clientAsn: () => "64500",
      clientRefererHost: () => "www.synthetic.example",
      botScore: () => "50",
      ja4: () => "synthetic",
    },
    days: ({ plan }) => requestLimits[plan],
    refused: ({ plan }) =>
      plan === "free" ? ["clientAsn", "clientRefererHost", "botScore", "ja4"] : [],
  },
];
