import type { Author } from "../plan/cause/author.ts";
import { causesIn, causesOf } from "../plan/cause/cause.ts";
import type { Cause, Change, Direction, FieldChange, Verb } from "../plan/change.ts";
import type { Hold } from "../plan/guard/hold.ts";
import type { TokenUse } from "../state/audit-status.ts";
import { type Impact, impactOf } from "../state/drift.ts";
import type { ZoneStep } from "../state/fleet.ts";
import type { LoadReport } from "../state/load-report.ts";
import {
  changeResultOf,
  changeResults,
  type Failure,
  type RunResult,
  runResultOf,
  runResults,
  type Trigger,
  type ZoneReport,
} from "../state/run-report.ts";
import type { StepEvent } from "../state/step-wait.ts";
import { holdsOf, type ZoneState, type ZoneStatus } from "../state/zone-state.ts";

/** What became of a change; `found`: it was only planned. */
export const historyChangeResults = [...changeResults, "found"] as const;

export type HistoryChangeResult = (typeof historyChangeResults)[number];

/**
 * The result of a run. `no_longer_declared`: the zone was removed from the files. `interrupted`: the process ended before
 * the run did. `running`: the run is sending writes, or the process ended; the next start makes it `interrupted`.
 */
export type HistoryEntryResult = RunResult | "no_longer_declared" | "interrupted" | "running";

export const historyEntryResults: readonly HistoryEntryResult[] = [
  ...runResults,
  "no_longer_declared",
  "interrupted",
  "running",
];

export interface HistoryChange {
  readonly verb: Verb;
  readonly key: string;
  readonly title: string;
  readonly direction: Direction;
  readonly causes: readonly Cause[];
  /** What the drift that it corrects does to the protection; `undefined` if it corrects none. */
  readonly drift: Impact | undefined;
  readonly result: HistoryChangeResult;
  readonly fields: readonly FieldChange[];
  /** Who made the drift; absent if the audit log was not asked. */
  readonly authors?: readonly Author[];
}

/** What became of a policy or rule with steps. */
export interface HistoryStep extends Omit<StepEvent, "zone" | "key"> {
  readonly key: string;
}

/** A run with changes or a new result, or the removal of the zone from the files. */
export interface HistoryEntry {
  readonly at: Date;
  readonly zone: string;
  readonly run: string;
  readonly trigger: Trigger;
  readonly revision: string;
  /** Git's name for the revision. */
  readonly commit?: string | undefined;
  readonly result: HistoryEntryResult;
  /** Status of the zone after the run. */
  readonly status: ZoneStatus;
  /** Of all changes. */
  readonly causes: readonly Cause[];
  /** When drift was detected that was still there after the run. */
  readonly driftedSince: Date | undefined;
  /** If the run detected drift: the last successful run before it. */
  readonly clearAt: Date | undefined;
  readonly changes: readonly HistoryChange[];
  readonly holds: readonly Hold[];
  readonly failure: Pick<Failure, "code" | "message" | "ray"> | undefined;
  /** Uses of our tokens elsewhere that were found before the run; left out: none. */
  readonly tokenUses?: readonly TokenUse[];
  /** Steps that objects took with the run; left out: none. */
  readonly stepEvents?: readonly HistoryStep[];
}

/** What became of the changes of a run that is sending writes, in the order of the changes of its first line. */
export interface HistoryProgress {
  readonly at: Date;
  readonly zone: string;
  readonly run: string;
  readonly results: readonly HistoryChangeResult[];
}

export interface HistoryView {
  /** Entries of a zone, oldest first. */
  of(zone: string): readonly HistoryEntry[];
}

export function historyEntryOf({
  before,
  report,
  after,
  tokenUses = [],
  stepEvents = [],
}: ZoneStep): HistoryEntry {
  const entry = undeclaredEntryOf(report);
  const isOnset = entry.causes.includes("drift") && before.driftedSince === undefined;
  const { failure } = after;
  return {
    ...entry,
    status: after.status,
    driftedSince: after.driftedSince,
    clearAt: isOnset ? before.lastSuccess : undefined,
    holds: holdsOf(after),
    failure: failure && { code: failure.code, message: failure.message, ray: failure.ray },
    ...(tokenUses.length === 0 ? {} : { tokenUses }),
    ...(stepEvents.length === 0
      ? {}
      : { stepEvents: stepEvents.map(({ zone: _zone, ...step }) => step) }),
  };
}

