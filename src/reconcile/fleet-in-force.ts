import type { LoadResult } from "../report/load-report.ts";
import type { Problem } from "../zone/problem.ts";
import type { KnownZones } from "../zone/zone.ts";
import { declaredFleet } from "./declared-fleet.ts";
import type { DeclaredFleet, DesiredState, FleetZone, Select } from "./declared-fleet.ts";
import { compareFleets } from "./fleet-guard.ts";
import type { FleetDigests, FleetLimits, FleetRefusal } from "./fleet-guard.ts";
import { restrainedAs, writesNoMore } from "./restraint.ts";
import { digestOf } from "./zone-memory.ts";

/** What one reading of the files came to. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  /** Of the files, and of what they say about the zones that are listed. */
  readonly problems: readonly Problem[];
  /** The fleet in force after it. */
  readonly fleet: DeclaredFleet;
  /** Revision and content in force after it; where there is a refusal, not those of `state`. */
  readonly inForce: Pick<DesiredState, "revision" | "hash">;
  readonly refusal: FleetRefusal | undefined;
}

/** The declared zones that are looked at, and of which revision of the files they are. */
export class FleetInForce {
  readonly #select: Select;
  #fleet: DeclaredFleet = noFleet;
  /** The fleet without what a revision that is held adds to it. */
  #adopted: DeclaredFleet = noFleet;
  /** The listing in which the fleet was found. */
  #listed: KnownZones | undefined;
  #revision = "";
  #hash: string | undefined;

  constructor(select: Select) {
    this.#select = select;
  }

  get fleet(): DeclaredFleet {
    return this.#fleet;
  }

  get revision(): string {
    return this.#revision;
  }

  /**
   * Puts what the files say in force, unless the step from the revision before is too wide to take unasked. Who suspends
   * zones means it at once: that alone is no step, and of a revision that is held it is in force nevertheless.
   */
  adopt(state: DesiredState, listed: KnownZones | undefined, limits: FleetLimits): Loaded {
    const isNew = state.hash !== this.#hash;
    const isKnown = !isNew && listed === this.#listed;
    const next = isKnown ? this.#adopted : declaredFleet(this.#select, state, listed);
    const refusal = isNew
      ? compareFleets(
          digestsOf(this.#adopted),
          digestsToCompare(this.#adopted, next),
          state.revision,
          limits,
        )
      : undefined;
    const problems = [...state.problems, ...next.problems];
    if (refusal !== undefined) {
      this.#fleet = restrained(this.#adopted, next);
      const inForce = { revision: this.#revision, hash: this.#hash ?? "" };
      return { result: "refused", state, problems, fleet: this.#fleet, inForce, refusal };
    }
    this.#fleet = next;
    this.#adopted = next;
    this.#listed = listed;
    this.#revision = state.revision;
    this.#hash = state.hash;
    const isBroken = state.problems.some(({ severity }) => severity === "error");
    const result = isBroken ? "invalid" : isNew ? "applied" : "unchanged";
    return { result, state, problems, fleet: next, inForce: state, refusal: undefined };
  }
}

const noFleet: DeclaredFleet = { zones: new Map(), problems: [], missing: new Map() };

function digestsOf({ zones }: DeclaredFleet): FleetDigests {
  return new Map([...zones].map(([name, { digest }]) => [name, digest]));
}

/** What a revision would make of the fleet; of a zone of which it writes no more than before, what it was. */
function digestsToCompare(before: DeclaredFleet, after: DeclaredFleet): FleetDigests {
  return new Map(
    [...after.zones].map(([name, { desired, digest }]) => {
      const known = before.zones.get(name);
      if (known === undefined || known.digest === digest) return [name, digest];
      const isNoMore = writesNoMore(known.desired.content, desired.content);
      return [name, isNoMore ? known.digest : digest];
    }),
  );
}

/** A fleet of which nothing is written that a held revision would not write for its `suspend` or `mode`. */
function restrained(fleet: DeclaredFleet, held: DeclaredFleet): DeclaredFleet {
  const zones = [...fleet.zones].map(([name, zone]): [typeof name, FleetZone] => {
    const { desired } = zone;
    const content = restrainedAs(desired.content, (held.zones.get(name) ?? zone).desired.content);
    if (content === desired.content) return [name, zone];
    return [name, { desired: { ...desired, content }, digest: digestOf(content) }];
  });
  return { ...fleet, zones: new Map(zones) };
}
