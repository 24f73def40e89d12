import type { LoadResult } from "../../state/load-report.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { KnownZones } from "../../zone/zone.ts";
import { digestOf } from "../run/zone-memory.ts";
import { desiredFleet } from "./desired-fleet.ts";
import type { DesiredFleet, DesiredState, FleetZone, Select } from "./desired-fleet.ts";
import { compareFleets } from "./fleet-guard.ts";
import type { FleetDigests, FleetLimits, FleetHold } from "./fleet-guard.ts";
import { withSuspensionOf, onlySuspends } from "./suspension-overlay.ts";

/** What one load of the files came to. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  /** Of the files, and of what they say about the zones that are listed. */
  readonly diagnostics: readonly Diagnostic[];
  /** The fleet in force after the load. */
  readonly fleet: DesiredFleet;
  /** Revision and content in force after the load: those of `state` unless it is held or rejected; "" before the first. */
  readonly inForce: Pick<DesiredState, "revision" | "hash">;
  /** `undefined` unless the result is `held`. */
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
  /** The zones of the revision that is held; its suspensions are in force. */
  #held: DesiredFleet | undefined;
  /** What is reconciled: the zones that are found, with the suspensions of a held revision. */
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
   * Puts a revision in force, unless nothing of it is usable, or it changes more zones than the limits allow. Suspending
   * zones is never held: a revision that only does that is applied, and the suspensions of a held one are in force.
   */
  adopt(state: DesiredState, listed: KnownZones | undefined, limits: FleetLimits): Loaded {
    this.#findIn(listed);
    if (!state.usable) return this.#keep("rejected", state, this.#found.diagnostics);
    const isNew = state.hash !== this.#adopted?.hash;
    const next = isNew ? desiredFleet(this.#select, state, listed) : this.#found;
    if (state.documents.length === 0 && this.#compared.size > 0) {
      return this.#keep("rejected", state, [noZoneDeclared(this.#compared.size)]);
    }
    const hold = isNew ? this.#holdOf(state, next, limits) : undefined;
    if (hold !== undefined) {
      this.#held = next;
      return this.#keep("held", state, next.diagnostics, hold);
    }
    this.#adopted = state;
    this.#found = next;
    this.#compared = next.zones;
    this.#held = undefined;
    this.#shown = next;
    const diagnostics = [...state.diagnostics, ...next.diagnostics];
    const isBroken = diagnostics.some(({ severity }) => severity === "error");
    const result = isBroken ? "partial" : isNew ? "applied" : "unchanged";
    return { result, state, diagnostics, fleet: next, inForce: state, hold: undefined };
  }

  /** Leaves in force what is. */
  #keep(
    result: "held" | "rejected",
    state: DesiredState,
    found: readonly Diagnostic[],
    hold?: FleetHold,
  ): Loaded {
    this.#shown = this.#held === undefined ? this.#found : restrained(this.#found, this.#held);
    return {
      result,
      state,
      diagnostics: [...state.diagnostics, ...found],
      fleet: this.#shown,
      inForce: { revision: this.revision, hash: this.#adopted?.hash ?? "" },
      hold,
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

  #holdOf(
    { revision }: DesiredState,
    next: DesiredFleet,
    limits: FleetLimits,
  ): FleetHold | undefined {
    const before = this.#compared;
    return compareFleets(digestsOf(before), digestsToCompare(before, next.zones), revision, limits);
  }
}

function noZoneDeclared(before: number): Diagnostic {
  return {
    code: "NO_ZONE_DECLARED",
    severity: "error",
    place: { file: ".", line: 1, column: 1 },
    path: "",
    message: `the files declare no zone, while ${before} zones are in force`,
    remedy: "restore the zone files; to stop managing all zones, restart zonewarden",
  };
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
