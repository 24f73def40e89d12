import type { Period } from "../history/timeline.ts";
import type {
  Acceptance,
  ScriptEvent,
  ScriptFinding,
  ScriptRecord,
  WatchedScript,
} from "../state/scripts/script-watch.ts";
import type { Revision } from "../zone/desired-state.ts";

/** A revision of the zone files, and Git's name for it. */
export type FilesRevision = Pick<Revision, "revision" | "commit">;

/** A revision of the files in full: Git's name for it, if there is one. */
export function filesText({ revision, commit }: FilesRevision): string {
  return commit === undefined ? `revision ${revision}` : `commit ${commit}`;
}

/** What was recorded of a finding at a moment, and with which revision of the files. */
export interface FindingStep extends FilesRevision {
  readonly at: Date;
  readonly event: Extract<ScriptEvent, { readonly finding: ScriptFinding }>["event"];
  /** Of an acknowledged finding: who accepts it, until when and why. */
  readonly acceptance: Acceptance | undefined;
}

/** A finding from its opening to its end. The same id has several where it was closed and came back. */
export interface FindingStory extends Omit<
  ScriptFinding,
  "firstSeenAt" | "lastSeenAt" | "acceptance"
> {
  readonly openedAt: Date;
  /** `undefined`: it was still there at the end of the period. */
  readonly closedAt: Date | undefined;
  /** In the order of the history. Without `opened` if that line is not kept; with two where that of its end is not. */
  readonly steps: readonly FindingStep[];
}

/** What was recorded of a script at a moment. */
export interface ScriptStep extends FilesRevision {
  readonly at: Date;
  readonly event: Extract<ScriptEvent, { readonly script: WatchedScript }>["event"];
  /** SHA-256 of its content; "" if the service has none. */
  readonly hash: string;
}

/** A script on the declared pages, from its first to its last record. */
export interface ScriptStory extends Pick<
  WatchedScript,
  "id" | "url" | "pageUrls" | "entry" | "isAuthorised" | "enforcement"
> {
  /** `undefined`: it was still there at the end of the period. */
  readonly vanishedAt: Date | undefined;
  /** In the order of the history. Without `appeared` if that line is not kept. */
  readonly steps: readonly ScriptStep[];
}

/** The findings that were there in the period, in the order of their opening. */
export function findingStories(
  records: readonly ScriptRecord[],
  { since }: Period,
): readonly FindingStory[] {
  const ended: FindingStory[] = [];
  const open = new Map<string, FindingStory>();
  for (const { at, revision, commit, events } of records) {
    for (const each of events) {
      if (!("finding" in each)) continue;
      const { event, finding } = each;
      const { firstSeenAt, lastSeenAt: _seenAt, acceptance, ...facts } = finding;
      const { id } = facts;
      const known = open.get(id);
      const step = { at, event, revision, commit, acceptance };
      const story = {
        ...facts,
        openedAt: known?.openedAt ?? firstSeenAt,
        closedAt: event === "closed" ? at : undefined,
        steps: [...(known?.steps ?? []), step],
      };
      if (event === "closed") {
        open.delete(id);
        ended.push(story);
      } else open.set(id, story);
    }
  }
  return [...ended, ...open.values()]
    .filter(({ closedAt }) => closedAt === undefined || closedAt >= since)
    .toSorted((a, b) => Number(a.openedAt) - Number(b.openedAt));
}

/** The scripts that were there in the period, in the order of their first record. */
export function scriptStories(
  records: readonly ScriptRecord[],
  { since }: Period,
): readonly ScriptStory[] {
  const stories = new Map<string, ScriptStory>();
  for (const { at, revision, commit, events } of records) {
    for (const each of events) {
      if (!("script" in each)) continue;
      const { event, script } = each;
      const { id, url, pageUrls, entry, isAuthorised, enforcement, hash } = script;
      stories.set(id, {
        id,
        url,
        pageUrls,
        entry,
        isAuthorised,
        enforcement,
        vanishedAt: event === "vanished" ? at : undefined,
        steps: [...(stories.get(id)?.steps ?? []), { at, event, hash, revision, commit }],
      });
    }
  }
  return [...stories.values()].filter(
    ({ vanishedAt }) => vanishedAt === undefined || vanishedAt >= since,
  );
}
