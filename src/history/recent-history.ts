import type { ZoneStep } from "../state/fleet.ts";
import type { LoadReport } from "../state/load-report.ts";
import type { ZoneReport } from "../state/run-report.ts";
import type { ZoneState } from "../state/zone-state.ts";
import { historyJson } from "./history-json.ts";
import {
  type HistoryEntry,
  historyEntryOf,
  type HistoryView,
  isNews,
  removalEntryOf,
  undeclaredEntryOf,
} from "./history.ts";

interface SizedEntry {
  readonly entry: HistoryEntry;
  /** Characters of JSON. */
  readonly size: number;
  /** All of its zone, oldest first. */
  readonly ofZone: SizedEntry[];
}

/** The latest entries of all zones together, up to a limit: the oldest are dropped first. */
export class RecentHistory implements HistoryView {
  readonly #limit: number;
  readonly #byZone = new Map<string, SizedEntry[]>();
  /** The last entry of each zone, even after it is dropped: a new entry must differ from it. */
  readonly #last = new Map<string, HistoryEntry>();
  /** Oldest first. */
  readonly #entries = new Set<SizedEntry>();
  #size = 0;

  /** `limit`: characters of the entries as JSON. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  of(zone: string): readonly HistoryEntry[] {
    return (this.#byZone.get(zone) ?? []).map(({ entry }) => entry);
  }

  /**
   * Records a run and returns its entry; `undefined`: it has nothing new.
   *
   * @param isKept records it in any case.
   */
  record(step: ZoneStep, isKept = false): HistoryEntry | undefined {
    const entry = historyEntryOf(step);
    if (!isKept && !isNews(entry, this.#last.get(entry.zone))) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Records that a zone is no longer declared and returns the entry; `undefined`: the zone has no history. */
  recordRemoval(before: ZoneState, load: LoadReport): HistoryEntry | undefined {
    const entry = removalEntryOf(before, load);
    if (!this.#last.has(entry.zone)) return undefined;
    this.restore(entry);
    return entry;
  }

  /** Records a run of a zone that was removed from the files while it ran. */
  recordUndeclared(report: ZoneReport): HistoryEntry {
    const entry = undeclaredEntryOf(report);
    this.restore(entry);
    return entry;
  }

  /** Adds an entry of the history file. */
  restore(entry: HistoryEntry): void {
    const ofZone = this.#byZone.get(entry.zone) ?? [];
    const sized = { entry, size: JSON.stringify(historyJson(entry)).length, ofZone };
    ofZone.push(sized);
    this.#byZone.set(entry.zone, ofZone);
    this.#last.set(entry.zone, entry);
    this.#entries.add(sized);
    this.#size += sized.size;
    for (const oldest of this.#entries) {
      if (this.#size <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  #drop(oldest: SizedEntry): void {
    this.#entries.delete(oldest);
    this.#size -= oldest.size;
    oldest.ofZone.shift();
  }
}
