import type { AuditEntry } from "../zone/audit-entry.ts";
import type { ZoneName } from "../zone/zone.ts";

/** Entries that are kept of all zones: a flood does not take more memory. */
const maxEntries = 10_000;

/** Entries that are kept of one zone: a flood in one zone does not push out those of others. */
const maxOfZone = 200;

interface KnownWrite {
  readonly entry: AuditEntry;
  /** When the log was read that had it. */
  readonly seenAt: Date;
}

/** The entries of the audit log that say what was written in a zone, as long as they can explain drift; the newest of many. */
export class KnownWrites {
  /** In the order in which the zones were seen last. */
  readonly #zones = new Map<ZoneName, readonly KnownWrite[]>();
  /** When entries of a zone were last left out. */
  readonly #cutAt = new Map<ZoneName, Date>();
  #count = 0;

  /** Takes in the entries of a zone that were read at a moment. */
  add(zone: ZoneName, entries: readonly AuditEntry[], seenAt: Date): void {
    const written = entries.filter(({ wrote }) => wrote !== undefined);
    if (written.length === 0) return;
    const found = written.map((entry) => ({ entry, seenAt }));
    const all = [...(this.#zones.get(zone) ?? []), ...found];
    const kept = all.slice(-maxOfZone);
    if (kept.length < all.length) this.#cutAt.set(zone, seenAt);
    this.#drop(zone);
    this.#zones.set(zone, kept);
    this.#count += kept.length;
    for (const oldest of this.#zones.keys()) {
      if (this.#count <= maxEntries) break;
      this.#drop(oldest);
      this.#cutAt.set(oldest, seenAt);
    }
  }

  /**
   * The entries of a zone since a moment, in the order of their times. What was read before it happened before it, whatever
   * the clocks say.
   */
  since(zone: ZoneName, moment: Date): readonly AuditEntry[] {
    return (this.#zones.get(zone) ?? [])
      .filter(({ entry, seenAt }) => seenAt >= moment && entry.at > moment)
      .map(({ entry }) => entry)
      .toSorted((a, b) => Number(a.at) - Number(b.at));
  }

  /** Whether all entries of a zone since a moment were kept. */
  isCompleteSince(zone: ZoneName, moment: Date): boolean {
    const cutAt = this.#cutAt.get(zone);
    return cutAt === undefined || cutAt < moment;
  }

  /** The zones of which something is kept. */
  get names(): readonly ZoneName[] {
    return [...new Set([...this.#zones.keys(), ...this.#cutAt.keys()])];
  }

  forget(zone: ZoneName): void {
    this.#drop(zone);
    this.#cutAt.delete(zone);
  }

  #drop(zone: ZoneName): void {
    this.#count -= this.#zones.get(zone)?.length ?? 0;
    this.#zones.delete(zone);
  }
}
