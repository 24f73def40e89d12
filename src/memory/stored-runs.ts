import type { AuthorStore, FoundAuthors } from "../audit/drift-authors.ts";
import type { FormerTerm } from "../audit/own-entries.ts";
import type { AdoptedRule } from "../plan/ownership.ts";
import type { StoredHalt, StoredHold, StoredRollout } from "../reconcile/fleet/desired-fleet.ts";
import type { Moments, WeakenedBy } from "../reconcile/fleet/fleet-past.ts";
import type { Corrections, RunStore } from "../reconcile/run/run-store.ts";
import type { ZoneSteps } from "../reconcile/steps/step-state.ts";
import type { StepStore } from "../reconcile/steps/steps.ts";
import type { Subscriber } from "../state/fleet.ts";
import type { Outcome, ZoneReport } from "../state/run-report.ts";
import type { DifferedSince } from "../state/zone-state-reducer.ts";
import { rayId } from "../zone/audit-entry.ts";
import type { ResourceKey } from "../zone/resource.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import { fleetKeys, remember, rememberChanged, remembered, zoneKeys } from "./state-keys.ts";
import type { StateStore } from "./state-store.ts";
import { storedRollout, storeRollout } from "./stored-rollout.ts";

const allZoneKeys = Object.values(zoneKeys).map(({ key }) => key);

/** Ids of requests that are kept of a zone. */
const maxRays = 50;

function raySent(outcome: Outcome): string {
  switch (outcome.status) {
    case "done":
      return rayId(outcome.ray);
    case "failed":
    case "unknown":
      return rayId(outcome.failure.ray);
    case "skipped":
      return "";
  }
}

/** What runs remember, in the state. */
export class StoredRuns implements RunStore, AuthorStore, StepStore {
  readonly #store: StateStore;
  #earlierRays: ReadonlySet<string> | undefined;

  constructor(store: StateStore) {
    this.#store = store;
  }

