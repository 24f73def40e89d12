import type { LoadResult } from "../../state/load-report.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { internalError } from "../../zone/internal-error.ts";
import type { KnownZones, ZoneName } from "../../zone/zone.ts";
import {
  digestOf,
  desiredFleet,
  type DesiredFleet,
  type DesiredState,
  type FleetPart,
  type FleetZone,
  partOfFleet,
  type RoundProgress,
  type Select,
} from "./desired-fleet.ts";
import { fleetGuard, type FleetDigests, type FleetHold, type FleetLimits } from "./fleet-guard.ts";
import { onlySuspends, withSuspensionOf } from "./suspension-overlay.ts";

/** The result of one load of the files. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  /** Of the files, and of their selectors in the zone listing. */
  readonly diagnostics: readonly Diagnostic[];
  /** What this process reconciles of the active fleet after the load. */
  readonly fleet: DesiredFleet;
  /** The number of zones that the active fleet declares, those of other processes included. */
  readonly declared: number;
  /** What is active after the load: that of `state` unless it is held or rejected; "" before the first. */
  readonly active: Pick<DesiredState, "revision" | "commit" | "hash">;
  /** `undefined` unless the result is `held`. */
  readonly hold: FleetHold | undefined;
}

/** A load with what the first round says of it. */
export interface JudgedLoad extends Loaded {
  /** Whether every credential has listed its zones. */
  readonly isAllListed: boolean;
  readonly round: RoundProgress & {
    /** Whether the daemon writes at all. */
    readonly isBinding: boolean;
  };
}

/** What a zone of the active revision is compared by: a {@link FleetZone} has it. */
interface ComparedZone {
  readonly desired: { readonly content: ZoneContent };
  readonly digest: string;
}

type ComparedZones = ReadonlyMap<ZoneName, ComparedZone>;

/** The revision that zones are reconciled against, and its zones. */
export class ActiveRevision {
  readonly #select: Select;
  #latest: DesiredState | undefined;
  #latestUsable: DesiredState | undefined;
  #adopted: DesiredState | undefined;
  /** The listing in which its zones were found. */
  #listed: KnownZones | undefined;
  /** Its zones in that listing. */
  #found: DesiredFleet = noFleet;
  /** What a new revision is compared with: the zones that are found, and those that were found when it became active. */
  #compared: ComparedZones = new Map();
  /** Whether the active revision comes from the stored state and was not loaded from the files yet. */
  #isRestored = false;
  /** The zones of the revision that is held; its suspensions are active. */
  #held: DesiredFleet | undefined;
  readonly #part: FleetPart | undefined;
  /** The zones that are found, with the suspensions of a held revision: those that this process reconciles. */
  #fleet: DesiredFleet = noFleet;
  /** The whole, of which `#fleet` is a part. */
  #whole: DesiredFleet = noFleet;

  /** @param part the part of the zones that this process reconciles; omitted: all. A revision is judged as a whole. */
  constructor(select: Select, part?: FleetPart) {
    this.#select = select;
    this.#part = part;
  }

  /** The zones to reconcile. */
  get fleet(): DesiredFleet {
    return this.#fleet;
  }

  /** The number of declared zones, those of other processes included. */
  get declared(): number {
    const { zones, missing } = this.#whole;
    return zones.size + missing.size;
  }

  get revision(): string {
    return this.#adopted?.revision ?? "";
  }

  /** Git's name for the revision; `undefined` where there is none. */
  get commit(): string | undefined {
    return this.#adopted?.commit;
  }

  /** The last load, active or not; `undefined` before the first. */
  get latest(): DesiredState | undefined {
    return this.#latest;
  }

  get latestUsable(): DesiredState | undefined {
    return this.#latestUsable;
  }

