import type { Cause, Change } from "../plan/change.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { Unmanaged } from "../plan/kind-plan.ts";
import type { Mode, Suspension } from "../zone/desired-zone.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { WriteCall } from "../zone/write.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import type { ByKind } from "./drift.ts";
import type { InventoryState } from "./inventory.ts";
import type { Failure, Outcome, Trigger } from "./run-report.ts";

/** What a zone is at this moment: always exactly one of these. */
export const zoneStatuses = [
  "in_sync",
  "drifted",
  "pending",
  "held",
  "error",
  "unknown",
  "suspended",
] as const;

export type ZoneStatus = (typeof zoneStatuses)[number];

/** What the files say about the running of a zone. */
export interface DeclaredZone {
  readonly name: ZoneName;
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  /** Why what the files say of it by now is not followed. */
  readonly hold: Hold | undefined;
}

/** What became of a request that writes, without its body. */
export interface WriteRecord {
  readonly call: WriteCall;
  readonly changes: readonly ResourceKey[];
  readonly status: Outcome["status"];
  /** Why it is not done, "" where it is. */
  readonly reason: string;
  /** The service's id of the request, "" where there is none. */
  readonly ray: string;
}

/** A run that changed something, or tried to. */
export interface ChangeRecord {
  readonly run: string;
  readonly zone: ZoneName;
  readonly at: Date;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly cause: Cause;
  readonly changes: readonly Change[];
  readonly writes: readonly WriteRecord[];
}

/** The run that looked at a zone last. */
export interface LastRun {
  readonly run: string;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly at: Date;
  readonly durationMs: number;
}

/** The version of the OWASP ruleset, and when it was last seen to have moved: the service does that by itself (SERVICE.md B.7). */
export interface OwaspVersion {
  readonly version: string;
  readonly moved: { readonly from: string; readonly at: Date } | undefined;
}

/** All that is known of a zone from the reports of its runs. A failed read leaves what was known before. */
export interface ZoneState {
  readonly declared: DeclaredZone;
  /** As the last plan showed it; `undefined` before the first. */
  readonly zone: Zone | undefined;
  readonly status: ZoneStatus;
  /** When the status became what it is. */
  readonly statusSince: Date;
  /** End of the last run that looked at everything and failed in nothing. */
  readonly lastSuccess: Date | undefined;
  readonly lastRun: LastRun | undefined;
  readonly consecutiveFailures: number;
  /** What the last run failed with. */
  readonly failure: Failure | undefined;
  /** Why the last plan is held; {@link holdsOf} gives everything that holds the zone. */
  readonly holds: readonly Hold[];
  /** Why the zone differs, where it does. */
  readonly cause: Cause | undefined;
  /** What is not as declared. */
  readonly differing: readonly Change[];
  /** When drift was first seen that is still there. */
  readonly driftedSince: Date | undefined;
  /** Onsets of drift since the zone was declared, by kind. */
  readonly driftOnsets: ByKind;
  readonly unmanaged: readonly Unmanaged[];
  readonly notes: readonly string[];
  /** Managed things that the last plan compared. */
  readonly compared: number;
  /** Latest first, bounded. */
  readonly changes: readonly ChangeRecord[];
  /** By which the zone's tuning was planned last; `undefined` where none is tuned, or it could not be read. */
  readonly owasp: OwaspVersion | undefined;
  /** What browsers reported; `undefined` where nobody looks. */
  readonly inventory: InventoryState | undefined;
}

/** What drifted: all that differs, where drift is the cause. */
export function driftOf(state: ZoneState): readonly Change[] {
  return state.cause === "drift" ? state.differing : [];
}

/** What is declared and not carried out yet. */
export function pendingOf(state: ZoneState): readonly Change[] {
  return state.cause === "pending" ? state.differing : [];
}

/** Everything that holds a zone: its declaration, and its plan. */
export function holdsOf({ declared, holds }: ZoneState): readonly Hold[] {
  return declared.hold === undefined ? holds : [declared.hold, ...holds];
}
