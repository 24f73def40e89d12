import { changesWith } from "../plan/cause/cause.ts";
import type { Change } from "../plan/change.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { Unowned } from "../plan/ownership.ts";
import type { Unmanaged } from "../plan/write-order.ts";
import type { Mode, Suspension, ZoneLabels } from "../zone/desired-zone.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { WriteCall } from "../zone/write.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import type { InventoryState } from "./inventory.ts";
import type { Failure, Outcome, Trigger } from "./run-report.ts";
import type { ScriptWatch } from "./scripts/script-watch.ts";

/** A zone has exactly one status. `differs`: it is not as declared, and why is not known. */
export const zoneStatuses = [
  "in_sync",
  "drifted",
  "pending",
  "differs",
  "held",
  "error",
  "unknown",
  "suspended",
] as const;

export type ZoneStatus = (typeof zoneStatuses)[number];

/** How a zone is reconciled, by its declaration. */
export interface DeclaredZone {
  readonly name: ZoneName;
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  readonly labels: ZoneLabels;
  /** The hold of a revision that changes or drops the zone. */
  readonly hold: Hold | undefined;
  /** Its files that have errors, and whose last good version is in force; left out: none. */
  readonly brokenFiles?: readonly string[];
}

/** What is known of a declared zone that the service does not list, or that the files no longer declare: its name. */
export function unlistedZone(name: ZoneName): DeclaredZone {
  return { name, mode: "enforce", suspension: undefined, labels: {}, hold: undefined };
}

/** A write and its outcome, without its body. */
export interface WriteRecord {
  readonly call: WriteCall;
  readonly changes: readonly ResourceKey[];
  readonly status: Outcome["status"];
  /** Why it is not done, "" if it is. */
  readonly reason: string;
  /** The service's id of the request, "" without an answer. */
  readonly ray: string;
}

/** A run that sent writes. */
export interface ChangeRecord {
  readonly run: string;
  readonly zone: ZoneName;
  readonly at: Date;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly changes: readonly Change[];
  readonly writes: readonly WriteRecord[];
}

export interface LastRun {
  readonly run: string;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly at: Date;
  readonly durationMs: number;
}

/** The version of the OWASP ruleset, and its last change: the service updates it (SERVICE.md B.7). */
export interface OwaspVersion {
  readonly version: string;
  readonly moved: { readonly from: string; readonly at: Date } | undefined;
}

/** The state of a zone after its runs. A failed read changes nothing but the failure. */
export interface ZoneState {
  readonly declared: DeclaredZone;
  /** From the last plan; `undefined` before the first. */
  readonly zone: Zone | undefined;
  readonly status: ZoneStatus;
  readonly statusSince: Date;
  /** End of the last complete and successful run. */
  readonly lastSuccess: Date | undefined;
  readonly lastRun: LastRun | undefined;
  readonly consecutiveFailures: number;
  readonly failure: Failure | undefined;
  /** Holds of the last plan; {@link holdsOf} adds the hold of the revision. */
  readonly holds: readonly Hold[];
  /** Changes between the live and the desired state. */
  readonly differing: readonly Change[];
  /** When the current drift was detected. */
  readonly driftedSince: Date | undefined;
  /** Since when the zone has changes that are not drift: pending ones, or of an unknown cause. */
  readonly pendingSince: Date | undefined;
  /** Runs that detected new drift since the zone was declared. */
  readonly driftOnsets: number;
  readonly unmanaged: readonly Unmanaged[];
  readonly unowned: readonly Unowned[];
  readonly notes: readonly string[];
  /** Resources that the last plan compared. */
  readonly compared: number;
  /** Latest first, bounded. */
  readonly changes: readonly ChangeRecord[];
  /** From the last plan; `undefined` if the zone does not tune it or it could not be read. */
  readonly owasp: OwaspVersion | undefined;
  /** `undefined` if inventories are off. */
  readonly inventory: InventoryState | undefined;
  /** `undefined`: no scripts are declared, or they were not checked yet. */
  readonly scripts: ScriptWatch | undefined;
}

/** The changes that correct drift. */
export function driftOf(state: ZoneState): readonly Change[] {
  return changesWith("drift", state.differing);
}

/** The declared changes that are not applied yet. */
export function pendingOf(state: ZoneState): readonly Change[] {
  return changesWith("pending", state.differing);
}

/** The changes whose cause is not known. */
export function unknownOf(state: ZoneState): readonly Change[] {
  return changesWith("unknown", state.differing);
}

/** All holds of a zone: of its revision and of its plan. */
export function holdsOf({ declared, holds }: ZoneState): readonly Hold[] {
  return declared.hold === undefined ? holds : [declared.hold, ...holds];
}
