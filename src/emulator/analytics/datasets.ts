import type { EmulatedZone } from "../state.ts";
import { type Counted, dayMs, type CountedKind, minuteMs } from "./traffic.ts";

/** How far back a plan lets one read, and how long a time at once, in milliseconds. */
export interface DatasetLimits {
  readonly notOlderThanMs: number;
  readonly maxDurationMs: number;
}

/** A dataset of zones (SERVICE.md C.8). */
export interface Dataset {
  readonly name: string;
  readonly kind: CountedKind;
  /** Whether it has counts by dimensions, or else single events. */
  readonly isGroups: boolean;
  /** Values of its dimensions, without those of time. */
  readonly dimensions: Readonly<Record<string, (counted: Counted, zone: EmulatedZone) => string>>;
  /** `undefined`: the zone has no access. */
  readonly limits: (zone: EmulatedZone) => DatasetLimits | undefined;
  /** Dimensions that the plan of a zone does not include. */
  readonly refused: (zone: EmulatedZone) => readonly string[];
}

/** The largest `limit`, and the most fields in a selection. */
export const maxPageSize = 10_000;
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

type ByPlan = Readonly<Record<string, readonly [backDays: number, daysAtOnce: number]>>;

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

function limitsIn(table: ByPlan, { plan }: EmulatedZone): DatasetLimits | undefined {
  const [back, atOnce] = table[plan] ?? [0, 0];
  return { notOlderThanMs: back * dayMs, maxDurationMs: atOnce * dayMs };
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
    limits: ({ entitlements }) =>
      entitlements.policies > 0
        ? { notOlderThanMs: 30 * dayMs, maxDurationMs: 30 * dayMs }
        : undefined,
    refused: () => [],
  },
  {
    name: "firewallEventsAdaptiveGroups",
    kind: "rules",
    isGroups: true,
    dimensions: eventDimensions,
    limits: (zone) => (zone.plan === "free" ? undefined : limitsIn(eventLimits, zone)),
    refused: () => [],
  },
  {
    name: "firewallEventsAdaptive",
    kind: "rules",
    isGroups: false,
    // The service writes the names of sources in two ways.
    dimensions: { ...eventDimensions, source: ({ object }) => object?.source?.toLowerCase() ?? "" },
    limits: (zone) => limitsIn(eventLimits, zone),
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
      ja4: () => "t13d1516h2_8daaf6152771_b186095e22b6",
    },
    limits: (zone) => limitsIn(requestLimits, zone),
    refused: ({ plan }) =>
      plan === "free" ? ["clientAsn", "clientRefererHost", "botScore", "ja4"] : [],
  },
];
