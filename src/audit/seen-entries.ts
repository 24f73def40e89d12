import type { AuditEntry } from "../zone/audit-entry.ts";

/** Ids that are remembered for an account. A read brings fewer, so that a flood cannot make entries new again. */
const maxIds = 20_000;

/** The entries of an account that were seen, so that each counts once: reads overlap, and entries are repeated. */
export class SeenEntries {
  /** The content of entries by id, in the order in which they were seen. */
  readonly #contents = new Map<string, string>();

  /** Takes in a read; gives what was not seen before, and the number of entries with a known id and other content. */
  add(entries: readonly AuditEntry[]): {
    readonly entries: readonly AuditEntry[];
    readonly contradictory: number;
  } {
    const found: AuditEntry[] = [];
    let contradictory = 0;
    for (const entry of entries) {
      const known = this.#contents.get(entry.id);
      const content = `${entry.at.toISOString()} ${entry.zoneId} ${entry.path}`;
      if (known === undefined) {
        found.push(entry);
        this.#contents.set(entry.id, content);
      } else if (known !== content) contradictory += 1;
    }
    for (const id of this.#contents.keys()) {
      if (this.#contents.size <= maxIds) break;
      this.#contents.delete(id);
    }
    return { entries: found, contradictory };
  }
}
