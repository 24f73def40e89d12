import type { LoadResult } from "../../state/load-report.ts";
import type { DesiredState, Revision, Select } from "../../zone/desired-state.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { internalError } from "../../zone/internal-error.ts";
import type { KnownZones, ZoneName } from "../../zone/zone.ts";
import type { Steps } from "../steps/steps.ts";
import {
  digestOf,
  declaredIn,
  desiredFleet,
  type DesiredFleet,
  type FleetZone,
  noFleet,
  type RoundProgress,
} from "./desired-fleet.ts";
import type { Candidate, FleetHold, RevisionJudgement } from "./fleet-guard.ts";
import type { FleetPast } from "./fleet-past.ts";
import type { Rollout, RolloutView } from "./rollout.ts";
import { comparedDigests, type ComparedZones, withSuspensionOf } from "./suspension-overlay.ts";

/** The result of one load of the files. */
export interface Loaded {
  readonly result: LoadResult;
  readonly state: DesiredState;
  /** Of the files, and of their selectors in the zone listing. */
  readonly diagnostics: readonly Diagnostic[];
  /** The active fleet after the load. */
  readonly fleet: DesiredFleet;
  /** What is active after the load: that of `state` unless it is held or rejected; "" before the first. */
  readonly active: Revision;
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

/** A judged load with what became of the rollout. */
export interface ReportedLoad extends JudgedLoad {
  readonly rollout: RolloutView;
}

/** The first round: a `FleetRound`. */
export interface FirstRound {
  /** Whether it keeps no zone of this name from being written. */
  isLetPass: (name: ZoneName) => boolean;
}

/** The revision that zones are reconciled against, and its zones. */
export class ActiveRevision {
  readonly #select: Select;
  #latest: DesiredState | undefined;
  #latestUsable: DesiredState | undefined;
  #activated: DesiredState | undefined;
  /** The listing in which its zones were found. */
  #listed: KnownZones | undefined;
  /** Its zones in that listing. */
  #found: DesiredFleet = noFleet;
  /** What a new revision is compared with: the zones that are found, and those that were found when it became active. */
  #compared: ComparedZones = new Map();
  /** Whether the active revision comes from the stored state and was not loaded from the files yet. */
  #isRestored = false;
  /** The revision that is held, and its zones; its suspensions are active. */
  #held: { readonly revision: string; readonly zones: DesiredFleet["zones"] } | undefined;
  /** What of a revision is planned before it becomes active. */
  #staged: { readonly state: DesiredState; readonly zones: DesiredFleet["zones"] } | undefined;
  readonly #past: Pick<FleetPast, "leftForce">;
  readonly #round: FirstRound;
  readonly #rollout: Rollout;
  readonly #steps: Pick<Steps, "declare" | "atSteps"> | undefined;
  /** Revisions that declare what was in force in zones that wait since before this process began, by their hashes. */
  #earlier: ReadonlyMap<string, DesiredState> = new Map();
  /** The zones that are found, with what is in force in each, its steps, and the suspensions of a held revision. */
  #fleet: DesiredFleet = noFleet;

  /** @param steps `undefined`: the steps of objects are not known. */
  constructor(
    select: Select,
    past: Pick<FleetPast, "leftForce">,
    round: FirstRound,
    rollout: Rollout,
    steps?: Pick<Steps, "declare" | "atSteps">,
  ) {
    this.#select = select;
    this.#past = past;
    this.#round = round;
    this.#rollout = rollout;
    this.#steps = steps;
  }

  /** The zones to reconcile. */
  get fleet(): DesiredFleet {
    return this.#fleet;
  }

  /** The revision that a zone is planned against: while a new one is judged, its zones are planned against that. */
  revisionOf(zone: ZoneName): Revision {
    const staged = this.#staged?.zones.has(zone) === true ? this.#staged.state : undefined;
    return staged ?? this.#rollout.beforeOf(zone)?.revision ?? this.active;
  }

