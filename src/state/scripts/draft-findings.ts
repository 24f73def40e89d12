import { dayMs } from "../../syntax/time-units.ts";
import { dayOf, endOf } from "../../syntax/written-date.ts";
import type { AuthorisedScript, DeclaredScripts } from "../../zone/declared-scripts.ts";
import { maliciousReasons, type Script } from "../../zone/inventory-item.ts";
import { judgeContent } from "./authorised-entry.ts";
import type { FindingKind, ScriptFinding, ScriptWatch, WatchedScript } from "./script-watch.ts";
import type { FoundScript } from "./watched-scripts.ts";

/** A finding before it is compared with those of the check before. */
export interface DraftFinding extends Pick<
  ScriptFinding,
  "kind" | "subject" | "detail" | "pageUrls" | "versions"
> {
  /** What makes it another finding of its kind, with whole URLs. */
  readonly key: string;
}

/** Requirement 11.6.1 of PCI DSS asks for a check every seven days. */
const longestGapMs = 7 * dayMs;

/** What is wrong with the entries by themselves: nothing has to be read for it. */
export function entryDrafts({ authorised }: DeclaredScripts, now: Date): readonly DraftFinding[] {
  return authorised.flatMap((entry) => [...reviewDrafts(entry, now), ...missingDrafts(entry)]);
}

function reviewDrafts({ url, reviewBy }: AuthorisedScript, now: Date): readonly DraftFinding[] {
  const end = endOf(reviewBy);
  if (end === undefined || now < end) return [];
  const detail = `the script should have been reviewed by ${reviewBy}`;
  return [draftOf("review_overdue", url, `${url} ${reviewBy}`, detail)];
}

function missingDrafts(entry: AuthorisedScript): readonly DraftFinding[] {
  const absent = [
    ...(entry.owner === "" ? ["owner"] : []),
    ...(entry.justification === "" ? ["justification"] : []),
    ...(entry.reviewBy === "" ? ["review_by"] : []),
  ];
  if (absent.length === 0) return [];
  const detail = `the entry has no ${absent.join(", no ")}`;
  return [draftOf("unjustified", entry.url, `${entry.url} `, detail)];
}

/** Authorised scripts that were not seen for as long as the declaration says. */
export function goneDrafts(
  { goneAfterDays }: DeclaredScripts,
  seen: ScriptWatch["seen"],
  now: Date,
): readonly DraftFinding[] {
  return [...seen].flatMap(([url, last]) => {
    if (Number(now) - Number(last) < goneAfterDays * dayMs) return [];
    const detail = `no browser reported the script on the pages since ${dayOf(last)}`;
    return [draftOf("gone", url, `${url} `, detail)];
  });
}

/** A finding on an entry, or on the zone as a whole (""). */
function draftOf(kind: FindingKind, subject: string, key: string, detail: string): DraftFinding {
  return { kind, key, subject, detail, pageUrls: [], versions: [] };
}

/** That the pages were not monitored: switched off, not read, or without any report. */
export function monitoringDrafts(
  isMonitored: boolean | undefined,
  scripts: readonly Script[],
  { since }: Pick<ScriptWatch, "since">,
  now: Date,
): readonly DraftFinding[] {
  const reported = scripts.flatMap(({ lastSeenAt }) => (lastSeenAt ? [Number(lastSeenAt)] : []));
  const newest = new Date(Math.min(Math.max(Number(since), ...reported), Number(now)));
  return [
    ...(isMonitored === false
      ? [draftOf("unmonitored", "", "", "Page Shield is switched off: scripts are not monitored")]
      : []),
    ...gapDrafts(`reports ${dayOf(newest)}`, "browsers reported no script", newest, now),
  ];
}

/** That the inventory was not read for more than seven days. */
export function readGapDrafts(lastRead: Date, now: Date): readonly DraftFinding[] {
  return gapDrafts(`read ${lastRead.toISOString()}`, "the inventory was not read", lastRead, now);
}

function gapDrafts(key: string, what: string, from: Date, now: Date): readonly DraftFinding[] {
  if (Number(now) - Number(from) <= longestGapMs) return [];
  return [draftOf("gap", "", key, `${what} since ${from.toISOString()}`)];
}

/** What is wrong with the scripts in use on the pages. */
export function scriptDrafts(
  found: readonly FoundScript[],
  maliciousBelow: number,
): readonly DraftFinding[] {
  return found.flatMap(({ script, entry, watched }) => {
    const reasons = maliciousReasons(script, maliciousBelow);
    const approved = watched.isAuthorised ? entry : undefined;
    const draft = (kind: FindingKind, detail: string): DraftFinding => ({
      kind,
      key: script.url,
      subject: watched.url,
      detail,
      pageUrls: watched.pageUrls,
      versions: [{ hash: watched.hash, fetchedAt: watched.fetchedAt }],
    });
    return [
      ...(reasons.length > 0
        ? [draft("malicious", `the script is malicious: ${reasons.join(", ")}`)]
        : []),
      ...(approved === undefined
        ? [draft("unauthorised", unauthorisedText(entry))]
        : contentDrafts(approved, watched, draft)),
    ];
  });
}

function unauthorisedText(entry: AuthorisedScript | undefined): string {
  return entry === undefined
    ? "no entry authorises the script"
    : `its entry ${entry.url} is not approved: approved_by and approved_on`;
}

function contentDrafts(
  entry: AuthorisedScript,
  script: WatchedScript,
  draft: (kind: FindingKind, detail: string) => DraftFinding,
): readonly DraftFinding[] {
  const { changed, unknown } = judgeContent(entry, script);
  const unverified = unknown === "" ? [] : [draft("unverified", unknown)];
  const changes = changed.map((version) => {
    const when =
      version.fetchedAt === undefined ? "" : `, fetched ${version.fetchedAt.toISOString()}`;
    const found = draft(
      "changed",
      `the content ${version.hash.slice(0, 12)}…${when} is not the approved one`,
    );
    return { ...found, key: `${found.key} ${version.hash}`, versions: [version] };
  });
  return [...unverified, ...changes];
}
