import { historyJson } from "../render/history-json.ts";
import type { ZoneStep } from "../state/fleet.ts";
import {
  type HistoryEntry,
  historyEntryOf,
  type HistoryView,
  isNews,
  removalEntryOf,
} from "../state/history.ts";
import type { LoadReport } from "../state/load-report.ts";
import type { ZoneState } from "../state/zone-state.ts";

interface Kept {
  readonly entry: HistoryEntry;
  readonly size: number;
}

/** The latest entries of all zones together, as many as fit into a bound: the oldest go first. */
export class RecentHistory implements HistoryView {
  readonly #limit: number;
  readonly #byZone = new Map<string, Kept[]>();
  /** Outlives what had to go: what is news is told by it. */
  readonly #last = new Map<string, HistoryEntry>();
  /** Zones in the order of their entries. */
  #order: string[] = [];
  #gone = 0;
  #size = 0;

  /** `limit`: characters of the entries as JSON. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  of(zone: string): readonly HistoryEntry[] {
    return (this.#byZone.get(zone) ?? []).map(({ entry }) => entry);
  }

  /** Takes in a run, and gives the entry that it makes; `undefined` where it tells nothing new. */
  record(step: ZoneStep): HistoryEntry | undefined {
    const entry = historyEntryOf(step);
    if (!isNews(entry, this.#last.get(entry.zone))) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Takes in that a zone has left the files, and gives the entry; `undefined` where history knows nothing of it. */
  recordDeparture(before: ZoneState, load: LoadReport): HistoryEntry | undefined {
    const entry = removalEntryOf(before, load);
    if (!this.#last.has(entry.zone)) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Takes in what was kept before. */
  restore(entry: HistoryEntry): void {
    const size = JSON.stringify(historyJson(entry)).length;
    const kept = this.#byZone.get(entry.zone) ?? [];
    kept.push({ entry, size });
    this.#byZone.set(entry.zone, kept);
    this.#last.set(entry.zone, entry);
    this.#order.push(entry.zone);
    this.#size += size;
    while (this.#size > this.#limit) this.#dropOldest();
  }

  #dropOldest(): void {
    const zone = this.#order[this.#gone] ?? "";
    const kept = this.#byZone.get(zone) ?? [];
    this.#size -= kept.shift()?.size ?? 0;
    if (kept.length === 0) this.#byZone.delete(zone);
    this.#gone += 1;
    if (this.#gone * 2 < this.#order.length) return;
    this.#order = this.#order.slice(this.#gone);
    this.#gone = 0;
  }
}
