import { isDeepStrictEqual } from "node:util";

import { shortDigest } from "../../syntax/digest.ts";
import { matchesPage } from "../../syntax/url-pattern.ts";
import type { DeclaredScripts } from "../../zone/declared-scripts.ts";
import { isInUse, type Script } from "../../zone/inventory-item.ts";
import { entryFinder, isPinned } from "./authorised-entry.ts";
import type { ScriptWatch } from "./script-watch.ts";

/** Lists name only the first page of a script, so the service is asked before a week is over (SERVICE.md A.4). */
const pagesEveryMs = 6 * 86_400_000;

/** Identifies a set of scripts. */
export function idsOf(scripts: readonly Script[]): string {
  const ids = scripts.map(({ id }) => id).toSorted();
  return shortDigest(ids.join(" "));
}

/** Whether to ask the service which scripts are on the pages: there are others than before, or it is long ago. */
export function needsPages(
  { pages }: DeclaredScripts,
  scripts: readonly Script[],
  earlier: ScriptWatch | undefined,
  now: Date,
): boolean {
  const { pagesAt, pages: asked, known }: Partial<ScriptWatch> = earlier ?? {};
  const age = Number(now) - Number(pagesAt);
  const isRecent = age >= 0 && age < pagesEveryMs;
  return !isRecent || !isDeepStrictEqual(asked, pages) || known !== idsOf(scripts);
}

/** The scripts on the pages, as far as it is known. */
export function scriptsOnPages(
  { pages }: DeclaredScripts,
  scripts: readonly Script[],
  onPages: Iterable<string> | undefined,
): readonly Script[] {
  const ids = new Set(onPages);
  return scripts.filter(
    ({ id, firstPageUrl, pageUrls }) =>
      ids.has(id) ||
      [firstPageUrl, ...pageUrls].some((page) => pages.some((each) => matchesPage(each, page))),
  );
}

/** The scripts in use on the pages whose versions have to be read: pinned ones that are new, or whose hash or time moved. */
export function scriptsToRead(
  { authorised }: DeclaredScripts,
  onPages: readonly Script[],
  earlier: ScriptWatch | undefined,
): readonly Script[] {
  const known = new Map(earlier?.scripts.map((script) => [script.id, script]));
  const entryOf = entryFinder(authorised);
  return onPages.filter((script) => {
    const entry = isInUse(script) ? entryOf(script.url) : undefined;
    if (entry === undefined || !isPinned(entry)) return false;
    const before = known.get(script.id);
    const isRead = before !== undefined && before.versions.length > 0;
    return (
      !isRead ||
      before.hash !== script.hash ||
      !isDeepStrictEqual(before.fetchedAt, script.fetchedAt)
    );
  });
}
