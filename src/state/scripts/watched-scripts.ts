import type { Enforcement } from "../../impact/script-enforcement.ts";
import type { AuthorisedScript, DeclaredScripts } from "../../zone/declared-scripts.ts";
import { isInUse, type Script } from "../../zone/inventory-item.ts";
import { laterFirst, shortened } from "../inventory.ts";
import { entryFinder, isApproved, isPinned, maxVersions } from "./authorised-entry.ts";
import { scriptsOnPages } from "./needed-reads.ts";
import type { ScriptWatch, SeenVersion, WatchedScript } from "./script-watch.ts";

/** What was read of the scripts of a zone. */
export interface ScriptReading {
  /** All on record. */
  readonly scripts: readonly Script[];
  /** Ids of those on the pages; `undefined`: the service was not asked now. */
  readonly onPages: ReadonlySet<string> | undefined;
  /** Scripts that were read with their versions, by id. */
  readonly details: ReadonlyMap<string, Script>;
  /** Whether monitoring is on; `undefined`: that was not read. */
  readonly isMonitored: boolean | undefined;
  readonly enforcementOf: (script: Script) => readonly Enforcement[];
}

/** A script in use on the pages: as it was read, with the entry that matches it, and as it is kept. */
export interface FoundScript {
  readonly script: Script;
  readonly entry: AuthorisedScript | undefined;
  readonly watched: WatchedScript;
}

/** Pages of a script, or of a finding on it, that are kept. */
export const maxPages = 20;

/** The scripts on the pages, whatever their status. */
export function onPagesOf(
  declared: DeclaredScripts,
  reading: ScriptReading,
  earlier: ScriptWatch,
): readonly Script[] {
  return scriptsOnPages(declared, reading.scripts, reading.onPages ?? earlier.onPages);
}

/** The scripts in use on the pages, those first that are not authorised. */
export function foundScripts(
  declared: DeclaredScripts,
  reading: ScriptReading,
  onPages: readonly Script[],
  earlier: ScriptWatch,
  now: Date,
): readonly FoundScript[] {
  const before = new Map(earlier.scripts.map((script) => [script.id, script]));
  const entryOf = entryFinder(declared.authorised);
  const found = onPages.filter(isInUse).map((script): FoundScript => {
    const entry = entryOf(script.url);
    const known = before.get(script.id);
    const details = reading.details.get(script.id);
    const { hash, fetchedAt } = script;
    const watched: WatchedScript = {
      id: script.id,
      url: shortened(script.url),
      hash,
      fetchedAt,
      pageUrls: pagesOf(script, details, known),
      firstSeenAt: script.firstSeenAt,
      lastSeenAt: script.lastSeenAt,
      entry: entry?.url ?? "",
      isAuthorised: entry !== undefined && isApproved(entry, now),
      versions:
        entry !== undefined && isPinned(entry)
          ? versionsOf({ hash, fetchedAt }, details?.versions ?? [], known?.versions ?? [])
          : [],
      enforcement: reading.enforcementOf(script),
    };
    return { script, entry, watched };
  });
  return found.toSorted(
    ({ watched: a }, { watched: b }) =>
      Number(a.isAuthorised) - Number(b.isAuthorised) || laterFirst(a.firstSeenAt, b.firstSeenAt),
  );
}

function pagesOf(
  { firstPageUrl, pageUrls }: Script,
  details: Script | undefined,
  known: WatchedScript | undefined,
): readonly string[] {
  const pages = [...(details?.pageUrls ?? known?.pageUrls ?? []), firstPageUrl, ...pageUrls];
  return [...new Set(pages)]
    .filter((page) => page !== "")
    .slice(0, maxPages)
    .map(shortened);
}

/** All versions that are known, newest first; that of today is the first. */
function versionsOf(
  today: SeenVersion,
  read: readonly SeenVersion[],
  known: readonly SeenVersion[],
): readonly SeenVersion[] {
  const byContent = new Map<string, SeenVersion>();
  for (const { hash, fetchedAt } of [...known, ...read, today]) {
    if (hash !== "") byContent.set(`${hash} ${Number(fetchedAt)}`, { hash, fetchedAt });
  }
  byContent.delete(`${today.hash} ${Number(today.fetchedAt)}`);
  const others = [...byContent.values()].toSorted((a, b) => laterFirst(a.fetchedAt, b.fetchedAt));
  return [today, ...others].slice(0, maxVersions);
}
