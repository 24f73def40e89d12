import type { StepValue } from "../zone/promotion.ts";
import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";

/** A count of so many requests. */
export interface Rate {
  readonly count: number;
  readonly requests: number;
}

/**
 * Why a time says nothing of an object at its step. `other`: it is not known that the object was live as it is now; `off`:
 * nothing is measured.
 */
export type Unmeasured = "denied" | "unavailable" | "failed" | "missing" | "other" | "off";

/** Why an object stays at its step until it is declared otherwise, or a person promotes it. */
export interface Stop {
  /** Digest of the declaration that is stopped, its conditions included. */
  readonly declared: string;
  /** The step that was left; `undefined`: none was. */
  readonly from: StepValue | undefined;
  readonly at: Date;
  /** What was counted, or the name of the person. */
  readonly cause: Rate | { readonly by: string };
}

/** How much of a time has passed, in milliseconds. */
export interface Gathered {
  readonly ms: number;
  readonly ofMs: number;
  /** Whether only time counts that was measured. */
  readonly isMeasured: boolean;
  /** Why the latest time was not measured; `undefined`: it was, or need not be. */
  readonly state: Unmeasured | undefined;
}

/** Why nothing is promoted in a zone, whatever was measured. */
export type ZoneWait =
  | "paused"
  | "observe"
  | "suspended"
  | "held"
  | "wave"
  | "not_in_sync"
  | "store";

/** A zone of an earlier wave, in which the object of the same key is not at the next step, or is watched there. */
export interface EarlierWave {
  readonly zone: ZoneName;
  readonly wave: number;
}

/** Why an object stays at its step. */
export type StepWait =
  /** It is as declared. */
  | { readonly reason: "last_step" }
  /** A run has to find it live at its step. */
  | { readonly reason: "not_live" }
  | { readonly reason: "stopped"; readonly stop: Stop }
  /** It was promoted, or changed after the first step, and may be set back. */
  | ({ readonly reason: "watched" } & Gathered)
  /** It was not at its step for long enough. */
  | ({ readonly reason: "measuring" } & Gathered)
  | { readonly reason: "not_measured"; readonly state: Unmeasured }
  /** The counts are estimates, and do not tell so small a rate. */
  | { readonly reason: "sampled"; readonly sampleInterval: number }
  | { readonly reason: "requests"; readonly requests: number; readonly atLeast: number }
  | ({ readonly reason: "rate"; readonly mostPer10k: number } & Rate)
  | { readonly reason: "scripts_not_read" }
  | { readonly reason: "unknown_scripts"; readonly count: number; readonly most: number }
  | { readonly reason: ZoneWait }
  /** Another object of the zone is promoted or watched. */
  | { readonly reason: "other_object"; readonly key: ResourceKey }
  | ({ readonly reason: "earlier_wave" } & EarlierWave);

/** `watched`: the watch is over. */
export const stepEventNames = ["promoted", "set_back", "stopped", "watched"] as const;

/** What became of an object, or of a zone. */
export interface StepEvent {
  readonly zone: ZoneName;
  readonly key: ResourceKey;
  readonly event: (typeof stepEventNames)[number];
  /** The step before; the same where none was left. */
  readonly from: StepValue;
  readonly to: StepValue;
  /** What was counted, or the name of the person; `undefined`: its conditions were fulfilled. */
  readonly cause: Stop["cause"] | undefined;
}
