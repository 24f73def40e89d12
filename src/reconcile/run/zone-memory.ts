import { authorsIn, namesOfAuthors } from "../../plan/cause/author.ts";
import { fieldsWith, isDrift } from "../../plan/cause/cause.ts";
import { type Change, type Delete, onlyStrengthens } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { planHash, isRestOf, type UsedRelease } from "../../plan/guard/release.ts";
import { isAdoption, ownerField } from "../../plan/ownership.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Applied, Outcome, ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import type { KnownAnswers } from "../../zone/ports.ts";
import type { ZoneName } from "../../zone/zone.ts";
import type { Corrections, RunStore } from "./run-store.ts";
import { maxReadAgeMs } from "./write-gate.ts";

/** When repeated corrections of one field count as contention with another writer. */
export interface ContentionLimits {
  readonly rounds: number;
  readonly windowMs: number;
}

/** How long an entry point counts as unchanged while the listing shows its version. */
const trustedMs = 24 * 3_600_000;

/** Shared by the zones that were never corrected: nearly all of thousands. */
const noCorrections: Corrections = new Map();

/**
 * What the daemon remembers of a zone between runs, beside what was applied: which fields were corrected when, and how
 * often reads expired. It holds plans; what is planned follows from the desired and the live state alone.
 */
export class ZoneMemory {
  readonly #limits: () => ContentionLimits;
  /** When each field was corrected, within the contention window. */
  #corrections: Corrections;
  /** How many runs in a row had a write that waited until the read expired. */
  #expiries = 0;
  #unchanged:
    | { readonly basis: string; readonly plan: Plan; readonly answers: KnownAnswers | undefined }
    | undefined;
  /** When the zone was named as changed, by the monotonic clock. */
  #distrustedAt = Number.NEGATIVE_INFINITY;

  readonly #zone: ZoneName;
  readonly #store: RunStore;

  constructor(zone: ZoneName, limits: () => ContentionLimits, store: RunStore) {
    this.#zone = zone;
    this.#limits = limits;
    this.#store = store;
    const corrections = store.corrections(zone);
    this.#corrections = corrections.size === 0 ? noCorrections : corrections;
  }

  get maxReadAgeMs(): number {
    return maxReadAgeMs(this.#expiries);
  }

  /** Holds a plan that would correct a field once more that another writer has changed too often. */
  contentionHolds(plan: Plan, now: Date): readonly Hold[] {
    return contentionHolds(plan, this.#corrections, this.#limits(), now);
  }

  /** From when on no field of a plan has been corrected too often. */
  endOfContention(plan: Plan, now: Date): Date {
    const { rounds, windowMs } = this.#limits();
    const ends = contendedIn(plan, this.#corrections, this.#limits(), now)
      .values()
      .map((moments) => (moments.at(-rounds) ?? 0) + windowMs);
    return new Date(Math.max(Number(now), ...ends));
  }

  /** The plan of the last run, if it had no changes and followed from the same basis. */
  unchangedPlan(basis: string): Plan | undefined {
    return this.#unchanged?.basis === basis ? this.#unchanged.plan : undefined;
  }

  /**
   * The answers of the last run, if it found nothing to do, if it would find the same today, and if the versions of their
   * rules may be trusted: every list is read in full once a day, and after the zone was named as changed.
   *
   * @param basisOf all that a plan would follow from now, by the digest of the answers.
   * @param nowMs by the monotonic clock.
   */
  knownAnswers(basisOf: (digest: string) => string, nowMs: number): KnownAnswers | undefined {
    const { basis, answers } = this.#unchanged ?? {};
    if (answers === undefined || basis !== basisOf(answers.digest)) return undefined;
    const { readAt } = answers.rules;
    return readAt > this.#distrustedAt && nowMs - readAt < trustedMs ? answers : undefined;
  }

  distrustVersions(nowMs: number): void {
    this.#distrustedAt = nowMs;
  }

  /**
   * Takes in the result of a run.
   *
   * @param basis all that the plan followed from.
   * @param answers the answers that it followed from; left out: the next run reads all in full.
   */
  record(report: ZoneReport, basis: string, answers?: KnownAnswers): void {
    this.#unchanged =
      report.result === "in_sync" ? { basis, plan: report.plan, answers } : undefined;
    if (isConverged(report)) this.#expiries = 0;
    if (report.result !== "applied") return;
    if (report.outcomes.some(isExpired)) this.#expiries += 1;
    const fields = fieldsOf(corrected(report));
    if (fields.length === 0) return;
    this.#remember(fields, report.finishedAt);
    this.#store.setCorrections(this.#zone, this.#corrections);
  }

  #remember(fields: readonly string[], at: Date): void {
    const recent = within(this.#limits().windowMs, this.#corrections, at);
    for (const field of fields) {
      recent.set(field, [...(recent.get(field) ?? []), Number(at)]);
    }
    this.#corrections = recent;
  }
}

/** Holds a plan that would correct a field once more that another writer has changed too often. */
export function contentionHolds(
  plan: Plan,
  corrections: Corrections,
  limits: ContentionLimits,
  now: Date,
): readonly Hold[] {
  const contended = [...contendedIn(plan, corrections, limits, now).keys()];
  if (contended.length === 0) return [];
  const { rounds, windowMs } = limits;
  const minutes = Math.round(windowMs / 60_000);
  const fields = new Set(contended);
  const writers = plan.changes.filter((each) => fieldsOf([each]).some((one) => fields.has(one)));
  const who = namesOfAuthors(authorsIn(writers));
  const remedy = who === "" ? "find the other writer" : `the other writer is ${who}`;
  return [
    {
      reason: "contended",
      message: `${contended.join(", ")} was corrected ${rounds} times within ${minutes} min, and changed back each time: ${remedy}. zonewarden corrects it again after that time`,
    },
  ];
}

/** The fields of a plan that were corrected too often, and when. */
function contendedIn(
  plan: Plan,
  corrections: Corrections,
  { rounds, windowMs }: ContentionLimits,
  now: Date,
): ReadonlyMap<string, readonly number[]> {
  const recent = within(windowMs, corrections, now);
  return new Map(
    fieldsOf(stoppable(plan.changes))
      .map((field) => [field, recent.get(field) ?? []] as const)
      .filter(([, moments]) => moments.length >= rounds),
  );
}

function within(
  windowMs: number,
  corrections: Corrections,
  now: Date,
): Map<string, readonly number[]> {
  const since = Number(now) - windowMs;
  const recent = new Map<string, readonly number[]>();
  for (const [field, moments] of corrections) {
    const left = moments.filter((at) => at > since);
    if (left.length > 0) recent.set(field, left);
  }
  return recent;
}

/**
 * The changes that another writer stops by undoing them. A change that only strengthens goes on, however often it was undone:
 * otherwise a zone stays open because somebody insists. So does what is neutral beside it, since a plan passes as a whole.
 */
function stoppable(changes: readonly Change[]): readonly Change[] {
  const isProtecting = changes.some(onlyStrengthens);
  return changes.filter(
    (change) =>
      !onlyStrengthens(change) && !(isProtecting && change.effect.direction === "neutral"),
  );
}

function isExpired(outcome: Outcome): boolean {
  return outcome.status === "skipped" && outcome.reason === "read_expired";
}

/** The changes that were made: a write that failed corrected nothing, and one without an answer may not have. */
function corrected({ plan, outcomes }: Applied): readonly Change[] {
  const done = outcomes.filter(({ status }) => status === "done");
  const keys = new Set(done.flatMap(({ write }) => write.changes));
  return plan.changes.filter(({ key }) => keys.has(key));
}

/** The drifted fields that changes correct, each once: several resources of one name deleted together are one round. */
function fieldsOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.flatMap(fieldsOfOne))];
}

