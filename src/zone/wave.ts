import type { ZoneName } from "./zone.ts";

/** Zones that are changed together: those that it names, or as many as make a share of all zones, from 0 to 1. */
export type Wave =
  | { readonly by: "zones"; readonly zones: readonly ZoneName[] }
  | { readonly by: "share"; readonly share: number };

/**
 * Which changes of a revision go out in waves:
 *
 * - `may_break`: those that may block visitors who were not blocked before.
 * - `weakens`: those that weaken the protection, or may.
 * - `all`: all but those that only strengthen it and cannot break a site.
 */
export type WaveClass = "may_break" | "weakens" | "all";

/** How the changes of a revision reach the zones. */
export interface RolloutSettings {
  readonly waves: readonly Wave[];
  /** How long a wave is live before the next one begins. */
  readonly soakMs: number;
  readonly appliesTo: WaveClass;
  /** Left out: a wave need only soak. */
  readonly gate?: Gate;
}

/** What must have been measured of each changed object before the next wave begins; a limit that is left out is none. */
export interface Gate {
  /** Of a policy, in 10,000 requests of its zone. */
  readonly violationsPer10k: number | undefined;
  /** Of requests that a rule blocks or challenges, in as many. */
  readonly blockedPer10k: number | undefined;
  /** Requests that must have been counted. */
  readonly requestsAtLeast: number;
}
