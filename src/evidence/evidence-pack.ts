import type { Seal } from "../history/chain/history-chain.ts";
import type { HistoryChange, HistoryEntry } from "../history/history.ts";
import type { DriftEpisode, Period, StatusSpan } from "../history/timeline.ts";
import type { CheckedFile } from "../history/verify/check-file.ts";
import type { Finding } from "../history/verify/history-finding.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { AuthorisedScript, DeclaredScripts } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { CheckTimes } from "./evidence-days.ts";
import type { FilesRevision, FindingStory, ScriptStory } from "./evidence-stories.ts";

/** A checked file. */
interface KeptFile extends Pick<CheckedFile, "file" | "lines" | "chains" | "firstAt" | "lastAt"> {
  /** Number and hash of the last line; `undefined` if no line has a hash. */
  readonly head: Pick<Seal, "n" | "hash"> | undefined;
}

/** The history files of which a pack is made, and what their check found. */
export interface KeptHistory {
  /** Oldest first. */
  readonly files: readonly KeptFile[];
  /** Empty: no line was changed, removed, inserted or moved. */
  readonly flaws: readonly Finding<string>[];
  readonly remarks: readonly Finding<string>[];
  /** Lines that cannot be read. */
  readonly damaged: number;
  /** Times of the lines that the head or the signatures do not cover; `undefined`: not known. They are not shown. */
  readonly uncovered: readonly (Date | undefined)[];
  /** Times of the first and the last line of all that are shown: what is not covered may have any time. */
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
  /** Whether the files were compared with a head or a key that somebody else keeps. */
  readonly isProved: boolean;
}

/** What files declare of a zone, as far as a pack is about it. */
export interface SubjectDeclaration {
  readonly scripts: DeclaredScripts | undefined;
  readonly policies: readonly Policy[];
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

/** A zone that the pack is about. */
export interface EvidenceSubject {
  readonly zone: string;
  /** What the files declare as they are now. A text: why it is not known. */
  readonly declared: SubjectDeclaration | string;
}

/** All that a pack is made of. */
export interface EvidenceInput {
  /** Whole days (UTC); `until` is not part of it. */
  readonly period: Period;
  readonly subjects: readonly EvidenceSubject[];
  /** Of the files as they are now, which declare the subjects. */
  readonly files: FilesRevision;
  /** What other revisions declare of each zone. A text: why it is not known. */
  readonly past: ReadonlyMap<string, ReadonlyMap<string, SubjectDeclaration | string> | string>;
  /** Whether the daemon, as it is configured now, checks declared scripts. */
  readonly isChecking: boolean;
  readonly history: KeptHistory;
  /** In the order of their lines. */
  readonly records: readonly ScriptRecord[];
  /** Oldest first. */
  readonly entries: readonly HistoryEntry[];
}

/** What the history and the files show of a zone in the period. */
export interface ZoneEvidence extends CheckTimes {
  readonly zone: string;
  /** What cannot be shown, a sentence each. */
  readonly limits: readonly string[];
  readonly controls: readonly Control[];
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

/** The evidence of a period: only what the history recorded and the files declare. */
export interface Evidence extends Pick<EvidenceInput, "period" | "files" | "history"> {
  /** What cannot be shown of any zone. */
  readonly limits: readonly string[];
  readonly zones: readonly ZoneEvidence[];
}

/** A part of a requirement of PCI DSS 4.0.1, and what was recorded that bears on it. It is no verdict. */
export interface Control {
  /** `6.4.3`. */
  readonly requirement: string;
  /** The part of the requirement, in our words. */
  readonly text: string;
  /** What was recorded or declared. */
  readonly shown: readonly string[];
  /** What the pack says nothing about. */
  readonly notShown: string;
}
