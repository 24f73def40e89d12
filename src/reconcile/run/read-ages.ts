import type { ReadTimes, Written } from "../../zone/ports.ts";
import { partOf, type Write, type ZonePart } from "../../zone/write.ts";

/** When what the writes of a run rely on was read, by the monotonic clock. */
export class ReadAges {
  readonly #parts: Partial<Record<ZonePart, number | undefined>>;
  /** Policies that a later answer showed alone, by id. */
  readonly #policies = new Map<string, number>();

  constructor(readAt: ReadTimes) {
    this.#parts = { ...readAt };
  }

  /**
   * When what a write relies on was read. An update of a policy relies on that policy; a create and a delete rely on the
   * list, which shows what else has the same mark.
   */
  readAtFor(write: Write): number {
    const part = this.#parts[partOf(write)] ?? Number.NEGATIVE_INFINITY;
    if (write.call !== "update-policy") return part;
    return Math.max(part, this.#policies.get(write.id) ?? Number.NEGATIVE_INFINITY);
  }

  /** Takes in the answer to a write. An answer about one policy says nothing about the others. */
  renew(write: Write, { readAt, shows }: Pick<Written, "readAt" | "shows">): void {
    if (shows === "part") this.#parts[partOf(write)] = readAt;
    else if (write.call === "update-policy") this.#policies.set(write.id, readAt);
  }
}
