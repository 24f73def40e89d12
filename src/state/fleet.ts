import { byText } from "../syntax/by-text.ts";
import {
  afterInventory,
  type InventoryReport,
  type InventoryState,
  neverRead,
} from "./inventory.ts";
import { isLoaded, type LoadReport } from "./load-report.ts";
import type { ZoneReport } from "./run-report.ts";
import { afterReport, changeRecordOf, initialState, redeclared } from "./zone-state-reducer.ts";
import type { ChangeRecord, DeclaredZone, ZoneState } from "./zone-state.ts";

/** Changes that the fleet remembers over all zones. */
const recentLimit = 50;

/** The fleet as metrics and pages read it: every value is a snapshot that nothing alters. */
export interface FleetView {
  /** Declared zones, by name. */
  readonly zones: readonly ZoneState[];
  /** `undefined`: not declared. */
  zone(name: string): ZoneState | undefined;
  /** The last reading of the files; `undefined` before the first. */
  readonly load: LoadReport | undefined;
  /** When a load of the files was last `applied` or `unchanged`. */
  readonly loadedAt: Date | undefined;
  /** Whether a revision is active: the process is ready. Once one is active, one stays active. */
  readonly hasActiveRevision: boolean;
  /** Runs that changed something, over all zones, latest first, bounded. */
  readonly recent: readonly ChangeRecord[];
}

/** The state of all declared zones, folded from reports in the order in which they come. */
export class Fleet implements FleetView {
  #states = new Map<string, ZoneState>();
  #sorted: readonly ZoneState[] | undefined;
  #load: LoadReport | undefined;
  #loadedAt: Date | undefined;
  #hasActiveRevision = false;
  #recent: readonly ChangeRecord[] = [];
  /** Of a zone that is declared from now on. */
  #inventory: InventoryState | undefined;

  get zones(): readonly ZoneState[] {
    this.#sorted ??= [...this.#states.values()].toSorted(byText(({ declared }) => declared.name));
    return this.#sorted;
  }

  get load(): LoadReport | undefined {
    return this.#load;
  }

  get loadedAt(): Date | undefined {
    return this.#loadedAt;
  }

  get hasActiveRevision(): boolean {
    return this.#hasActiveRevision;
  }

  get recent(): readonly ChangeRecord[] {
    return this.#recent;
  }

  zone(name: string): ZoneState | undefined {
    return this.#states.get(name);
  }

  /** Says which zones are declared now: what is known of these is kept, of others forgotten and given back. */
  declare(zones: readonly DeclaredZone[], at: Date): readonly ZoneState[] {
    const before = this.#states;
    this.#states = new Map(
      zones.map((declared) => {
        const known = this.#states.get(declared.name);
        return [
          declared.name,
          known === undefined
            ? { ...initialState(declared, at), inventory: this.#inventory }
            : redeclared(known, declared, at),
        ];
      }),
    );
    const isAsBefore =
      before.size === this.#states.size &&
      this.#states.entries().every(([name, state]) => before.get(name) === state);
    if (isAsBefore) return [];
    this.#sorted = undefined;
    return [...before.values()].filter(({ declared }) => !this.#states.has(declared.name));
  }

  /** Takes in what a run of a zone came to; a zone that is not declared any more is passed over. */
  recordZone(report: ZoneReport): void {
    const state = this.#states.get(report.zone);
    if (state === undefined) return;
    this.#states.set(report.zone, afterReport(state, report));
    this.#sorted = undefined;
    if (report.result === "applied") {
      this.#recent = [changeRecordOf(report), ...this.#recent].slice(0, recentLimit);
    }
  }

  /** Takes in what a look at a zone's inventory came to. */
  recordInventory(report: InventoryReport): void {
    const state = this.#states.get(report.zone);
    if (state === undefined) return;
    const inventory = afterInventory(state.inventory ?? neverRead, report);
    this.#states.set(report.zone, { ...state, inventory });
    this.#sorted = undefined;
  }

  /** Begins to follow inventories, or forgets them: nobody looks any more. */
  followInventory(followed: boolean): void {
    this.#inventory = followed ? neverRead : undefined;
    for (const [name, state] of this.#states) {
      this.#states.set(name, { ...state, inventory: this.#inventory });
    }
    this.#sorted = undefined;
  }

  /** Takes in what a load of the files came to. */
  recordLoad(load: LoadReport): void {
    this.#load = load;
    if (isLoaded(load)) this.#loadedAt = load.at;
    if (isLoaded(load) || load.result === "partial") this.#hasActiveRevision = true;
  }
}

/** One run of a zone, with what was known of the zone before it and what is known after it. */
export interface ZoneStep {
  readonly before: ZoneState;
  readonly report: ZoneReport;
  readonly after: ZoneState;
}

/** Someone who hears of every run and of every reading of the files, once the fleet has taken it in. Never waited for. */
export interface Subscriber {
  zone(step: ZoneStep): void;
  load(load: LoadReport): void;
  /** A zone is no longer among those declared; this is what was known of it last. */
  gone(before: ZoneState, load: LoadReport): void;
}
