import type { ResourceKey } from "../zone/resource.ts";
import type { ZoneName } from "../zone/zone.ts";

/** What the measurements say of a zone that a wave changed: that the gate is kept, that a limit is passed, or neither. */
export type GateJudgement =
  | { readonly state: "kept" }
  | { readonly state: "over" | "unknown"; readonly why: string };

/** A zone that a wave changed, and that was seen as declared. */
export interface GatedZone {
  readonly name: ZoneName;
  /** The policies and rules that were changed, and are counted. */
  readonly changed: readonly ResourceKey[];
  /** For how long it is as declared, in milliseconds. */
  readonly appliedForMs: number;
}

/** Zones that keep a gate from opening; those over a limit first. */
export interface GateStatus {
  readonly over: number;
  /** Zones of which it is not known whether they are within the limits. */
  readonly unknown: number;
  /** The first of them. */
  readonly zones: readonly {
    readonly zone: ZoneName;
    readonly state: "over" | "unknown";
    readonly why: string;
  }[];
}
