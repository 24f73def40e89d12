import type { ResourceKey } from "../zone/resource.ts";

/**
 * What is counted of a zone: its requests, the security events of its rules, and the violations of its content security
 * policies.
 */
export const datasets = ["requests", "events", "violations"] as const;

export type MeasuredDataset = (typeof datasets)[number];

/** A value for each dataset. */
export function ofEachDataset<T>(
  of: (dataset: MeasuredDataset) => T,
): Readonly<Record<MeasuredDataset, T>> {
  return { requests: of("requests"), events: of("events"), violations: of("violations") };
}

/**
 * Why the service does not count: the token lacks the permission, or the zone's plan does not include the dataset
 * (SERVICE.md C.8).
 */
export type RefusedReason = "denied" | "unavailable";

/** The count of one hour, or why there is none. Nothing is 0 that was not measured. */
export type HourCount =
  | {
      readonly state: "measured";
      readonly count: number;
      /** Counts by the action that was taken; empty for requests. */
      readonly actions: Readonly<Record<string, number>>;
      /** 1: exact. More: an estimate by one request in so many. */
      readonly sampleInterval: number;
    }
  | { readonly state: "refused"; readonly reason: RefusedReason }
  /** The read failed, and none after it succeeded. */
  | { readonly state: "failed" }
  /** It was never read, and may be beyond the look-back by now. */
  | { readonly state: "missing" }
  /** The object is not known to have been live then. */
  | { readonly state: "undeclared" };

/** Why there is no count of an hour. */
export function unmeasuredState(
  count: Exclude<HourCount, { readonly state: "measured" }>,
): RefusedReason | "failed" | "missing" | "undeclared" {
  return count.state === "refused" ? count.reason : count.state;
}

/** The states of an hour as they are shown. */
export const shownStates = [
  "measured",
  "sampled",
  "no_traffic",
  "refused",
  "failed",
  "missing",
  "undeclared",
] as const;

export type ShownState = (typeof shownStates)[number];

/**
 * The state of an hour as it is shown: of a measured one, also whether it is an estimate, or whether the zone had no requests.
 *
 * @param requests all requests of the zone in the hour.
 */
export function shownState(hour: HourCount, requests: HourCount | undefined): ShownState {
  if (hour.state !== "measured") return hour.state;
  if (hour.sampleInterval > 1) return "sampled";
  const isIdle = requests?.state === "measured" && requests.count === 0;
  return isIdle && hour.count === 0 ? "no_traffic" : "measured";
}

/** The dataset that counts an object. */
export function datasetOf(key: ResourceKey): Exclude<MeasuredDataset, "requests"> {
  return key.startsWith("policy/") ? "violations" : "events";
}
