import type { Mode } from "../zone/desired-zone.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { AuditFeedStatus } from "./audit-status.ts";

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
  /** `none`: no state directory is configured. */
  readonly status: "ok" | "failing" | "none";
  /** Why the state that was found at the start could not be used. */
  readonly lost: "damaged" | "foreign" | "newer" | "unreadable" | undefined;
}

/** What several states are together: the worst of them. */
export function joinStates(states: readonly StateStatus[]): StateStatus {
  const failing = states.find(({ status }) => status === "failing");
  const lost = states.find((each) => each.lost !== undefined)?.lost;
  return { status: (failing ?? states[0])?.status ?? "none", lost };
}

/** A part of the zones and its Lease, which decides which of several processes works on it. */
export interface ShardStatus {
  /** Name of the Lease. */
  readonly lease: string;
  /** Whose zones they are; `undefined`: all zones. */
  readonly credential: string | undefined;
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

/** The processes that share the zones, as this one sees them. */
export interface ClusterStatus {
  /** Name of the Lease; with shards, that of the replicas. */
  readonly lease: string;
  /** The name of this process in the Leases. */
  readonly identity: string;
  /** With shards: why the Lease of the replicas cannot be read or written now. */
  readonly failure: string | undefined;
  /** One for all zones, or one for each credential. */
  readonly shards: readonly ShardStatus[];
}

/** Why a Lease cannot be read or written now; `undefined` where all can. */
export function leaseFailureIn({ failure, shards }: ClusterStatus): string | undefined {
  return failure ?? shards.find((shard) => shard.failure !== undefined)?.failure;
}

/** Whether a process works on a part of the zones at least, or on all since there is no cluster. */
export function isWorking({ cluster }: Pick<DaemonStatus, "cluster">): boolean {
  return cluster === undefined || cluster.shards.some(({ works }) => works);
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
  readonly queue: { readonly waiting: number; readonly running: readonly ZoneName[] };
  readonly credentials: readonly CredentialStatus[];
  readonly state: StateStatus;
  /** `undefined`: this process works alone. */
  readonly cluster: ClusterStatus | undefined;
}

/** Why a sweep started late. */
export const missedRunReasons = ["overlap", "paused"] as const;

export type MissedRunReason = (typeof missedRunReasons)[number];
