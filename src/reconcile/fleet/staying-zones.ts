import type { Change } from "../../plan/change.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { FleetZone } from "./desired-fleet.ts";
import type { FleetPast } from "./fleet-past.ts";

/**
 * The zones that stay as a held revision declares them, since somebody applied it there. No more of them than
 * `limits.max_weakened` stay with less protection than the active revision declares: who has the token and may write
 * zone files could otherwise apply by hand what the fleet guard holds.
 */
export class StayingZones {
  readonly #past: Pick<FleetPast, "leftForce">;
  readonly #maxWeaker: () => number;
  /** Whether each is weaker. */
  readonly #zones = new Map<ZoneName, boolean>();

  constructor(past: Pick<FleetPast, "leftForce">, maxWeaker: () => number) {
    this.#past = past;
    this.#maxWeaker = maxWeaker;
  }

  /**
   * Whether a zone may stay as it is, and keeps that in mind.
   *
   * @param setBack the changes that would set it back: what strengthens the zone, or may, says that it is weaker now.
   */
  mayStay({ desired, digest }: FleetZone, setBack: readonly Change[]): boolean {
    const { name } = desired.zone;
    const isWeaker = setBack.some(
      ({ effect: { direction } }) => direction === "strengthens" || direction === "unclear",
    );
    const known = this.#zones.get(name);
    if (isWeaker && known !== true && this.#weaker >= this.#maxWeaker()) {
      this.#zones.delete(name);
      return false;
    }
    // To revert the files is to go back to what was in force: that is never held.
    if (known === undefined) this.#past.leftForce(name, digest);
    this.#zones.set(name, isWeaker);
    return true;
  }

  has(name: ZoneName): boolean {
    return this.#zones.has(name);
  }

  /** The zone is not as a held revision declares it any more. */
  forget(name: ZoneName): void {
    this.#zones.delete(name);
  }

  keepOnly(declared: ReadonlySetLike<ZoneName>): void {
    for (const name of this.#zones.keys()) if (!declared.has(name)) this.forget(name);
  }

  get #weaker(): number {
    return [...this.#zones.values()].filter((isWeaker) => isWeaker).length;
  }
}