/**
 * The entry of a run that is about to send a write, from the report that is true if the process ends now: what the zone
 * will be is unknown.
 */
export function runningEntryOf(report: ZoneReport, before: ZoneState | undefined): HistoryEntry {
  const { finishedAt } = report;
  const entry = { ...undeclaredEntryOf(report), result: "running" } as const;
  if (!entry.causes.includes("drift")) return { ...entry, driftedSince: before?.driftedSince };
  return before?.driftedSince === undefined
    ? { ...entry, driftedSince: finishedAt, clearAt: before?.lastSuccess }
    : { ...entry, driftedSince: before.driftedSince };
}

/** The entry of a run whose zone was removed from the files meanwhile: its status is unknown. */
export function undeclaredEntryOf(report: ZoneReport): HistoryEntry {
  const { zone, run, trigger, revision, commit, finishedAt } = report;
  return {
    ...emptyEntry,
    at: finishedAt,
    zone,
    run,
    trigger,
    revision,
    commit,
    result: runResultOf(report),
    causes: "plan" in report ? causesIn(report.plan.changes) : [],
    changes: changesIn(report),
  };
}

/** A running entry after another of its writes. */
export function afterProgress(
  entry: HistoryEntry,
  { at, results }: Pick<HistoryProgress, "at" | "results">,
): HistoryEntry {
  const changes = entry.changes.map((change, index) => ({
    ...change,
    result: results[index] ?? change.result,
  }));
  return { ...entry, at, changes };
}

/** The entry of a zone that is no longer declared: it is not reconciled, so its status is unknown. */
export function removalEntryOf(
  { declared }: ZoneState,
  { at, revision, commit }: LoadReport,
): HistoryEntry {
  return {
    ...emptyEntry,
    at,
    zone: declared.name,
    run: "",
    trigger: "file",
    revision,
    commit,
    result: "no_longer_declared",
  };
}

/** What an entry says of a zone of which nothing is known. */
const emptyEntry = {
  status: "unknown",
  causes: [],
  driftedSince: undefined,
  clearAt: undefined,
  changes: [],
  holds: [],
  failure: undefined,
} as const satisfies Partial<HistoryEntry>;

/**
 * Whether an entry differs from the last kept one of its zone: a month of the same drift, detected every quarter of an
 * hour, is one entry. A run that wrote, or tells of a use of a token elsewhere or of a step, is always kept.
 */
export function isNews(entry: HistoryEntry, last: HistoryEntry | undefined): boolean {
  if (entry.changes.some(({ result }) => result !== "found")) return true;
  if (entry.tokenUses !== undefined || entry.stepEvents !== undefined) return true;
  if (last === undefined) return entry.result !== "in_sync";
  return contentKey(entry) !== contentKey(last) || (isAuthorKnown(entry) && !isAuthorKnown(last));
}

/** After a restart, an author is not known any more: that is no news. */
function isAuthorKnown({ changes }: HistoryEntry): boolean {
  return changes.some(({ authors = [] }) => authors.length > 0);
}

function contentKey({ status, changes, holds, failure }: HistoryEntry): string {
  const left = changes
    .filter(({ result }) => result !== "done")
    .map(({ authors: _authors, ...change }) => change);
  return JSON.stringify({
    status,
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
    case "applied":
      return report.plan.changes.map((change) =>
        historyChange(change, changeResultOf(change, report.outcomes)),
      );
  }
}

function historyChange(change: Change, result: HistoryChangeResult): HistoryChange {
  const { verb, key, title, effect, fields } = change;
  const causes = causesOf(change);
  return {
    verb,
    key,
    title,
    direction: effect.direction,
    causes,
    drift: causes.includes("drift") ? impactOf(change) : undefined,
    result,
    fields: fields.map(clipped),
    ...(change.authors === undefined ? {} : { authors: change.authors }),
  };
}

/** Longer values are cut. Expressions have at most 4,096 characters. */
const longestValue = 4_096;

/** A changed field with values short enough for a log line or an entry of the history. */
export function clipped({ field, before, after }: FieldChange): FieldChange {
  return { field, before: clippedValue(before), after: clippedValue(after) };
}

function clippedValue(value: FieldChange["before"]): FieldChange["before"] {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longestValue) return value;
  return `${text.slice(0, longestValue)}… (${text.length} characters)`;
}
