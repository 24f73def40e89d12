import { byText } from "../syntax/by-text.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { JudgedTokenUse } from "./audit-status.ts";
import {
  afterInventory,
  type InventoryReport,
  type InventoryState,
  neverRead,
} from "./inventory.ts";
import { isLoaded, type LoadReport } from "./load-report.ts";
import type { ZoneReport } from "./run-report.ts";
import type { ScriptWatch } from "./scripts/script-watch.ts";
import type { StepEvent } from "./step-wait.ts";
import {
  afterReport,
  type DifferedSince,
  changeRecordOf,
  initialState,
  afterDeclaration,
} from "./zone-state-reducer.ts";
import {
  type ChangeRecord,
  type DeclaredZone,
  unlistedZone,
  type ZoneState,
} from "./zone-state.ts";

/** Records of changes that are kept over all zones. */
const recentLimit = 50;

/** How long a removed zone is remembered. */
export const removedShownMs: number = 24 * 3_600_000;

/** A zone that is no longer declared. It is left as it was. */
export interface RemovedZone {
  readonly zone: string;
  readonly at: Date;
}

const notDiffered: DifferedSince = { drift: undefined, pending: undefined };

/** The state of all declared zones, updated by each report. Every value that it gives is an immutable snapshot. */
export class Fleet {
  readonly #differedSince: (zone: string) => DifferedSince;
  readonly #storedScripts: (zone: string) => ScriptWatch | undefined;
  #states = new Map<string, ZoneState>();
  #sorted: readonly ZoneState[] | undefined;
  #load: LoadReport | undefined;
  #loadedAt: Date | undefined;
  #hasActiveRevision = false;
  #recent: readonly ChangeRecord[] = [];
  #removed: readonly RemovedZone[] = [];
  /** Initial inventory state of a newly declared zone. */
  #inventory: InventoryState | undefined;

  /**
   * What the process before this one knew of a zone.
   *
   * @param differedSince since when the zone differed
   * @param storedScripts the last check of its scripts
   */
  constructor(
    differedSince: (zone: string) => DifferedSince = () => notDiffered,
    storedScripts: (zone: string) => ScriptWatch | undefined = () => undefined,
  ) {
    this.#differedSince = differedSince;
    this.#storedScripts = storedScripts;
  }

  /** Declared zones, by name. */
  get zones(): readonly ZoneState[] {
    this.#sorted ??= [...this.#states.values()].toSorted(byText(({ declared }) => declared.name));
    return this.#sorted;
  }

  /** The last load of the files; `undefined` before the first. */
  get load(): LoadReport | undefined {
    return this.#load;
  }

  /** When a load of the files was last `applied` or `unchanged`. */
  get loadedAt(): Date | undefined {
    return this.#loadedAt;
  }

  /** Whether a revision is active: the process is ready. Once one is active, one stays active. */
  get hasActiveRevision(): boolean {
    return this.#hasActiveRevision;
  }

  /** The latest runs with changes, newest first. */
  get recent(): readonly ChangeRecord[] {
    return this.#recent;
  }

  /** The zones that were removed since then, newest first; those of more than a day ago are forgotten. */
  removedSince(since: Date): readonly RemovedZone[] {
    return this.#removed.filter(({ at }) => at >= since);
  }

  /** `undefined`: not declared. */
  zone(name: string): ZoneState | undefined {
    return this.#states.get(name);
  }

  /** Sets the declared zones. Known zones keep their state; returns the states of zones that were removed. */
  declare(zones: readonly DeclaredZone[], at: Date): readonly ZoneState[] {
    const before = this.#states;
    this.#states = new Map(
      zones.map((declared) => {
        const known = this.#states.get(declared.name);
        return [
          declared.name,
          known === undefined
            ? {
                ...initialState(declared, at, this.#differedSince(declared.name)),
                inventory: this.#inventory,
                scripts: this.#storedScripts(declared.name),
              }
            : afterDeclaration(known, declared, at),
        ];
      }),
    );
    const isAsBefore =
      before.size === this.#states.size &&
      this.#states.entries().every(([name, state]) => before.get(name) === state);
    if (isAsBefore) return [];
    this.#sorted = undefined;
    const removed = [...before.values()].filter(({ declared }) => !this.#states.has(declared.name));
    this.#rememberRemoved(
      removed.map(({ declared }) => declared.name),
      at,
    );
    return removed;
  }

  /** Takes in zones that the process before this one managed; returns states of those that are no longer declared. */
  removeUndeclared(names: readonly ZoneName[], at: Date): readonly ZoneState[] {
    const removed = names.filter((name) => !this.#states.has(name));
    this.#rememberRemoved(removed, at);
    return removed.map((name) => initialState(unlistedZone(name), at, notDiffered));
  }

  #rememberRemoved(names: readonly string[], at: Date): void {
    const oldest = Number(at) - removedShownMs;
    this.#removed = [
      ...names.map((zone) => ({ zone, at })),
      ...this.#removed.filter((each) => Number(each.at) >= oldest && !this.#states.has(each.zone)),
    ];
  }

  /** Records a run, and gives what it changed; ignored, and `undefined`, if the zone is no longer declared. */
  recordZone(report: ZoneReport): Pick<ZoneStep, "before" | "after"> | undefined {
    const before = this.#states.get(report.zone);
    if (before === undefined) return undefined;
    const after = afterReport(before, report);
    this.#states.set(report.zone, after);
    this.#sorted = undefined;
    if (report.result === "applied") {
      this.#recent = [changeRecordOf(report), ...this.#recent].slice(0, recentLimit);
    }
    return { before, after };
  }

  /** Records what was read, and gives what was known before. */
  recordInventory(report: InventoryReport): InventoryState | undefined {
    const state = this.#states.get(report.zone);
    if (state === undefined) return undefined;
    const inventory = afterInventory(state.inventory ?? neverRead, report);
    this.#states.set(report.zone, { ...state, inventory });
    this.#sorted = undefined;
    return state.inventory;
  }

  /** Records a check of declared scripts; `undefined`: the zone no longer declares any. */
  recordScripts(zone: string, scripts: ScriptWatch | undefined): void {
    const state = this.#states.get(zone);
    if (state === undefined) return;
    this.#states.set(zone, { ...state, scripts });
    this.#sorted = undefined;
  }

  /** Starts to track inventories, or drops them. */
  followInventory(followed: boolean): void {
    this.#inventory = followed ? neverRead : undefined;
    for (const [name, state] of this.#states) {
      this.#states.set(name, { ...state, inventory: this.#inventory });
    }
    this.#sorted = undefined;
  }

  recordLoad(load: LoadReport): void {
    this.#load = load;
    if (isLoaded(load)) this.#loadedAt = load.at;
    if (isLoaded(load) || load.result === "partial") this.#hasActiveRevision = true;
  }
}

/** A run of a zone, with the state before and after it. */
export interface ZoneStep {
  readonly before: ZoneState;
  readonly report: ZoneReport;
  readonly after: ZoneState;
  /** Uses of our tokens elsewhere about which the run tells; left out: none. */
  readonly tokenUses?: readonly JudgedTokenUse[];
  /** What became of its steps before the run; left out: nothing. */
  readonly stepEvents?: readonly StepEvent[];
}

/** Receives every run and load after the fleet has recorded it. Must not block. */
export interface Subscriber {
  zone(step: ZoneStep): void;
  load(load: LoadReport): void;
  /** Zones are no longer declared; `zones` are their last states, at least one. */
  gone(zones: readonly ZoneState[], load: LoadReport): void;
}
