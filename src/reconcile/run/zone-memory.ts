import { createHash } from "node:crypto";

import type { Cause, Change, Delete } from "../../plan/change.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { causeByMarks, type Plan } from "../../plan/plan.ts";
import type { Outcome, ZoneReport } from "../../state/run-report.ts";
import { isConverged } from "../../state/summary.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { maxReadAgeMs } from "./longest-age.ts";

/** When the same correction counts as a quarrel with another writer. */
export interface ContentionLimits {
  readonly rounds: number;
  readonly windowMs: number;
}

type Applied = Extract<ZoneReport, { readonly result: "applied" }>;

/** Files that did not change give the same contents again, at every look. */
const digests = new WeakMap<ZoneContent, string>();

/** One name for one declared content: equal content, equal digest. */
export function digestOf(content: ZoneContent): string {
  const known = digests.get(content);
  if (known !== undefined) return known;
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  digests.set(content, digest);
  return digest;
}

/**
 * What a process remembers of a zone between looks: which declaration was last seen live, and what had to be corrected
 * since when. It only explains and holds back; what is to be done is decided by desired and live alone.
 */
export class ZoneMemory {
  readonly #limits: () => ContentionLimits;
  #converged: string | undefined;
  /** When each field was corrected, within the time that counts. */
  #corrections: ReadonlyMap<string, readonly number[]> = new Map();
  /** How often, one after the other, writes waited until the reading was too old. */
  #outdated = 0;
  #settled: { readonly conditions: string; readonly plan: Plan } | undefined;

  /** @param limits in force at the moment. */
  constructor(limits: () => ContentionLimits) {
    this.#limits = limits;
  }

  /** How old a reading may be when a write that rests on it is sent. */
  get longestAgeMs(): number {
    return maxReadAgeMs(this.#outdated);
  }

  /** Fields whose corrections are remembered. */
  get corrections(): number {
    return this.#corrections.size;
  }

  /** Whether what differs was as declared before, or has never been carried out. Marks of ours tell it after a start. */
  causeOf(plan: Plan, digest: string): Cause {
    if (this.#converged === undefined) return causeByMarks(plan);
    return this.#converged === digest ? "drift" : "pending";
  }

  /** Refuses to correct a field once more that another writer has undone too often. */
  otherHolds(plan: Plan, cause: Cause, now: Date): readonly Hold[] {
    if (cause !== "drift") return [];
    const { rounds, windowMs } = this.#limits();
    const contended = [...this.#contended(plan, now).keys()];
    if (contended.length === 0) return [];
    const minutes = Math.round(windowMs / 60_000);
    return [
      {
        reason: "contended",
        message: `${contended.join(", ")} was corrected ${rounds} times within ${minutes} min and undone each time: find the other writer; a correction is tried again when that time has passed`,
      },
    ];
  }

  /** From when on no field of a plan has been corrected too often. */
  endOfContention(plan: Plan, now: Date): Date {
    const { rounds, windowMs } = this.#limits();
    const ends = this.#contended(plan, now)
      .values()
      .map((moments) => (moments.at(-rounds) ?? 0) + windowMs);
    return new Date(Math.max(Number(now), ...ends));
  }

  /** The fields of a plan that were corrected too often, and when. */
  #contended(plan: Plan, now: Date): ReadonlyMap<string, readonly number[]> {
    const { rounds } = this.#limits();
    const recent = this.#recent(now);
    return new Map(
      fieldsOf(plan.changes)
        .map((field) => [field, recent.get(field) ?? []] as const)
        .filter(([, moments]) => moments.length >= rounds),
    );
  }

  /** The plan without changes that followed from the same premises at the last look. */
  settled(conditions: string): Plan | undefined {
    return this.#settled?.conditions === conditions ? this.#settled.plan : undefined;
  }

  /** Notes from which premises a plan without changes followed. */
  settle(report: ZoneReport, conditions: string): void {
    this.#settled = report.result === "in_sync" ? { conditions, plan: report.plan } : undefined;
  }

  /** Takes in what a look came to. */
  record(report: ZoneReport, digest: string): void {
    if (isConverged(report)) {
      this.#converged = digest;
      this.#outdated = 0;
    }
    if (report.result !== "applied") return;
    if (report.outcomes.some(isOutdated)) this.#outdated += 1;
    if (report.cause === "drift") this.#remember(corrected(report), report.finishedAt);
  }

  #remember(changes: readonly Change[], at: Date): void {
    const recent = this.#recent(at);
    for (const field of fieldsOf(changes)) {
      recent.set(field, [...(recent.get(field) ?? []), Number(at)]);
    }
    this.#corrections = recent;
  }

  #recent(now: Date): Map<string, readonly number[]> {
    const since = Number(now) - this.#limits().windowMs;
    const recent = new Map<string, readonly number[]>();
    for (const [field, moments] of this.#corrections) {
      const left = moments.filter((at) => at > since);
      if (left.length > 0) recent.set(field, left);
    }
    return recent;
  }
}

function isOutdated(outcome: Outcome): boolean {
  return outcome.status === "skipped" && outcome.reason === "read_expired";
}

/** What was really changed: a write that failed corrected nothing, and one without an answer may not have. */
function corrected({ plan, outcomes }: Applied): readonly Change[] {
  const done = outcomes.filter(({ status }) => status === "done");
  const keys = new Set(done.flatMap(({ write }) => write.changes));
  return plan.changes.filter(({ key }) => keys.has(key));
}

/** What changes correct, each once: several things of one name that go at once are one round. */
function fieldsOf(changes: readonly Change[]): readonly string[] {
  return [...new Set(changes.flatMap(fieldsOfOne))];
}

function fieldsOfOne(change: Change): readonly string[] {
  switch (change.verb) {
    case "update":
      return change.fields.map(({ field }) => `${change.key} ${field}`);
    case "create":
      return [`${change.key} (create)`];
    case "delete":
      return [`${nameOf(change)} (delete)`];
  }
}

/** A tool that makes its object anew after each delete gets another id for it each time, and gives it the same name. */
function nameOf({ reason, kind, key, title }: Delete): string {
  return reason === "undeclared" ? key : `the ${kind} "${title}"`;
}