  /** What is active: its revision is "" before the first. */
  get active(): Revision {
    return this.#activated ?? noRevision;
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
   *
   * @param earlier revisions that are in force in zones that wait for their wave, by their hashes.
   */
  restore(state: DesiredState, earlier: ReadonlyMap<string, DesiredState> = new Map()): void {
    this.#activated = state;
    this.#earlier = earlier;
    this.#isRestored = true;
    this.#compared = withoutListing(state.documents);
  }

  /**
   * Makes a revision active, unless nothing of it is usable, or the fleet guard holds it. Suspending zones is never held: a
   * revision that only does that is applied, and the suspensions of a held one are active.
   */
  activate(
    state: DesiredState,
    listed: KnownZones | undefined,
    judge: (candidate: Candidate) => RevisionJudgement,
  ): Loaded {
    this.#latest = state;
    this.#staged = undefined;
    this.#findIn(listed);
    this.#rollout.begin();
    if (!state.usable) return this.#keep("rejected", state, this.#found.diagnostics);
    this.#latestUsable = state;
    if (this.#isRestored && listed === undefined) return this.#keep("unchanged", state, []);
    const isNew = state.hash !== this.#activated?.hash;
    // Also equal files replace restored ones: what the disk says may be written whole.
    const isReplacing = isNew || this.#isRestored;
    const next = isReplacing ? desiredFleet(this.#select, state, listed) : this.#found;
    if (state.documents.length === 0 && this.#compared.size > 0) {
      return this.#keep("rejected", state, [noZoneDeclared(this.#compared.size)]);
    }
    const judgement = isNew ? this.#judge(state, next, judge) : passed;
    if (judgement.result === "planning") return this.#keep("unchanged", state, next.diagnostics);
    if (judgement.result === "held") {
      this.#held = { revision: state.revision, zones: next.zones };
      return this.#keep("held", state, next.diagnostics, judgement.hold);
    }
    this.#replace(state, next, isNew);
    const diagnostics = [...state.diagnostics, ...next.diagnostics];
    const result = diagnostics.some(isError) ? "partial" : isNew ? "applied" : "unchanged";
    return { result, state, diagnostics, fleet: this.#fleet, active: state, hold: undefined };
  }

  /** Leaves the active revision as it is after an exception in {@link activate}. */
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
    const fleet = this.#inForce(this.#found);
    const staged = [...(this.#staged?.zones ?? [])].map(([name, zone]): [ZoneName, FleetZone] => [
      name,
      this.#steps?.atSteps(name, zone) ?? zone,
    ]);
    this.#fleet =
      staged.length === 0 ? fleet : { ...fleet, zones: new Map([...fleet.zones, ...staged]) };
    return {
      result,
      state,
      diagnostics: [...state.diagnostics, ...found],
      fleet: this.#fleet,
      active: this.active,
      hold,
    };
  }

  /** Declared zones with what is in force in each. The steps come last: they are those of whatever else is in force. */
  #inForce(found: DesiredFleet): DesiredFleet {
    const inForce = this.#rollout.inForce(found);
    const fleet = this.#held === undefined ? inForce : withHeld(this.#held, inForce);
    return this.#steps?.declare(fleet) ?? fleet;
  }

  /**
   * Finds the active zones in another listing. Zones that it no longer shows are still compared: otherwise a held revision
   * would pass at a moment when a credential sees few zones, and be active when it sees all again.
   */
  #findIn(listed: KnownZones | undefined): void {
    if (listed === this.#listed) return;
    this.#listed = listed;
    if (this.#activated === undefined) return;
    const [zones, revision] = [this.#compared, this.#activated];
    this.#found = desiredFleet(this.#select, revision, listed);
    this.#compared = new Map([...zones, ...this.#found.zones]);
    this.#declare(revision, this.#found, { zones, revision }, false);
  }

  /** Lets zones wait that are declared otherwise than before. */
  #declare(
    { hash: revision, documents }: DesiredState,
    fleet: DesiredFleet,
    before: { readonly zones: ComparedZones; readonly revision: Revision },
    isNew: boolean,
  ): void {
    const listed = this.#listed;
    if (listed === undefined) return;
    const found = new Map<string, DesiredFleet>();
    this.#rollout.declare({
      revision,
      fleet,
      absent: absentIn(fleet, documents),
      isAllListed: listed.unlisted.length === 0,
      isNew,
      before: (name) => {
        const known = before.zones.get(name);
        if (known === undefined) return undefined;
        const isSame = known.digest === fleet.zones.get(name)?.digest;
        // A declaration for which the first round did not let the zone pass was never in force.
        const isInForce = isSame || this.#round.isLetPass(name);
        return isInForce ? { ...known, revision: before.revision } : undefined;
      },
      restored: (name, hash) => {
        const earlier = this.#earlier.get(hash);
        if (earlier === undefined) return undefined;
        const zones = found.get(hash) ?? desiredFleet(this.#select, earlier, listed);
        found.set(hash, zones);
        const zone = zones.zones.get(name);
        return zone && { ...zone, revision: earlier };
      },
    });
  }

  #judge(
    state: DesiredState,
    next: DesiredFleet,
    judge: (candidate: Candidate) => RevisionJudgement,
  ): RevisionJudgement {
    const before = this.#compared;
    if (before.size === 0) return passed;
    const after = comparedDigests(before, next.zones, (name, digest) =>
      this.#rollout.wasInForce(name, digest),
    );
    const changed = [...next.zones].filter(
      ([name, { digest }]) =>
        before.get(name)?.digest !== after.get(name) && !this.#rollout.wasInForce(name, digest),
    );
    const zones = new Map(changed);
    const judgement = judge({ revision: state, before, after, zones, declared: declaredIn(next) });
    if (judgement.result === "planning") this.#staged = { state, zones };
    return judgement;
  }

  /**
   * Makes a revision active, except in zones that wait for their wave, and remembers what of the active one was in force and
   * is not any more.
   */
  #replace(state: DesiredState, next: DesiredFleet, isNew: boolean): void {
    this.#rollout.activate(state.hash);
    if (isNew || this.#isRestored) {
      const before = { zones: this.#compared, revision: this.active };
      const inForce = [...before.zones].filter(([name]) => !this.#rollout.isWaiting(name));
      this.#declare(state, next, before, isNew);
      for (const [name, { digest }] of inForce) {
        const zone = next.zones.get(name);
        if (zone === undefined || zone.digest === digest || this.#rollout.isWaiting(name)) continue;
        if (this.#round.isLetPass(name)) this.#past.leftForce(name, digest);
      }
      this.#compared = next.zones;
    }
    this.#activated = state;
    this.#found = next;
    this.#isRestored = false;
    this.#held = undefined;
    this.#fleet = this.#inForce(next);
  }
}

const noRevision: Revision = { revision: "", hash: "", declaredHash: "" };

const passed: RevisionJudgement = { result: "passed" };

/** What documents declare of the zones that they name. What needs the listing is not known before it. */
function withoutListing(documents: readonly ZoneDocument[]): ComparedZones {
  return new Map(
    documents.flatMap(({ target, content, needsListing }) =>
      target.by === "name" && needsListing !== true
        ? [[target.name, { desired: { content }, digest: digestOf(content) }]]
        : [],
    ),
  );
}

function absentIn(
  { missing }: DesiredFleet,
  documents: readonly ZoneDocument[],
): ReadonlyMap<ZoneName, string | undefined> {
  if (missing.size === 0) return new Map();
  const named = withoutListing(documents);
  return new Map([...missing.keys()].map((name) => [name, named.get(name)?.digest]));
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

/**
 * The fleet with what a held revision declares of each zone. The stricter `mode` and the longer `suspend` of that are
 * active: the suspension overlay.
 */
function withHeld(
  held: { readonly revision: string; readonly zones: DesiredFleet["zones"] },
  fleet: DesiredFleet,
): DesiredFleet {
  const zones = [...fleet.zones].map(([name, zone]): [typeof name, FleetZone] => {
    const next = held.zones.get(name);
    const { desired, wave = zone } = zone;
    if (next === undefined || next.digest === wave.digest) return [name, zone];
    const content = withSuspensionOf(desired.content, next.desired.content);
    const digest = content === desired.content ? zone.digest : digestOf(content);
    const declaration = {
      content: next.desired.content,
      digest: next.digest,
      revision: held.revision,
    };
    return [name, { ...zone, desired: { ...desired, content }, digest, held: declaration }];
  });
  return { ...fleet, zones: new Map(zones) };
}
