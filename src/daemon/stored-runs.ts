import type { AdoptedRule } from "../plan/ownership.ts";
import type { AuthorStore, FoundAuthors } from "../reconcile/audit/drift-authors.ts";
import type { Corrections, RunStore } from "../reconcile/run/run-store.ts";
import { authorFrom } from "../render/history-json.ts";
import { authorsJson } from "../render/plan-json.ts";
import type { Subscriber } from "../state/fleet.ts";
import type { DifferedSince } from "../state/zone-state-reducer.ts";
import type { StateStore } from "../store/state-store.ts";
import {
  coerceDate,
  coerceList,
  coerceObject,
  coerceObjects,
  coerceText,
  coerceTexts,
  parseJson,
} from "../syntax/json.ts";
import { kinds, type ResourceKey } from "../zone/resource.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import { adoptedKey, adoptedPrefix, adoptedRulesIn, adoptedRulesText } from "./stored-ownership.ts";

const appliedPrefix = "applied/";
const correctionsPrefix = "corrections/";
const authorsPrefix = "authors/";
const driftPrefix = "drift/";
const pendingPrefix = "pending/";
/** Of what is remembered of one zone. */
const zonePrefixes = [
  adoptedPrefix,
  appliedPrefix,
  correctionsPrefix,
  authorsPrefix,
  driftPrefix,
  pendingPrefix,
] as const;
const releasesKey = "used-releases";

/** The key of what was last applied to a zone. */
export function appliedKey(zone: ZoneName): string {
  return `${appliedPrefix}${zone}`;
}

/** What runs remember, as JSON in the state. What is stored wrongly counts as not stored. */
export class StoredRuns implements RunStore, AuthorStore {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  /** Stores since when zones differ, and forgets the zones that are no longer declared. */
  get subscriber(): Subscriber {
    return {
      zone: ({ before, after }) => {
        const { name } = after.declared;
        if (before.driftedSince !== after.driftedSince) {
          this.#store.set(`${driftPrefix}${name}`, after.driftedSince?.toISOString());
        }
        if (before.pendingSince !== after.pendingSince) {
          this.#store.set(`${pendingPrefix}${name}`, after.pendingSince?.toISOString());
        }
      },
      load: () => undefined,
      gone: (zones) => {
        const keys = zones.flatMap(({ declared: { name } }) =>
          zonePrefixes.map((prefix) => `${prefix}${name}`),
        );
        for (const key of keys) this.#store.set(key, undefined);
      },
    };
  }

  get isWritable(): boolean {
    return this.#store.status.status === "ok";
  }

  /** The names of the zones of which something is remembered. */
  get names(): readonly ZoneName[] {
    const keys = zonePrefixes.flatMap((prefix) =>
      this.#store.keys(prefix).map((key) => key.slice(prefix.length)),
    );
    return [...new Set(keys)].toSorted().flatMap((key) => zoneName(key) ?? []);
  }

  applied(name: ZoneName): string {
    return this.#store.get(appliedKey(name)) ?? "";
  }

  setApplied(name: ZoneName, text: string): void {
    this.#store.set(appliedKey(name), text);
  }

  adopted(name: ZoneName): readonly AdoptedRule[] {
    return adoptedRulesIn(this.#store.get(adoptedKey(name)));
  }

  setAdopted(name: ZoneName, rules: readonly AdoptedRule[]): void {
    this.#store.set(adoptedKey(name), adoptedRulesText(rules));
  }

  corrections(name: ZoneName): Corrections {
    const stored = coerceObject(this.#read(`${correctionsPrefix}${name}`));
    return new Map(
      Object.entries(stored).map(([field, moments]) => [
        field,
        coerceList(moments).filter((moment) => typeof moment === "number"),
      ]),
    );
  }

  setCorrections(name: ZoneName, corrections: Corrections): void {
    const text = JSON.stringify(Object.fromEntries(corrections));
    this.#store.set(`${correctionsPrefix}${name}`, corrections.size === 0 ? undefined : text);
  }

  authors(zone: ZoneName): ReadonlyMap<ResourceKey, FoundAuthors> {
    const stored = coerceObject(this.#read(`${authorsPrefix}${zone}`));
    const keys = Object.keys(stored).filter((key): key is ResourceKey =>
      kinds.some((kind) => key.startsWith(`${kind}/`)),
    );
    return new Map(
      keys.map((key) => {
        const { drift, authors } = coerceObject(stored[key]);
        return [
          key,
          { drift: coerceText(drift), authors: coerceObjects(authors).flatMap(authorFrom) },
        ];
      }),
    );
  }

  setAuthors(zone: ZoneName, found: ReadonlyMap<ResourceKey, FoundAuthors>): void {
    const key = `${authorsPrefix}${zone}`;
    const stored = [...found].map(([name, { drift, authors }]) => [
      name,
      { drift, ...authorsJson({ authors }) },
    ]);
    const text = found.size === 0 ? undefined : JSON.stringify(Object.fromEntries(stored));
    if (text !== this.#store.get(key)) this.#store.set(key, text);
  }

  usedReleases(): readonly string[] {
    return coerceTexts(this.#read(releasesKey));
  }

  setUsedReleases(hashes: readonly string[]): void {
    this.#store.set(releasesKey, JSON.stringify(hashes));
  }

  /** Since when the zone differs, as it was last seen; `undefined` where it did not. */
  differedSince(zone: string): DifferedSince {
    return {
      drift: coerceDate(this.#store.get(`${driftPrefix}${zone}`)),
      pending: coerceDate(this.#store.get(`${pendingPrefix}${zone}`)),
    };
  }

  #read(key: string): unknown {
    const text = this.#store.get(key);
    return text === undefined ? undefined : parseJson(text);
  }
}
