import { mayBeDrift } from "../plan/cause/cause.ts";
import type { JudgedTokenUse, TokenUse } from "../state/audit-status.ts";
import type { ZoneReport } from "../state/run-report.ts";
import type { ZoneName } from "../zone/zone.ts";

/** Uses of tokens that are kept for the page. */
const usesShown = 12;

/** Uses that wait for a run of their zone; of a flood, the newest. */
const maxWaiting = 1_000;

interface WaitingUse {
  readonly zone: ZoneName;
  readonly use: TokenUse;
  readonly foundAt: Date;
}

/**
 * The uses of our tokens elsewhere. What such a use did to a zone shows at the next run of the zone: a use after which the
 * zone differed is grave, one that wrote what is declared is not.
 */
export class TokenUses {
  /** In the order in which they were found. */
  #waiting: readonly WaitingUse[] = [];
  readonly #driftAt = new Map<ZoneName, Date>();
  readonly #counts = { elsewhere: 0, elsewhere_drift: 0 };
  #latest: readonly JudgedTokenUse[] = [];
  readonly #latestOf = new Map<string, readonly JudgedTokenUse[]>();

  get counts(): Readonly<Record<"elsewhere" | "elsewhere_drift", number>> {
    return this.#counts;
  }

  /** Newest first, bounded. */
  get latest(): readonly JudgedTokenUse[] {
    return this.#latest;
  }

  /** The same of each zone. */
  get latestOf(): ReadonlyMap<string, readonly JudgedTokenUse[]> {
    return this.#latestOf;
  }

  /** Takes in a use; gives it judged where no run has to come before that. */
  add(use: TokenUse, zone: ZoneName | undefined, foundAt: Date): JudgedTokenUse | undefined {
    if (zone === undefined) return this.#judged({ ...use, isDrift: false });
    this.#waiting = [...this.#waiting, { zone, use, foundAt }].slice(-maxWaiting);
    return undefined;
  }

  /** The uses about which a run of a zone tells, with what it tells. */
  judgedBy(report: ZoneReport): readonly JudgedTokenUse[] {
    if (report.result === "error") return [];
    const { zone, startedAt, finishedAt } = report;
    const isDrift = report.plan.changes.some(mayBeDrift);
    const driftAt = isDrift ? finishedAt : this.#driftAt.get(zone);
    if (driftAt !== undefined) this.#driftAt.set(zone, driftAt);
    const found = this.#waiting.filter((each) => each.zone === zone && each.foundAt <= startedAt);
    if (found.length === 0) return [];
    this.#waiting = this.#waiting.filter((each) => !found.includes(each));
    return found.map(({ use }) =>
      this.#judged({ ...use, isDrift: isDrift || (driftAt !== undefined && driftAt >= use.at) }),
    );
  }

  /** Forgets zones that are no longer declared. */
  keepOnly(declared: ReadonlySetLike<string>): void {
    this.#waiting = this.#waiting.filter(({ zone }) => declared.has(zone));
    for (const zone of this.#driftAt.keys()) if (!declared.has(zone)) this.#driftAt.delete(zone);
    for (const zone of this.#latestOf.keys()) if (!declared.has(zone)) this.#latestOf.delete(zone);
  }

  #judged(use: JudgedTokenUse): JudgedTokenUse {
    this.#counts[use.isDrift ? "elsewhere_drift" : "elsewhere"] += 1;
    this.#latest = [use, ...this.#latest].slice(0, usesShown);
    const ofZone = [use, ...(this.#latestOf.get(use.zone) ?? [])];
    if (use.zone !== "") this.#latestOf.set(use.zone, ofZone.slice(0, usesShown));
    return use;
  }
}
