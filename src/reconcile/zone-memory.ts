import { createHash } from "node:crypto";

import type { Cause, Change } from "../plan/change.ts";
import type { Plan } from "../plan/plan.ts";
import type { Refusal } from "../plan/refusal.ts";
import { isAllDone } from "../report/outcomes.ts";
import type { ZoneReport } from "../report/run-report.ts";
import type { ZoneContent } from "../zone/desired.ts";

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
  #corrections = new Map<string, readonly number[]>();
  #settled: { readonly premises: string; readonly plan: Plan } | undefined;

  /** @param limits in force at the moment. */
  constructor(limits: () => ContentionLimits) {
    this.#limits = limits;
  }

  /** Whether what differs was as declared before, or has never been carried out. Marks of ours tell it after a start. */
  causeOf(plan: Plan, digest: string): Cause {
    if (this.#converged === undefined) return plan.marked ? "drift" : "pending";
    return this.#converged === digest ? "drift" : "pending";
  }

  /** Refuses to correct a field once more that another writer has undone too often. */
  objections(plan: Plan, cause: Cause, now: Date): readonly Refusal[] {
    if (cause !== "drift") return [];
    const { rounds, windowMs } = this.#limits();
    const contended = plan.changes
      .flatMap(fieldsOf)
      .filter((field) => this.#recent(field, now).length >= rounds);
    if (contended.length === 0) return [];
    const minutes = Math.round(windowMs / 60_000);
    return [
      {
        code: "CONTENDED",
        message: `${contended.join(", ")} was corrected ${rounds} times within ${minutes} min and undone each time: find the other writer; a correction is tried again when that time has passed`,
      },
    ];
  }

  /** The plan without changes that followed from the same premises at the last look. */
  settled(premises: string): Plan | undefined {
    return this.#settled?.premises === premises ? this.#settled.plan : undefined;
  }

  /** Notes from which premises a plan without changes followed. */
  settle(report: ZoneReport, premises: string): void {
    this.#settled = report.result === "in-sync" ? { premises, plan: report.plan } : undefined;
  }

  /** Takes in what a look came to. */
  record(report: ZoneReport, digest: string): void {
    if (report.result === "in-sync") this.#converged = digest;
    if (report.result !== "applied") return;
    if (report.cause === "drift") this.#remember(corrected(report), report.finishedAt);
    if (isAllDone(report.outcomes) && report.left.length === 0) this.#converged = digest;
  }

  #remember(changes: readonly Change[], at: Date): void {
    for (const field of changes.flatMap(fieldsOf)) {
      this.#corrections.set(field, [...this.#recent(field, at), Number(at)]);
    }
  }

  #recent(field: string, now: Date): readonly number[] {
    const since = Number(now) - this.#limits().windowMs;
    const recent = (this.#corrections.get(field) ?? []).filter((at) => at > since);
    if (recent.length === 0) this.#corrections.delete(field);
    return recent;
  }
}

/** What was really changed: a write that failed corrected nothing, and one without an answer may not have. */
function corrected({ plan, outcomes }: Applied): readonly Change[] {
  const done = outcomes.filter(({ status }) => status === "done");
  const keys = new Set(done.flatMap(({ write }) => write.changes));
  return plan.changes.filter(({ key }) => keys.has(key));
}

function fieldsOf(change: Change): readonly string[] {
  return change.verb === "update"
    ? change.fields.map(({ field }) => `${change.key} ${field}`)
    : [`${change.key} (${change.verb})`];
}