function fieldsOfOne(change: Change): readonly string[] {
  switch (change.verb) {
    case "update":
      // A mark is not part of what was last applied. One that is taken off again and again has another writer, too.
      return (isAdoption(change) ? [ownerField] : fieldsWith("drift", change)).map(
        (field) => `${change.key} ${field}`,
      );
    case "create":
      return isDrift(change) ? [`${change.key} (create)`] : [];
    case "delete":
      return isDrift(change) ? [`${nameOf(change)} (delete)`] : [];
  }
}

/** Another writer that recreates its resource after each delete gets a new id each time, and uses the same name. */
function nameOf({ reason, kind, key, title }: Delete): string {
  return reason === "undeclared" ? key : `the ${kind} "${title}"`;
}

/**
 * Remembers which releases by hash were used: a release is good for one apply. What an apply of a released plan left undone
 * stays released until a run finds anything else to do in its zone. After a restart, it has to be released
 * again.
 */
export class UsedReleases {
  /** What is left of released plans, by their hashes. */
  readonly #rests = new Map<string, NonNullable<UsedRelease["rest"]>>();
  /** Commands store there which releases they used. */
  readonly #store: RunStore;

  constructor(store: RunStore) {
    this.#store = store;
  }

  get all(): readonly UsedRelease[] {
    return this.#store.usedReleases().map((hash) => ({ hash, rest: this.#rests.get(hash) }));
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
    this.#rests.set(hash, { zone, writes: undone.map(({ write }) => write) });
    this.#store.setUsedReleases([...new Set([...this.#store.usedReleases(), hash])]);
  }

  /** Forgets hashes that are no longer accepted: a hash that is added again releases again. */
  keepOnly(accept: readonly string[]): void {
    const used = this.#store.usedReleases();
    const kept = used.filter((hash) => accept.includes(hash));
    if (kept.length === used.length) return;
    for (const hash of this.#rests.keys()) if (!kept.includes(hash)) this.#rests.delete(hash);
    this.#store.setUsedReleases(kept);
  }

  #endRests(plan: Plan): void {
    for (const [hash, rest] of this.#rests) {
      if (rest.zone.id === plan.zone.id && !isRestOf(plan, { hash, rest })) {
        this.#rests.delete(hash);
      }
    }
  }

  /** The hash that releases a plan. */
  #releaseOf(plan: Plan, accept: readonly string[]): string | undefined {
    const hash = planHash(plan);
    const used = this.all;
    if (accept.includes(hash) && !used.some((release) => release.hash === hash)) return hash;
    return used.find((release) => isRestOf(plan, release))?.hash;
  }
}