  /** Stores labels and since when zones differ, and forgets the zones that are no longer declared. */
  get subscriber(): Subscriber {
    return {
      zone: ({ before, report, after }) => {
        const { name, labels } = after.declared;
        this.#storeRays(name, report);
        rememberChanged(this.#store, zoneKeys.labels, labels, name);
        if (before.driftedSince !== after.driftedSince) {
          remember(this.#store, zoneKeys.drift, after.driftedSince, name);
        }
        if (before.pendingSince !== after.pendingSince) {
          remember(this.#store, zoneKeys.pending, after.pendingSince, name);
        }
      },
      load: () => undefined,
      gone: (zones) => {
        for (const { declared } of zones) {
          for (const key of allZoneKeys) this.#store.set(`${key}${declared.name}`, undefined);
        }
      },
    };
  }

  /** Whether an id is of a request that wrote for a zone lately, before this process too. */
  isEarlierRay(ray: string): boolean {
    const { key, decode } = zoneKeys.rays;
    this.#earlierRays ??= new Set(
      this.#store.keys(key).flatMap((each) => decode(this.#store.get(each))),
    );
    return ray !== "" && this.#earlierRays.has(ray);
  }

  /** So that the next process knows the entries of the audit log that this one made. */
  #storeRays(name: ZoneName, report: ZoneReport): void {
    if (report.result !== "applied") return;
    const rays = report.outcomes.map(raySent).filter((ray) => ray !== "");
    const known = remembered(this.#store, zoneKeys.rays, name);
    remember(this.#store, zoneKeys.rays, [...known, ...rays].slice(-maxRays), name);
  }

  /** What the term before passed on at its end; `undefined` if none did. */
  get formerTerm(): FormerTerm | undefined {
    return remembered(this.#store, fleetKeys.formerTerm);
  }

  setFormerTerm(term: FormerTerm): void {
    remember(this.#store, fleetKeys.formerTerm, term);
  }

  get isWritable(): boolean {
    return this.#store.status.status !== "failing";
  }

  /** The names of the zones of which something is remembered. */
  get names(): readonly ZoneName[] {
    const names = allZoneKeys.flatMap((key) =>
      this.#store.keys(key).map((each) => each.slice(key.length)),
    );
    return [...new Set(names)].toSorted().flatMap((name) => zoneName(name) ?? []);
  }

  applied(name: ZoneName): string {
    return remembered(this.#store, zoneKeys.applied, name);
  }

  setApplied(name: ZoneName, text: string): void {
    remember(this.#store, zoneKeys.applied, text, name);
  }

  adopted(name: ZoneName): readonly AdoptedRule[] {
    return remembered(this.#store, zoneKeys.adopted, name);
  }

  setAdopted(name: ZoneName, rules: readonly AdoptedRule[]): void {
    remember(this.#store, zoneKeys.adopted, rules, name);
  }

  corrections(name: ZoneName): Corrections {
    return remembered(this.#store, zoneKeys.corrections, name);
  }

  setCorrections(name: ZoneName, corrections: Corrections): void {
    remember(this.#store, zoneKeys.corrections, corrections, name);
  }

  authors(zone: ZoneName): ReadonlyMap<ResourceKey, FoundAuthors> {
    return remembered(this.#store, zoneKeys.authors, zone);
  }

  setAuthors(zone: ZoneName, found: ReadonlyMap<ResourceKey, FoundAuthors>): void {
    rememberChanged(this.#store, zoneKeys.authors, found, zone);
  }

  formerDeclarations(name: ZoneName): Moments {
    return remembered(this.#store, zoneKeys.former, name);
  }

  setFormerDeclarations(name: ZoneName, former: Moments): void {
    remember(this.#store, zoneKeys.former, former, name);
  }

  weakened(by: WeakenedBy): Moments<ZoneName> {
    return storedWeakened(this.#store, by);
  }

  setWeakened(by: WeakenedBy, zones: Moments<ZoneName>): void {
    remember(this.#store, fleetKeys.weakened, zones, by);
  }

  usedReleases(): readonly string[] {
    return remembered(this.#store, fleetKeys.usedReleases);
  }

  setUsedReleases(hashes: readonly string[]): void {
    remember(this.#store, fleetKeys.usedReleases, hashes);
  }

  /** Which zones waited for their wave while a revision was active; `undefined`: it is not known. */
  rolloutOf(hash: string): StoredRollout | undefined {
    return storedRollout(this.#store, hash);
  }

  /** @param rollout `undefined`: there are no waves, or it is not known. */
  setRollout(rollout: StoredRollout | undefined): void {
    storeRollout(this.#store, rollout);
  }

  rolloutHalt(): StoredHalt | undefined {
    return remembered(this.#store, fleetKeys.halt);
  }

  setRolloutHalt(halt: StoredHalt | undefined): void {
    rememberChanged(this.#store, fleetKeys.halt, halt);
  }

  /** @param held `undefined`: no revision is held. */
  setHeld(held: StoredHold | undefined): void {
    rememberChanged(this.#store, fleetKeys.held, held);
  }

  steps(name: ZoneName): ZoneSteps {
    return remembered(this.#store, zoneKeys.steps, name);
  }

  setSteps(name: ZoneName, steps: ZoneSteps): void {
    rememberChanged(this.#store, zoneKeys.steps, steps, name);
  }

  /** Forgets all steps: what is stored is older than what this process knew. */
  forgetSteps(): void {
    for (const key of this.#store.keys(zoneKeys.steps.key)) this.#store.set(key, undefined);
  }

  flush(): Promise<boolean> {
    return this.#store.flush();
  }

  /** Since when the zone differs, as it was last seen; `undefined` if it did not. */
  differedSince(zone: string): DifferedSince {
    return {
      drift: remembered(this.#store, zoneKeys.drift, zone),
      pending: remembered(this.#store, zoneKeys.pending, zone),
    };
  }
}

/** When each zone was last weakened without a release, as a state says it. */
export function storedWeakened(store: Pick<StateStore, "get">, by: WeakenedBy): Moments<ZoneName> {
  return new Map(
    [...remembered(store, fleetKeys.weakened, by)].flatMap(([text, at]) => {
      const name = zoneName(text);
      return name === undefined ? [] : [[name, at]];
    }),
  );
}
