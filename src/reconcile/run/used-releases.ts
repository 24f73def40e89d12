import { planHash, isRestOf, type UsedRelease } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ZoneReport } from "../../state/run-report.ts";

/**
 * Remembers which releases by hash were used: a release is good for one apply. What an apply of a released plan left undone
 * stays released until a run finds anything else to do in its zone. A restart forgets which releases were used.
 */
export class UsedReleases {
  readonly #used = new Map<string, UsedRelease>();

  get all(): readonly UsedRelease[] {
    return [...this.#used.values()];
  }

  /** Takes in the result of a run. A release of whose plan nothing was written is not used. */
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

  /** Forgets hashes that are no longer accepted: a hash that is added again releases again. */
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

  /** The hash that releases a plan. */
  #releaseOf(plan: Plan, accept: readonly string[]): string | undefined {
    const hash = planHash(plan);
    if (accept.includes(hash) && !this.#used.has(hash)) return hash;
    return this.all.find((release) => isRestOf(plan, release))?.hash;
  }
}
