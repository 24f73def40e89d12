import { planHash, isRestOf, type UsedRelease } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";

/**
 * Remembers which releases by hash were used. What a run of a released plan left undone, as when it is called off half-way,
 * stays released until a look finds anything else to do in its zone. As the program keeps no state file, a restart
 * forgets which were used.
 */
export class UsedReleases {
  readonly #used = new Map<string, UsedRelease>();

  get all(): readonly UsedRelease[] {
    return [...this.#used.values()];
  }

  /** Takes in what a look came to: a plan of which nothing could be written is still to be carried out. */
  record(report: ZoneReport, accept: readonly string[]): void {
    if (accept.length === 0 || report.result === "error") return;
    const { plan } = report;
    this.#endRests(plan);
    if (report.result !== "applied") return;
    const undone = report.outcomes.filter(({ status }) => status !== "done");
    if (undone.length === report.outcomes.length) return;
    const hash = this.#releaseOf(plan, accept);
    if (hash === undefined) return;
    const { zone } = plan;
    this.#used.set(hash, { hash, rest: { zone, writes: undone.map(({ write }) => write) } });
  }

  /** Forgets hashes that are no longer given: put in anew, one releases anew. */
  keepOnly(accept: readonly string[]): void {
    for (const hash of this.#used.keys()) {
      if (!accept.includes(hash)) this.#used.delete(hash);
    }
  }

  #endRests(plan: Plan): void {
    for (const release of this.#used.values()) {
      const { hash, rest } = release;
      if (rest.zone.id === plan.zone.id && !isRestOf(plan, release)) {
        this.#used.set(hash, { hash, rest: { ...rest, writes: [] } });
      }
    }
  }

  /** By which hash a plan was released. */
  #releaseOf(plan: Plan, accept: readonly string[]): string | undefined {
    const hash = planHash(plan);
    if (accept.includes(hash) && !this.#used.has(hash)) return hash;
    return this.all.find((release) => isRestOf(plan, release))?.hash;
  }
}
