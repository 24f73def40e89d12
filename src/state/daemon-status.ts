import type { Mode } from "../zone/desired-zone.ts";
import type { ZoneName } from "../zone/zone.ts";

/** A credential as people may see it: its name and what the service says of it, never the token. */
export interface CredentialStatus {
  readonly name: string;
  /** `false` once the service refused the token. */
  readonly valid: boolean;
  /** `undefined`: the token does not expire, or the service has not said so. */
  readonly expiresAt: Date | undefined;
  /** Requests that the service grants in a window. */
  readonly limit: number;
  /** Requests left of it. */
  readonly remaining: number;
  /** When the window begins anew; `undefined` before the first answer. */
  readonly resetAt: Date | undefined;
  /** Milliseconds spent waiting for our own limiter, since the start. */
  readonly waitedMs: number;
}

/** When full sweeps begin. */
export interface ScheduleStatus {
  readonly expressions: readonly string[];
  readonly timezone: string;
  readonly nextAt: Date | undefined;
  /** Longest gap between two sweeps, in milliseconds. */
  readonly longestGapMs: number;
  /** How long a sweep of all declared zones takes within the budgets, in milliseconds. */
  readonly sweepMs: number;
}

/** What is so in the process at this moment, asked for whenever somebody looks. */
export interface DaemonStatus {
  readonly version: string;
  readonly startedAt: Date;
  readonly mode: Mode;
  readonly schedule: ScheduleStatus;
  /** From one look at a zone's inventory to the next, in milliseconds; `undefined`: nobody looks. */
  readonly inventoryEveryMs: number | undefined;
  readonly queue: { readonly waiting: number; readonly running: readonly ZoneName[] };
  readonly credentials: readonly CredentialStatus[];
}

/** Why a sweep began later than the schedule said. */
export const missedRunReasons = ["overlap", "paused"] as const;

export type MissedRunReason = (typeof missedRunReasons)[number];
