import { patternFinder } from "../../syntax/url-pattern.ts";
import { endOf, startOf } from "../../syntax/written-date.ts";
import type { AuthorisedScript } from "../../zone/declared-scripts.ts";
import type { SeenVersion, WatchedScript } from "./script-watch.ts";

/** Finds the entry of a URL: of several that match it, the one with the longest pattern. */
export function entryFinder(
  authorised: readonly AuthorisedScript[],
): (url: string) => AuthorisedScript | undefined {
  const entries = new Map(authorised.map((entry) => [entry.url, entry]));
  const find = patternFinder([...entries.keys()]);
  return (url) => entries.get(find(url) ?? "");
}

/** Whether somebody has approved the entry, and not only for a later day. */
export function isApproved({ approvedBy, approvedOn }: AuthorisedScript, now: Date): boolean {
  const approved = startOf(approvedOn);
  return approvedBy !== "" && approved !== undefined && approved <= now;
}

/** Whether the content of the scripts of an entry is compared with that of its approval. */
export function isPinned({ integrity }: AuthorisedScript): boolean {
  return integrity.by === "pinned";
}

/** What of the content of a script is not as its entry says. */
export interface ContentJudgement {
  /** Versions that are not approved. */
  readonly changed: readonly SeenVersion[];
  /** Why the content cannot be compared with the approved one; "" if it can. */
  readonly unknown: string;
}

/** Versions of a script that are remembered. */
export const maxVersions = 20;

const asApproved: ContentJudgement = { changed: [], unknown: "" };

/**
 * Judges the content of a script.
 *
 * Pinned content is the newest version that the service fetched up to the approval. Every other version since then counts,
 * even if the content is as before again. What was fetched later is never taken for what was approved: of a script that was
 * on record by then without a hash, the content stays unknown until it is approved again, and changes since then count.
 *
 * @param script as it is today; of pinned content, its versions begin with that of today, and the others have a hash
 */
export function judgeContent(
  { integrity, approvedOn }: AuthorisedScript,
  { hash, fetchedAt, versions, firstSeenAt }: WatchedScript,
): ContentJudgement {
  if (integrity.by === "any") return asApproved;
  if (hash === "") {
    return {
      changed: [],
      unknown: "the service has no hash of the script, so its content is unknown",
    };
  }
  if (integrity.by === "hashes") {
    const isAllowed = integrity.hashes.includes(hash);
    return isAllowed ? asApproved : { changed: [{ hash, fetchedAt }], unknown: "" };
  }
  // What has no moment is not before the approval.
  const approval = Number(endOf(approvedOn));
  const isBefore = (each: SeenVersion): boolean => Number(each.fetchedAt) <= approval;
  const wasThere = Number(firstSeenAt) <= approval;
  // Where older versions were dropped, the oldest one may be newer than the approval.
  const isWhole = versions.length < maxVersions;
  const approved = versions.find(isBefore);
  const isUnknown = approved === undefined && wasThere && isWhole;
  const reference = isUnknown ? versions.at(-1) : approved;
  const later = versions.filter((each) => !isBefore(each) && each.hash !== reference?.hash);
  return {
    changed: uniqueHashes(later),
    unknown: isUnknown
      ? "the service had no hash of the script when it was approved: review its content, and approve it again"
      : "",
  };
}

/** The newest version of each content, newest first. */
function uniqueHashes(versions: readonly SeenVersion[]): readonly SeenVersion[] {
  const hashes = versions.map(({ hash }) => hash);
  return versions.filter(({ hash }, nth) => hashes.indexOf(hash) === nth);
}
