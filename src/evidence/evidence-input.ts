import type { Seal } from "../history/chain/history-chain.ts";
import type { HistoryEntry } from "../history/history.ts";
import type { Period } from "../history/timeline.ts";
import type { CheckedFile } from "../history/verify/check-file.ts";
import type { Finding } from "../history/verify/history-finding.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { DeclaredScripts } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { FilesRevision } from "./evidence-stories.ts";

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
