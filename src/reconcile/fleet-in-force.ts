import type { LoadResult } from "../report/load-report.ts";
import type { Problem } from "../zone/problem.ts";
import type { Zone, ZoneName } from "../zone/zone.ts";
import { declaredFleet } from "./declared-fleet.ts";
import type { DeclaredFleet, DesiredState, Select } from "./declared-fleet.ts";
import { compareFleets } from "./fleet-guard.ts";
import type { FleetLimits, FleetRefusal } from "./fleet-guard.ts";

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
  #fleet: DeclaredFleet = { zones: new Map(), problems: [], missing: new Map() };
  /** The listing in which the fleet was found. */
  #listed: readonly Zone[] | undefined;
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

  /** Puts what the files say in force, unless the step from the revision before is too wide to take unasked. */
  adopt(state: DesiredState, listed: readonly Zone[] | undefined, limits: FleetLimits): Loaded {
    const isNew = state.hash !== this.#hash;
    const isKnown = !isNew && listed === this.#listed;
    const next = isKnown ? this.#fleet : declaredFleet(this.#select, state, listed);
    const refusal = isNew
      ? compareFleets(digests(this.#fleet), digests(next), state.revision, limits)
      : undefined;
    const problems = [...state.problems, ...next.problems];
    if (refusal !== undefined) {
      const inForce = { revision: this.#revision, hash: this.#hash ?? "" };
      return { result: "refused", state, problems, fleet: this.#fleet, inForce, refusal };
    }
    this.#fleet = next;
    this.#listed = listed;
    this.#revision = state.revision;
    this.#hash = state.hash;
    const isBroken = state.problems.some(({ severity }) => severity === "error");
    const result = isBroken ? "invalid" : isNew ? "applied" : "unchanged";
    return { result, state, problems, fleet: next, inForce: state, refusal: undefined };
  }
}

function digests({ zones }: DeclaredFleet): ReadonlyMap<ZoneName, string> {
  return new Map([...zones].map(([name, { digest }]) => [name, digest]));
}
