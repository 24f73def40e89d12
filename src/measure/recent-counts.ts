import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";
import { hourMs } from "./hours.ts";
import type { HourCount } from "./measurement.ts";

/** Milliseconds of a recent count. */
export const fiveMinutesMs = 300_000;

/** How long after its end a time of five minutes is complete. The service publishes no delay; each read covers it again. */
export const recentSettleMs = 180_000;

/** How far back recent counts go. */
export const recentMs: number = hourMs;

/** A zone whose recent counts are asked for, and the objects of it that are watched. */
export interface WatchedZone {
  readonly zone: ZoneName;
  readonly keys: readonly ResourceKey[];
}

/** The counts of the last hour of a zone, as far as it is complete; each list has one for each five minutes, the oldest first. */
export interface RecentCounts {
  /** Start of the first five minutes, by the clock of the service; a multiple of five minutes. */
  readonly since: Date;
  /** All requests of the zone. */
  readonly requests: readonly HourCount[];
  /** By watched object. `undeclared`: no run found it live. */
  readonly objects: ReadonlyMap<ResourceKey, readonly HourCount[]>;
}

/**
 * Reads the recent counts of zones; nothing is sent for none. A zone that is not in the result is not measured at all (it is
 * not declared, or measurements are off). Never rejects but by the signal: what cannot be read is `failed` or `refused`.
 */
export type ReadRecentCounts = (
  watched: readonly WatchedZone[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<ZoneName, RecentCounts>>;
