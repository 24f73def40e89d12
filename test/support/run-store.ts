import type { AdoptedRule } from "../../src/plan/ownership.ts";
import type { AuthorStore } from "../../src/reconcile/audit/drift-authors.ts";
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

  usedReleases(): readonly string[] {
    return this.#used;
  }

  setUsedReleases(hashes: readonly string[]): void {
    this.#used = hashes;
  }
}
