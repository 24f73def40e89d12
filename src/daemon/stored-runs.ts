import type { RunStore, StoredZone } from "../reconcile/run/run-store.ts";
import type { Subscriber } from "../state/fleet.ts";
import type { StateStore } from "../store/state-store.ts";
import { coerceList, coerceObject, coerceText, coerceTexts } from "../syntax/json.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";

const zonePrefix = "zone/";
const driftPrefix = "drift/";
const releasesKey = "used-releases";

/** What runs remember, as JSON in the state. What is stored wrongly counts as not stored. */
export class StoredRuns implements RunStore {
  readonly #store: StateStore;

  constructor(store: StateStore) {
    this.#store = store;
  }

  /** Stores since when zones drift, and forgets the zones that are no longer declared. */
  get subscriber(): Subscriber {
    return {
      zone: ({ before, after }) => {
        if (before.driftedSince === after.driftedSince) return;
        const moment = after.driftedSince?.toISOString();
        this.#store.set(`${driftPrefix}${after.declared.name}`, moment);
      },
      load: () => undefined,
      gone: (zones) => {
        for (const { declared } of zones) {
          this.#store.set(`${zonePrefix}${declared.name}`, undefined);
          this.#store.set(`${driftPrefix}${declared.name}`, undefined);
        }
      },
    };
  }

  get isWritable(): boolean {
    return this.#store.status.status === "ok";
  }

  /** The names of the zones of which something is remembered. */
  get names(): readonly ZoneName[] {
    const keys = [zonePrefix, driftPrefix].flatMap((prefix) =>
      this.#store.keys(prefix).map((key) => key.slice(prefix.length)),
    );
    return [...new Set(keys)].toSorted().flatMap((key) => zoneName(key) ?? []);
  }

  zone(name: ZoneName): StoredZone | undefined {
    const value = this.#read(`${zonePrefix}${name}`);
    if (value === undefined) return undefined;
    const { converged, corrections } = coerceObject(value);
    return {
      converged: coerceText(converged),
      corrections: new Map(
        Object.entries(coerceObject(corrections)).map(([field, moments]) => [
          field,
          coerceList(moments).filter((moment) => typeof moment === "number"),
        ]),
      ),
    };
  }

  setZone(name: ZoneName, { converged, corrections }: StoredZone): void {
    const stored = { converged, corrections: Object.fromEntries(corrections) };
    this.#store.set(`${zonePrefix}${name}`, JSON.stringify(stored));
  }

  usedReleases(): readonly string[] {
    return coerceTexts(this.#read(releasesKey));
  }

  setUsedReleases(hashes: readonly string[]): void {
    this.#store.set(releasesKey, JSON.stringify(hashes));
  }

  /** Since when the zone has drifted, as it was last seen; `undefined` where it had not. */
  driftedSince(zone: string): Date | undefined {
    const moment = new Date(this.#store.get(`${driftPrefix}${zone}`) ?? "");
    return Number.isNaN(Number(moment)) ? undefined : moment;
  }

  #read(key: string): unknown {
    const text = this.#store.get(key);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }
}
