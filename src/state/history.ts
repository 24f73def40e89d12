import type { Cause, Change, Direction, FieldChange, Verb } from "../plan/change.ts";
import type { RefusalCode } from "../plan/guard/hold.ts";
import { changeResultOf, changeResults } from "./change-result.ts";
import { clipped } from "./clipped-field.ts";
import type { LoadReport } from "./load-report.ts";
import type { Trigger, ZoneReport } from "./run-report.ts";
import { verdictOf, verdicts, type Verdict } from "./run-result.ts";
import type { ZoneStep } from "./subscriber.ts";
import { refusalsOf, type ZoneState, type ZoneStatus } from "./zone-state.ts";

/** What became of a change, or that it was only found. */
export const historyResults = [...changeResults, "found"] as const;

/** One of {@link historyResults}. */
export type HistoryResult = (typeof historyResults)[number];

/** What an entry tells: what came of a run, or that the zone has left the files. */
export type HistoryVerdict = Verdict | "no_longer_declared";

/** The names of all sorts of {@link HistoryVerdict}. */
export const historyVerdicts: readonly HistoryVerdict[] = [...verdicts, "no_longer_declared"];

/** A change as history keeps it. */
export interface HistoryChange {
  readonly verb: Verb;
  readonly key: string;
  readonly title: string;
  readonly direction: Direction;
  readonly result: HistoryResult;
  readonly fields: readonly FieldChange[];
}

/** A run that changed something or found something that the run before it had not found, or the end of all runs. */
export interface HistoryEntry {
  readonly at: Date;
  readonly zone: string;
  readonly run: string;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly verdict: HistoryVerdict;
  /** What the zone was after it. */
  readonly status: ZoneStatus;
  readonly cause: Cause | undefined;
  /** Where drift was still there after the run: when it was first seen. */
  readonly driftedSince: Date | undefined;
  /** Where the run saw new drift: the last look before it, which saw none. */
  readonly clearAt: Date | undefined;
  readonly changes: readonly HistoryChange[];
  readonly refusals: readonly { readonly code: RefusalCode; readonly message: string }[];
  readonly failure:
    | { readonly code: string; readonly message: string; readonly ray: string }
    | undefined;
}

/** The history that pages show: of each zone, oldest first. */
export interface HistoryView {
  of(zone: string): readonly HistoryEntry[];
}

/** A run as history would keep it. */
export function historyEntryOf({ before, report, after }: ZoneStep): HistoryEntry {
  const { zone, run, trigger, revision, finishedAt } = report;
  const cause = "cause" in report ? report.cause : undefined;
  const isOnset = cause === "drift" && before.driftedSince === undefined;
  const { failure } = after;
  return {
    at: finishedAt,
    zone,
    run,
    trigger,
    revision,
    verdict: verdictOf(report),
    status: after.status,
    cause,
    driftedSince: after.driftedSince,
    clearAt: isOnset ? before.lastSuccess : undefined,
    changes: changesIn(report),
    refusals: refusalsOf(after),
    failure: failure && { code: failure.code, message: failure.message, ray: failure.ray },
  };
}

/** The entry of a zone that has left the files: nobody looks at it any more, and what was so of it is not known to last. */
export function departureOf({ declared }: ZoneState, { at, revision }: LoadReport): HistoryEntry {
  return {
    at,
    zone: declared.name,
    run: "",
    trigger: "file",
    revision,
    verdict: "no_longer_declared",
    status: "unknown",
    cause: undefined,
    driftedSince: undefined,
    clearAt: undefined,
    changes: [],
    refusals: [],
    failure: undefined,
  };
}

/**
 * Whether a run tells something that the last kept one of its zone did not: a month of the same drift, seen every
 * quarter of an hour, is one entry. What wrote is always kept.
 */
export function isNews(entry: HistoryEntry, last: HistoryEntry | undefined): boolean {
  if (entry.changes.some(({ result }) => result !== "found")) return true;
  if (last === undefined) return entry.verdict !== "in_sync";
  return findingOf(entry) !== findingOf(last);
}

function findingOf({ status, cause, changes, refusals, failure }: HistoryEntry): string {
  const left = changes.filter(({ result }) => result !== "done");
  return JSON.stringify({
    status,
    cause: left.length > 0 ? cause : undefined,
    left,
    refusals: refusals.map(({ code }) => code),
    failure: failure?.code,
  });
}

function changesIn(report: ZoneReport): readonly HistoryChange[] {
  switch (report.result) {
    case "in-sync":
    case "unreadable":
      return [];
    case "ready":
    case "refused":
      return report.plan.changes.map((change) => historyChange(change, "found"));
    case "applied": {
      const writes = report.outcomes.map(({ status, write }) => ({
        status,
        changes: write.changes,
      }));
      return report.plan.changes.map((change) =>
        historyChange(change, changeResultOf(change, writes)),
      );
    }
  }
}

function historyChange(change: Change, result: HistoryResult): HistoryChange {
  const { verb, key, title, effect, fields } = change;
  return {
    verb,
    key,
    title,
    direction: effect.direction,
    result,
    fields: fields.map(clipped),
  };
}
