import { isDeepStrictEqual } from "node:util";

import type { HistoryChange, HistoryEntry } from "../history/history.ts";
import {
  type DriftEpisode,
  driftEpisodes,
  type Period,
  type StatusSpan,
  statusSpans,
} from "../history/timeline.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import { byText } from "../syntax/by-text.ts";
import type { AuthorisedScript } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import { type CheckTimes, checkTimesOf } from "./evidence-days.ts";
import type { EvidenceInput, EvidenceSubject, SubjectDeclaration } from "./evidence-input.ts";
import {
  type FilesRevision,
  type FindingStory,
  findingStories,
  type ScriptStory,
  scriptStories,
} from "./evidence-stories.ts";

/** What the history and the files show of a zone in the period. */
export interface RecordedZone extends CheckTimes {
  readonly zone: string;
  /** Revisions of the files with which scripts were checked, in the order of their use. */
  readonly revisions: readonly DeclaringRevision[];
  /** What the files declared at the end of the period; if that is not known, as they are now. */
  readonly atEnd: DeclaringRevision;
  /** The authorised scripts over the period. */
  readonly inventory: readonly DeclaredItem<AuthorisedScript>[];
  readonly policies: readonly DeclaredItem<Policy>[];
  readonly findings: readonly FindingStory[];
  readonly scripts: readonly ScriptStory[];
  /** Runs with changes, oldest first. */
  readonly runs: readonly HistoryEntry[];
  readonly drift: readonly DriftStory[];
  /** `status` is `undefined` if there is no record. */
  readonly statuses: readonly StatusSpan[];
}

/** A period of drift, and what drifted. */
export interface DriftStory extends DriftEpisode {
  /** The changes that correct it, of each recorded run that saw it. */
  readonly changes: readonly HistoryChange[];
}

/** A revision of the files, and what they declare of a zone. */
export interface DeclaringRevision extends FilesRevision {
  /** The first and the last recorded check with it; `undefined`: the files as they are now. */
  readonly checks: Period | undefined;
  /** A text: why it is not known. */
  readonly declared: SubjectDeclaration | string;
}

/** Something that the files declared for a time. */
export interface DeclaredItem<T> {
  readonly item: T;
  /** The revision from which on it was declared so. */
  readonly files: FilesRevision;
  /** The first and the last recorded check with it; `undefined`: no recorded check of the period used it. */
  readonly checks: Period | undefined;
}

/** @param own the records of the zone, up to the end of the period. */
export function recordedZone(
  subject: EvidenceSubject,
  own: readonly ScriptRecord[],
  input: EvidenceInput,
): RecordedZone {
  const { period, entries, history } = input;
  const { zone } = subject;
  const runs = entries.filter((each) => each.zone === zone && each.at < period.until);
  return {
    zone,
    ...checkTimesOf(own, period),
    ...declaredOver(own, subject, input),
    findings: findingStories(own, period),
    scripts: scriptStories(own, period),
    runs: runs.filter(({ at, changes }) => at >= period.since && changes.length > 0),
    drift: driftStories(runs, period),
    statuses: statusesIn(runs, history.lastAt, period),
  };
}

function declaredOver(
  records: readonly ScriptRecord[],
  { zone, declared }: EvidenceSubject,
  { period, files, past }: EvidenceInput,
): Pick<RecordedZone, "revisions" | "atEnd" | "inventory" | "policies"> {
  const revisions = usedRevisions(records, period).map(({ revision, commit, ...checks }) => {
    const found = past.get(revision) ?? "the files were not read";
    const then = typeof found === "string" ? found : (found.get(zone) ?? "the files were not read");
    return { revision, commit, checks, declared: revision === files.revision ? declared : then };
  });
  const now = { ...files, checks: undefined, declared };
  const last = revisions.at(-1);
  const isKnown = last !== undefined && typeof last.declared !== "string";
  const all = isKnown ? revisions : [...revisions, now];
  return {
    revisions,
    atEnd: isKnown ? last : now,
    inventory: declaredItems(all, ({ scripts }) => scripts?.authorised ?? []).toSorted(
      byText(({ item }) => item.url),
    ),
    policies: declaredItems(all, ({ policies }) => policies).toSorted(
      byText(({ item }) => item.key),
    ),
  };
}

function driftStories(runs: readonly HistoryEntry[], { since }: Period): readonly DriftStory[] {
  return driftEpisodes(runs)
    .filter(({ gone }) => gone === undefined || gone >= since)
    .map((episode) => {
      const { detected, gone } = episode;
      const seen = runs.filter(({ at }) => at >= detected && (gone === undefined || at <= gone));
      const changes = seen.flatMap((run) => run.changes);
      return { ...episode, changes: changes.filter(({ causes }) => causes.includes("drift")) };
    });
}

/** A status holds until the next entry of the zone, and at most until the last line that is shown. */
function statusesIn(
  runs: readonly HistoryEntry[],
  lastAt: Date | undefined,
  { since, until }: Period,
): readonly StatusSpan[] {
  const last = runs.at(-1);
  if (last === undefined || lastAt === undefined || lastAt <= since) {
    return [{ status: undefined, since, until }];
  }
  const end = lastAt < until ? lastAt : until;
  const known = statusSpans(
    runs,
    { status: last.status, statusSince: last.at },
    { since, until: end },
  );
  return end < until ? [...known, { status: undefined, since: end, until }] : known;
}

/** A revision of the files, and the first and last recorded check with it before another one was used. */
interface UsedRevision extends FilesRevision, Period {}

/** The revisions of the period in the order of their use. One that came back is there again. */
function usedRevisions(
  records: readonly ScriptRecord[],
  { since }: Period,
): readonly UsedRevision[] {
  const used: UsedRevision[] = [];
  for (const { revision, commit, at } of records) {
    if (at < since) continue;
    const last = used.at(-1);
    if (last?.revision === revision) used[used.length - 1] = { ...last, until: at };
    else used.push({ revision, commit, since: at, until: at });
  }
  return used;
}

/**
 * What the files declared over time. An item that was changed is there once for each of its forms; one that was gone, or
 * not known, for a time is there again.
 */
function declaredItems<T>(
  revisions: readonly DeclaringRevision[],
  itemsOf: (declared: SubjectDeclaration) => readonly T[],
): readonly DeclaredItem<T>[] {
  const ended: DeclaredItem<T>[] = [];
  let current: readonly DeclaredItem<T>[] = [];
  for (const { declared, checks, revision, commit } of revisions) {
    const items = typeof declared === "string" ? [] : itemsOf(declared);
    const next = items.map((item) => {
      const known = current.find((each) => isDeepStrictEqual(each.item, item));
      const first = known ?? { item, files: { revision, commit }, checks };
      const since = first.checks?.since;
      return checks === undefined || since === undefined
        ? first
        : { ...first, checks: { since, until: checks.until } };
    });
    ended.push(...current.filter((each) => !next.some(({ item }) => item === each.item)));
    current = next;
  }
  return [...ended, ...current];
}
