import type { LoadResult } from "../../state/load-report.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones } from "../../zone/zone.ts";
import { digestOf } from "../run/zone-memory.ts";
import { desiredFleet } from "./desired-fleet.ts";
import type { DesiredFleet, DesiredState, FleetZone, Select } from "./desired-fleet.ts";
import { compareFleets } from "./fleet-guard.ts";
import type { FleetDigests, FleetLimits, FleetHold } from "./fleet-guard.ts";
import { withSuspensionOf, onlySuspends } from "./suspension-overlay.ts";

/** What one reading of the files came to. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  /** Of the files, and of what they say about the zones that are listed. */
  readonly diagnostics: readonly Diagnostic[];
  /** The fleet in force after it. */
  readonly fleet: DesiredFleet;
  /** Revision and content in force after it; where there is a refusal, not those of `state`. */
  readonly inForce: Pick<DesiredState, "revision" | "hash">;
  readonly hold: FleetHold | undefined;
}

type Zones = DesiredFleet["zones"];

/** The declared zones that are looked at, and of which revision of the files they are. */
export class ActiveRevision {
  readonly #select: Select;
  /** What was put in force last; `undefined` before the first reading. */
  #adopted: DesiredState | undefined;
  /** The listing in which its zones were found. */
  #listed: KnownZones | undefined;
  /** Its zones, as that listing shows them. */
  #found: DesiredFleet = noFleet;
  /** What a new revision is compared with: its zones that are found, and those that were when it was put in force. */
  #compared: Zones = noFleet.zones;
  /** What is looked at: the zones that are found, restrained as a revision that is held restrains them. */
  #shown: DesiredFleet = noFleet;

  constructor(select: Select) {
    this.#select = select;
  }

  get fleet(): DesiredFleet {
    return this.#shown;
  }

  get revision(): string {
    return this.#adopted?.revision ?? "";
  }

  /**
   * Puts what the files say in force, unless the step from the revision before is too wide to take unasked. Who suspends
   * zones means it at once: that alone is no step, and of a revision that is held it is in force nevertheless.
   */
  adopt(state: DesiredState, listed: KnownZones | undefined, limits: FleetLimits): Loaded {
    this.#findIn(listed);
    const isNew = state.hash !== this.#adopted?.hash;
    const next = isNew ? desiredFleet(this.#select, state, listed) : this.#found;
    const diagnostics = [...state.diagnostics, ...next.diagnostics];
    const hold = isNew ? this.#refusalOf(state, next, limits) : undefined;
    if (hold !== undefined) {
      this.#shown = restrained(this.#found, next);
      const inForce = { revision: this.revision, hash: this.#adopted?.hash ?? "" };
      return {
        result: "held",
        state,
        diagnostics: diagnostics,
        fleet: this.#shown,
        inForce,
        hold: hold,
      };
    }
    this.#adopted = state;
    this.#found = next;
    this.#compared = next.zones;
    this.#shown = next;
    const isBroken = state.diagnostics.some(({ severity }) => severity === "error");
    const result = isBroken ? "invalid" : isNew ? "applied" : "unchanged";
    return {
      result,
      state,
      diagnostics: diagnostics,
      fleet: next,
      inForce: state,
      hold: undefined,
    };
  }

  /**
   * Finds what is in force in another listing. Zones that it no longer shows are compared all the same: a revision that
   * is held would pass in the moment in which a credential sees few zones, and be in force when it sees all again.
   */
  #findIn(listed: KnownZones | undefined): void {
    if (listed === this.#listed) return;
    this.#listed = listed;
    if (this.#adopted === undefined) return;
    this.#found = desiredFleet(this.#select, this.#adopted, listed);
    this.#compared = new Map([...this.#compared, ...this.#found.zones]);
  }

  #refusalOf(
    { revision }: DesiredState,
    next: DesiredFleet,
    limits: FleetLimits,
  ): FleetHold | undefined {
    const before = this.#compared;
    return compareFleets(digestsOf(before), digestsToCompare(before, next.zones), revision, limits);
  }
}

const noFleet: DesiredFleet = { zones: new Map(), diagnostics: [], missing: new Map() };

function digestsOf(zones: Zones): FleetDigests {
  return new Map([...zones].map(([name, { digest }]) => [name, digest]));
}

/** What a revision would make of the fleet; of a zone of which it writes no more than before, what it was. */
function digestsToCompare(before: Zones, after: Zones): FleetDigests {
  return new Map(
    [...after].map(([name, { desired, digest }]) => {
      const known = before.get(name);
      if (known === undefined || known.digest === digest) return [name, digest];
      const isNoMore = onlySuspends(known.desired.content, desired.content);
      return [name, isNoMore ? known.digest : digest];
    }),
  );
}

/** A fleet of which nothing is written that a held revision would not write for its `suspend` or `mode`. */
function restrained(fleet: DesiredFleet, held: DesiredFleet): DesiredFleet {
  const zones = [...fleet.zones].map(([name, zone]): [typeof name, FleetZone] => {
    const { desired } = zone;
    const content = withSuspensionOf(
      desired.content,
      (held.zones.get(name) ?? zone).desired.content,
    );
    if (content === desired.content) return [name, zone];
    return [name, { desired: { ...desired, content }, digest: digestOf(content) }];
  });
  return { ...fleet, zones: new Map(zones) };
}
