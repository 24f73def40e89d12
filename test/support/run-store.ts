import type { AuthorStore } from "../../src/audit/drift-authors.ts";
import type { AdoptedRule } from "../../src/plan/ownership.ts";
import type { StoredHalt } from "../../src/reconcile/fleet/desired-fleet.ts";
import type { Moments, WeakenedBy } from "../../src/reconcile/fleet/fleet-past.ts";
import type { Corrections, RunStore } from "../../src/reconcile/run/run-store.ts";
import type { ZoneName } from "../../src/zone/zone.ts";

const none: readonly AdoptedRule[] = [];

/** Remembers no authors. */
export const noAuthors: AuthorStore = { authors: () => new Map(), setAuthors: () => undefined };

/** Remembers in memory what a state directory would. */
export class MemoryRunStore implements RunStore {
  isWritable = true;
  readonly texts = new Map<ZoneName, string>();
  readonly #adopted = new Map<ZoneName, readonly AdoptedRule[]>();
  readonly #corrections = new Map<ZoneName, Corrections>();
  #used: readonly string[] = [];

  applied(name: ZoneName): string {
    return this.texts.get(name) ?? "";
  }

  setApplied(name: ZoneName, text: string): void {
    this.texts.set(name, text);
  }

  adopted(name: ZoneName): readonly AdoptedRule[] {
    return this.#adopted.get(name) ?? none;
  }

  setAdopted(name: ZoneName, rules: readonly AdoptedRule[]): void {
    this.#adopted.set(name, rules);
  }

  corrections(name: ZoneName): Corrections {
    return this.#corrections.get(name) ?? new Map();
  }

  setCorrections(name: ZoneName, corrections: Corrections): void {
    this.#corrections.set(name, corrections);
  }

  readonly #former = new Map<ZoneName, Moments>();
  readonly #weakened = new Map<WeakenedBy, Moments<ZoneName>>();

  formerDeclarations(name: ZoneName): Moments {
    return this.#former.get(name) ?? new Map();
  }

  setFormerDeclarations(name: ZoneName, former: Moments): void {
    this.#former.set(name, former);
  }

  weakened(cause: WeakenedBy): Moments<ZoneName> {
    return this.#weakened.get(cause) ?? new Map();
  }

  setWeakened(cause: WeakenedBy, zones: Moments<ZoneName>): void {
    this.#weakened.set(cause, zones);
  }

  usedReleases(): readonly string[] {
    return this.#used;
  }

  #halt: StoredHalt | undefined;

  rolloutHalt(): StoredHalt | undefined {
    return this.#halt;
  }

  setRolloutHalt(halt: StoredHalt | undefined): void {
    this.#halt = halt;
  }

  setUsedReleases(hashes: readonly string[]): void {
    this.#used = hashes;
  }
}
