import type { Mode } from "../zone/desired-zone.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { AuditFeedStatus } from "./audit-status.ts";
import type { CollectorStatus } from "./collector-status.ts";
import type { StepStateName } from "./steps-status.ts";

/** A credential without its token. */
export interface CredentialStatus {
  readonly name: string;
  /** `false` once the service rejected the token. */
  readonly valid: boolean;
  /** `undefined` if the token does not expire or the service did not tell. */
  readonly expiresAt: Date | undefined;
  /** Requests that the service allows in a rate-limit window. */
  readonly limit: number;
  /** Requests left in the current window. */
  readonly remaining: number;
  /** Start of the next window; `undefined` before the first answer. */
  readonly resetAt: Date | undefined;
  /** Milliseconds that requests waited for the request budget since the start. */
  readonly waitedMs: number;
}

export interface ScheduleStatus {
  readonly expressions: readonly string[];
  readonly timezone: string;
  readonly nextAt: Date | undefined;
  /** Longest gap between two sweeps, in milliseconds. */
  readonly longestGapMs: number;
  /** Predicted duration of a sweep of all declared zones within the request budget, in milliseconds. */
  readonly sweepMs: number;
}

/** Whether what the daemon remembers survives a restart. */
export interface StateStatus {
  /** `none`: no store is configured. */
  readonly status: "ok" | "failing" | "none";
  /** Why the state that was found at the start could not be used. */
  readonly lost: "damaged" | "foreign" | "newer" | "unreadable" | undefined;
}

/** The processes of which one works at a time, as this one sees them. */
export interface ClusterStatus {
  /** Name of the Lease. */
  readonly lease: string;
  /** The name of this process in the Lease. */
  readonly identity: string;
  /** Whether this process holds the Lease. */
  readonly isHeld: boolean;
  /** The holder as it was last seen; "": nobody, or not known. */
  readonly holder: string;
  /** Where the holder shows its status page; "": not known. */
  readonly page: string;
  /** How often the holder changed. */
  readonly transitions: number;
  /** Why the Lease cannot be read or written now. */
  readonly failure: string | undefined;
  /** Whether this process reconciles: a holder also needs the state. */
  readonly works: boolean;
}

/** Whether a process reconciles the zones, or waits for the Lease or the state. */
export function isWorking({ cluster }: Pick<DaemonStatus, "cluster">): boolean {
  return cluster === undefined || cluster.works;
}

/** The state of the daemon at one moment. */
export interface DaemonStatus {
  readonly version: string;
  readonly startedAt: Date;
  /** Since when this process reconciles; `undefined` while another one does. */
  readonly workingSince: Date | undefined;
  readonly mode: Mode;
  readonly schedule: ScheduleStatus;
  /** Time between two reads of a zone's inventory, in milliseconds; `undefined` if inventories are off. */
  readonly inventoryEveryMs: number | undefined;
  /** `undefined`: another process works. */
  readonly audit: AuditFeedStatus | undefined;
  /** `undefined`: another process works. */
  readonly measurements: CollectorStatus | undefined;
  /** Policies and rules with steps by state; left out: there are none. */
  readonly steps?: ReadonlyMap<StepStateName, number> | undefined;
  readonly queue: { readonly waiting: number; readonly running: readonly ZoneName[] };
  readonly credentials: readonly CredentialStatus[];
  readonly state: StateStatus;
  /** `undefined`: this process works alone. */
  readonly cluster: ClusterStatus | undefined;
}

/** Why a sweep started late. */
export const missedRunReasons = ["overlap", "paused"] as const;

export type MissedRunReason = (typeof missedRunReasons)[number];
