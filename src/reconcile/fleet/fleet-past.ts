import type { Clock } from "../../zone/ports.ts";
import type { ZoneName } from "../../zone/zone.ts";

/** Moments in milliseconds since the epoch, by what happened then. */
export type Moments<K extends string = string> = ReadonlyMap<K, number>;

/** What the fleet guard remembers beyond the end of the process. */
export interface PastStore {
  /** The digests of the declarations of a zone that were in force, and when each ceased to be. */
  formerDeclarations(name: ZoneName): Moments;
  setFormerDeclarations(name: ZoneName, former: Moments): void;
  /** When each zone was last weakened without a release. */
  weakened(by: WeakenedBy): Moments<ZoneName>;
  setWeakened(by: WeakenedBy, zones: Moments<ZoneName>): void;
}

/** `revision`: the files weaken the zone. `drift`: somebody strengthened it, and that is corrected. */
export const weakeningCauses = ["revision", "drift"] as const;

export type WeakeningCause = (typeof weakeningCauses)[number];

/** What is counted by itself: a cause, or `named`, the few zones that a person named in full to `apply`. */
export type WeakenedBy = WeakeningCause | "named";

/** How long revisions are counted together. */
const weakenedMs = 3_600_000;

/** What was in force so recently is an emergency revert. */
const formerMs = 24 * 3_600_000;

/**
 * So many declarations of a zone are stored: what the store holds of a zone is bounded, however often its files change in a
 * day. Going back to an older one is a change like others.
 */
const maxFormer = 8;

/** The zones that count at a moment, of those that were weakened. */
export function withinAnHour(weakened: Moments<ZoneName>, now: Date): Moments<ZoneName> {
  return new Map([...weakened].filter(([, at]) => at > Number(now) - weakenedMs));
}

/** What was in force within a day, and which zones were weakened within an hour. */
export class FleetPast {
  readonly #store: PastStore;
  readonly #clock: Pick<Clock, "now">;

  constructor(store: PastStore, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Whether a declaration of the zone was in force within a day. */
  wasInForce(name: ZoneName, digest: string): boolean {
    const at = this.#store.formerDeclarations(name).get(digest);
    const now = Number(this.#clock.now());
    return at !== undefined && at <= now && at > now - formerMs;
  }

  /** A declaration of the zone is no longer in force. */
  leftForce(name: ZoneName, digest: string): void {
    const now = Number(this.#clock.now());
    const former = new Map(this.#store.formerDeclarations(name));
    former.set(digest, now);
    const recent = [...former]
      .filter(([, at]) => at > now - formerMs)
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, maxFormer);
    this.#store.setFormerDeclarations(name, new Map(recent));
  }

  /** The zones that were weakened within an hour without a release. */
  weakened(by: WeakenedBy): Moments<ZoneName> {
    return withinAnHour(this.#store.weakened(by), this.#clock.now());
  }

  /** Zones are about to be weakened without a release. */
  addWeakened(by: WeakenedBy, names: readonly ZoneName[]): void {
    if (names.length === 0) return;
    const now = Number(this.#clock.now());
    const added = names.map((name): [ZoneName, number] => [name, now]);
    this.#store.setWeakened(by, new Map([...this.weakened(by), ...added]));
  }
}
