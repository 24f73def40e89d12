import type { Policy, Rule, Setting } from "./resource.ts";
import type { Zone, ZoneId, ZoneName } from "./zone.ts";

/** Whether what differs is corrected, or only told. */
export type Mode = "enforce" | "observe";

/** What becomes of live objects of a kind that are not ours: told, deleted, or not even told. */
export type UnmanagedMode = "report" | "delete" | "ignore";

/** The declared objects of a kind. An empty list is a declaration too: ours that are live go. */
export interface Declared<T> {
  readonly items: readonly T[];
  readonly unmanaged: UnmanagedMode;
}

/** Why a zone is read and reported, but not written. */
export interface Suspension {
  readonly reason: string;
  /** The moment at which the suspension ends by itself; `undefined`: it stays. */
  readonly until: Date | undefined;
}

/** What one zone shall be, with every profile merged and every default filled in. */
export interface ZoneContent {
  /** Of the zone itself; the program's mode may be stricter. */
  readonly mode: Mode;
  readonly suspension: Suspension | undefined;
  /** Declared settings; one that is not here is neither read nor written. */
  readonly settings: readonly Setting[];
  /** `undefined`: not declared, costs no request. */
  readonly policies: Declared<Policy> | undefined;
  /** `undefined`: not declared, costs no request. The order is desired state. */
  readonly rules: Declared<Rule> | undefined;
}

/** Where something was said: a file relative to the desired directory, and a line counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Patterns over the zone listing; `undefined` fits every zone. `*` stands for any run of characters. */
export interface Selector {
  readonly name: string | undefined;
  /** Name or id of the account. */
  readonly account: string | undefined;
  readonly status: string | undefined;
  readonly plan: string | undefined;
}

/** Which zones a document speaks of. */
export type Target =
  | { readonly by: "name"; readonly name: ZoneName }
  | { readonly by: "id"; readonly id: ZoneId }
  | { readonly by: "selector"; readonly selector: Selector };

/** One entry of `zones:` in a file. */
export interface ZoneDocument {
  readonly target: Target;
  readonly content: ZoneContent;
  readonly place: Place;
}

/** A declared zone, found in the zone listing. */
export interface DesiredZone {
  readonly zone: Zone;
  readonly content: ZoneContent;
}
