import { hashOf } from "../plan/plan-hash.ts";
import type { ZoneReport } from "../report/run-report.ts";

/**
 * Which releases by hash are still good: each is for one carrying out, since who released a plan saw that one only. As
 * the program keeps no state file, a restart forgets which were used.
 */
export class Releases {
  readonly #used = new Set<string>();

  /** The hashes that were not used yet. */
  open(accept: readonly string[]): readonly string[] {
    return accept.filter((hash) => !this.#used.has(hash));
  }

  /** Takes in what a look came to: a plan of which nothing could be written is still to be carried out. */
  record(report: ZoneReport, accept: readonly string[]): void {
    if (accept.length === 0 || report.result !== "applied") return;
    if (report.outcomes.every(({ status }) => status !== "done")) return;
    const hash = hashOf(report.plan);
    if (accept.includes(hash)) this.#used.add(hash);
  }

  /** Forgets hashes that are no longer given: put in anew, one releases anew. */
  keepOnly(accept: readonly string[]): void {
    for (const hash of this.#used) {
      if (!accept.includes(hash)) this.#used.delete(hash);
    }
  }
}
