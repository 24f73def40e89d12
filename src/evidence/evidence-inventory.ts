import { isDeepStrictEqual } from "node:util";

import type { Period } from "../history/timeline.ts";
import type { ScriptRecord } from "../state/scripts/script-watch.ts";
import type { DeclaredScripts } from "../zone/declared-scripts.ts";
import type { Policy } from "../zone/resource.ts";
import type { FilesRevision } from "./evidence-stories.ts";

/** A revision of the files, and the first and last recorded check with it before another one was used. */
interface UsedRevision extends FilesRevision, Period {}

/** The revisions of the period in the order of their use. One that came back is there again. */
export function usedRevisions(
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

/**
 * What the files declared over time. An item that was changed is there once for each of its forms; one that was gone, or
 * not known, for a time is there again.
 */
export function declaredItems<T>(
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
