import type { Kind } from "../zone/resource.ts";
import type { Zone } from "../zone/zone.ts";
import type { Change } from "./change.ts";
import type { Write } from "./write.ts";

/** A live object that is not declared and not ours. It stays. */
export interface Unmanaged {
  readonly kind: Kind;
  readonly id: string;
  /** Its description, or what else tells it apart. */
  readonly title: string;
}

/** What must happen in a zone for live to equal desired. */
export interface Plan {
  readonly zone: Zone;
  /** In the order in which they are carried out. */
  readonly changes: readonly Change[];
  /** The requests that carry the changes out, in order; each names the changes that it serves. */
  readonly writes: readonly Write[];
  readonly unmanaged: readonly Unmanaged[];
  /** What a reader of the plan should know beside its changes. */
  readonly notes: readonly string[];
  /** Managed things that were compared: declared ones and live ones of ours. */
  readonly compared: number;
  /** Whether anything live bears our mark: then what differs has drifted. */
  readonly marked: boolean;
}