  /**
   * Makes the revision active that was active when the process before this one ended. The next revision is compared
   * with it, once the zones are listed.
   */
  restore(state: DesiredState): void {
    this.#adopted = state;
    this.#isRestored = true;
    this.#compared = new Map(
      // Content with placeholders that need the listing is not known before it.
      state.documents.flatMap(({ target, content, contentFor }) =>
        target.by === "name" && contentFor === undefined
          ? [[target.name, { desired: { content }, digest: digestOf(content) }]]
          : [],
      ),
    );
  }

  /**
   * Makes a revision active, unless nothing of it is usable, or it changes more zones than the limits allow. Suspending
   * zones is never held: a revision that only does that is applied, and the suspensions of a held one are active.
   */
  adopt(state: DesiredState, listed: KnownZones | undefined, limits: FleetLimits): Loaded {
    this.#latest = state;
    this.#findIn(listed);
    if (!state.usable) return this.#keep("rejected", state, this.#found.diagnostics);
    this.#latestUsable = state;
    if (this.#isRestored && listed === undefined) return this.#keep("unchanged", state, []);
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
    this.#isRestored = false;
    this.#compared = next.zones;
    this.#held = undefined;
    this.#show(next);
    const diagnostics = [...state.diagnostics, ...next.diagnostics];
    const result = diagnostics.some(isError) ? "partial" : isNew ? "applied" : "unchanged";
    const { fleet, declared } = this;
    return { result, state, diagnostics, fleet, declared, active: state, hold: undefined };
  }

  /** Leaves the active revision as it is after an exception in {@link adopt}. */
  reject(state: DesiredState, error: unknown): Loaded {
    return this.#keep("rejected", state, [internalError(error)]);
  }

  /** Leaves the active revision as it is. */
  #keep(
    result: "held" | "rejected" | "unchanged",
    state: DesiredState,
    found: readonly Diagnostic[],
    hold?: FleetHold,
  ): Loaded {
    this.#show(this.#held === undefined ? this.#found : withSuspensionsOf(this.#held, this.#found));
    return {
      result,
      state,
      diagnostics: [...state.diagnostics, ...found],
      fleet: this.#fleet,
      declared: this.declared,
      active: this.#adopted ?? { revision: "", hash: "" },
      hold,
    };
  }

  #show(whole: DesiredFleet): void {
    if (whole === this.#whole) return;
    this.#whole = whole;
    this.#fleet = partOfFleet(whole, this.#part);
  }

  /**
   * Finds the active zones in another listing. Zones that it no longer shows are still compared: otherwise a held revision
   * would pass at a moment when a credential sees few zones, and be active when it sees all again.
   */
  #findIn(listed: KnownZones | undefined): void {
    if (listed === this.#listed) return;
    if (this.#adopted !== undefined) {
      this.#found = desiredFleet(this.#select, this.#adopted, listed);
      this.#compared = new Map<ZoneName, ComparedZone>([...this.#compared, ...this.#found.zones]);
    }
    this.#listed = listed;
  }

  #holdOf({ revision }: DesiredState, next: DesiredFleet, limits: FleetLimits) {
    const before = this.#compared;
    return fleetGuard(digestsOf(before), digestsToCompare(before, next.zones), revision, limits);
  }
}

function noZoneDeclared(before: number): Diagnostic {
  return {
    code: "NO_ZONE_DECLARED",
    severity: "error",
    place: { file: ".", line: 1, column: 1 },
    path: "",
    message: `the files declare no zone, but ${before} ${before === 1 ? "zone is" : "zones are"} active`,
    remedy: "restore the zone files; to stop managing all zones, stop zonewarden",
  };
}

const noFleet: DesiredFleet = { zones: new Map(), diagnostics: [], missing: new Map() };

function digestsOf(zones: ComparedZones): FleetDigests {
  return new Map([...zones].map(([name, { digest }]) => [name, digest]));
}

/** The digests of a new revision; of a zone that it only suspends, the digest before. */
function digestsToCompare(before: ComparedZones, after: DesiredFleet["zones"]): FleetDigests {
  return new Map(
    [...after].map(([name, { desired, digest }]) => {
      const known = before.get(name);
      if (known === undefined || known.digest === digest) return [name, digest];
      return [name, onlySuspends(known.desired.content, desired.content) ? known.digest : digest];
    }),
  );
}

/** The suspension overlay: the fleet with the stricter `mode` and the longer `suspend` of each zone in a held revision. */
function withSuspensionsOf(held: DesiredFleet, fleet: DesiredFleet): DesiredFleet {
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
