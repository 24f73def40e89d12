import type { ZoneStatus } from "../state/zone-state.ts";
import { byText } from "../syntax/by-text.ts";
import type { ZoneLabels } from "../zone/desired-zone.ts";
import { type ZoneName, zoneName } from "../zone/zone.ts";
import { recordIn } from "./file/history-lines.ts";
import type { HistoryEntry } from "./history.ts";

/** The last entry of a zone, without its values. */
export interface StoredEntry extends Pick<
  HistoryEntry,
  "at" | "run" | "trigger" | "revision" | "result" | "causes" | "driftedSince" | "failure" | "holds"
> {
  readonly changes: number;
}

/** A zone as the store says. */
export interface StoredZone {
  readonly name: ZoneName;
  /** After the last entry; `unknown` without one. */
  readonly status: ZoneStatus;
  /** As they were at its last run. */
  readonly labels: ZoneLabels;
  /** `undefined`: none is in the lines that were read. */
  readonly entry: StoredEntry | undefined;
}

/** What the store says of the fleet, for a process that does not work. */
export interface StoredFleet {
  /** When the store was read. */
  readonly readAt: Date;
  /** By name; a text: why the store could not be read. */
  readonly zones: readonly StoredZone[] | string;
}

/**
 * The zones of a store, from the last line of each zone in the history, and the names of the zones to which something was
 * applied. A zone that is no longer declared is none of them. Damaged lines and names count as absent.
 */
export function storedZonesFrom(
  lines: readonly string[],
  names: readonly string[],
  labelsOf: (name: ZoneName) => ZoneLabels,
): readonly StoredZone[] {
  const zones = new Map<ZoneName, Omit<StoredZone, "labels">>();
  for (const text of names) {
    const name = zoneName(text);
    if (name !== undefined) zones.set(name, { name, status: "unknown", entry: undefined });
  }
  for (const text of lines) {
    const entry = recordIn({ text });
    if (entry === undefined || !("trigger" in entry)) continue;
    const name = zoneName(entry.zone);
    if (name === undefined) continue;
    if (entry.result === "no_longer_declared") zones.delete(name);
    else zones.set(name, { name, status: entry.status, entry: storedEntryOf(entry) });
  }
  return [...zones.values()]
    .map((zone) => ({ ...zone, labels: labelsOf(zone.name) }))
    .toSorted(byText(({ name }) => name));
}

function storedEntryOf(entry: HistoryEntry): StoredEntry {
  const { at, run, trigger, revision, result, causes, driftedSince, failure, holds } = entry;
  const changes = entry.changes.length;
  return { at, run, trigger, revision, result, causes, driftedSince, failure, holds, changes };
}
