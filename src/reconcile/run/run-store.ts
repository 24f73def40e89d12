import type { AdoptedRule } from "../../plan/ownership.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { PastStore } from "../fleet/fleet-past.ts";
import type { HaltStore } from "../fleet/rollout.ts";

/** When each field of a zone was corrected, in milliseconds since the epoch. */
export type Corrections = ReadonlyMap<string, readonly number[]>;

/** What runs remember beyond the end of the process. Setting never throws and never waits. */
export interface RunStore extends PastStore, HaltStore {
  /** Whether what is set now can be written; `false`: a restart would forget it. */
  readonly isWritable: boolean;
  /** What was last applied to a zone, as `appliedText` gives it; "" if nothing is known. */
  applied(name: ZoneName): string;
  setApplied(name: ZoneName, text: string): void;
  /** The rules of a zone that were adopted. */
  adopted(name: ZoneName): readonly AdoptedRule[];
  setAdopted(name: ZoneName, rules: readonly AdoptedRule[]): void;
  corrections(name: ZoneName): Corrections;
  setCorrections(name: ZoneName, corrections: Corrections): void;
  /** Hashes of the plans whose release was used. */
  usedReleases(): readonly string[];
  setUsedReleases(hashes: readonly string[]): void;
}
