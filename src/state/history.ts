import type { Cause, Change, Direction, FieldChange, Verb } from "../plan/change.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { ZoneStep } from "./fleet.ts";
import type { LoadReport } from "./load-report.ts";
import {
  changeResultOf,
  changeResults,
  type RunResult,
  runResultOf,
  runResults,
  type Trigger,
  type ZoneReport,
} from "./run-report.ts";
import { holdsOf, type ZoneState, type ZoneStatus } from "./zone-state.ts";

/** What became of a change, or that it was only found. */
export const historyChangeResults = [...changeResults, "found"] as const;

/** One of {@link historyChangeResults}. */
export type HistoryChangeResult = (typeof historyChangeResults)[number];

/** What an entry tells: what came of a run, or that the zone has left the files. */
export type HistoryEntryResult = RunResult | "no_longer_declared";

/** The names of all sorts of {@link HistoryEntryResult}. */
export const historyEntryResults: readonly HistoryEntryResult[] = [
  ...runResults,
  "no_longer_declared",
];

/** A change as history keeps it. */
export interface HistoryChange {
  readonly verb: Verb;
  readonly key: string;
  readonly title: string;
  readonly direction: Direction;
  readonly result: HistoryChangeResult;
  readonly fields: readonly FieldChange[];
}

/** A run that changed something or found something that the run before it had not found, or the end of all runs. */
export interface HistoryEntry {
  readonly at: Date;
  readonly zone: string;
  readonly run: string;
  readonly trigger: Trigger;
  readonly revision: string;
  readonly result: HistoryEntryResult;
  /** What the zone was after it. */
  readonly status: ZoneStatus;
  readonly cause: Cause | undefined;
  /** Where drift was still there after the run: when it was first seen. */
  readonly driftedSince: Date | undefined;
  /** Where the run saw new drift: the last look before it, which saw none. */
  readonly clearAt: Date | undefined;
  readonly changes: readonly HistoryChange[];
  readonly holds: readonly Hold[];
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
    result: runResultOf(report),
    status: after.status,
    cause,
    driftedSince: after.driftedSince,
    clearAt: isOnset ? before.lastSuccess : undefined,
    changes: changesIn(report),
    holds: holdsOf(after),
    failure: failure && { code: failure.code, message: failure.message, ray: failure.ray },
  };
}

/** The entry of a zone that has left the files: nobody looks at it any more, and what was so of it is not known to last. */
export function removalEntryOf(
  { declared }: ZoneState,
  { at, revision }: LoadReport,
): HistoryEntry {
  return {
    at,
    zone: declared.name,
    run: "",
    trigger: "file",
    revision,
    result: "no_longer_declared",
    status: "unknown",
    cause: undefined,
    driftedSince: undefined,
    clearAt: undefined,
    changes: [],
    holds: [],
    failure: undefined,
  };
}

/**
 * Whether a run tells something that the last kept one of its zone did not: a month of the same drift, seen every
 * quarter of an hour, is one entry. What wrote is always kept.
 */
export function isNews(entry: HistoryEntry, last: HistoryEntry | undefined): boolean {
  if (entry.changes.some(({ result }) => result !== "found")) return true;
  if (last === undefined) return entry.result !== "in_sync";
  return findingOf(entry) !== findingOf(last);
}

function findingOf({ status, cause, changes, holds, failure }: HistoryEntry): string {
  const left = changes.filter(({ result }) => result !== "done");
  return JSON.stringify({
    status,
    cause: left.length > 0 ? cause : undefined,
    left,
    holds: holds.map(({ reason }) => reason),
    failure: failure?.code,
  });
}

function changesIn(report: ZoneReport): readonly HistoryChange[] {
  switch (report.result) {
    case "in_sync":
    case "error":
      return [];
    case "planned":
    case "held":
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

function historyChange(change: Change, result: HistoryChangeResult): HistoryChange {
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

/** Longer values are cut: expressions end at 4,096 characters, and a line must stay a line. */
const longestValue = 4_096;

/** What differs in a field, short enough for a line of a log or of a history. */
export function clipped({ field, before, after }: FieldChange): FieldChange {
  return { field, before: clippedValue(before), after: clippedValue(after) };
}

function clippedValue(value: FieldChange["before"]): FieldChange["before"] {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longestValue) return value;
  return `${text.slice(0, longestValue)}… (${text.length} characters)`;
}
