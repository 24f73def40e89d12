import { isDeepStrictEqual } from "node:util";

import { sha256 } from "../../syntax/digest.ts";
import type { DeclaredScripts } from "../../zone/declared-scripts.ts";
import type { Script } from "../../zone/inventory-item.ts";
import { entryFinder } from "./authorised-entry.ts";
import {
  type DraftFinding,
  entryDrafts,
  goneDrafts,
  monitoringDrafts,
  readGapDrafts,
  scriptDrafts,
} from "./draft-findings.ts";
import { idsOf } from "./needed-reads.ts";
import {
  findingKinds,
  type FindingKind,
  type ScriptCheck,
  type ScriptEvent,
  type ScriptFinding,
  type ScriptWatch,
  type WatchedScript,
} from "./script-watch.ts";
import { foundScripts, maxPages, onPagesOf, type ScriptReading } from "./watched-scripts.ts";

export interface ScriptCheckInput {
  readonly declared: DeclaredScripts;
  /** `undefined`: the inventory could not be read, which is not an empty inventory. */
  readonly reading: ScriptReading | undefined;
  /** `undefined`: the first check. */
  readonly earlier: ScriptWatch | undefined;
  readonly now: Date;
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
}

/** The most scripts and findings that are kept of a zone: a page may load a script at a new random URL each time. */
const maxScripts = 1_000;
const maxFindings = 500;

/** The kinds that can be told without an inventory. */
const alwaysKnown: readonly FindingKind[] = ["review_overdue", "unjustified"];

/** Compares the declared scripts with what was read, and with the check before. */
export function checkScripts(input: ScriptCheckInput): ScriptCheck {
  const { declared, reading, now } = input;
  const before = input.earlier === undefined ? firstWatch(now) : withoutFuture(input.earlier, now);
  const gap = readGapDrafts(before.readAt ?? before.since, now);
  if (reading === undefined) {
    const kept = before.findings.filter(({ kind }) => !alwaysKnown.includes(kind));
    const drafts = [...entryDrafts(declared, now), ...gap];
    const news = findingsOf(drafts, before, input);
    const ids = new Set(news.map(({ id }) => id));
    const findings = [...news, ...kept.filter(({ id }) => !ids.has(id)).map(acceptedBy(input))];
    return withFindings(before, before, findings, []);
  }
  const onPages = onPagesOf(declared, reading, before);
  const found = foundScripts(declared, reading, onPages, before, now);
  const isAsked = reading.onPages !== undefined;
  const watch: ScriptWatch = {
    ...before,
    readAt: now,
    ...(isAsked && { pagesAt: now, pages: declared.pages, known: idsOf(reading.scripts) }),
    onPages: onPages.map(({ id }) => id),
    scripts: found.slice(0, maxScripts).map(({ watched }) => watched),
    moreScripts: Math.max(0, found.length - maxScripts),
    seen: seenEntries(declared, onPages, before, now),
  };
  const drafts = [
    ...scriptDrafts(found, input.maliciousBelow),
    ...monitoringDrafts(reading.isMonitored, reading.scripts, before, now),
    ...goneDrafts(declared, watch.seen, now),
    ...entryDrafts(declared, now),
  ];
  const current = findingsOf(drafts, before, input);
  // If the setting was not read, monitoring is as it was.
  const kept =
    reading.isMonitored === undefined
      ? before.findings.filter(({ kind }) => kind === "unmonitored").map(acceptedBy(input))
      : [];
  // A gap that nobody could report while it lasted is reported with its end.
  const missed = findingsOf(gap, before, input).filter(
    ({ id }) => !before.findings.some((each) => each.id === id),
  );
  const ended = missed.flatMap((finding): readonly ScriptEvent[] => [
    { event: "opened", finding },
    { event: "closed", finding },
  ]);
  return withFindings(
    before,
    watch,
    [...current, ...kept],
    [...scriptEventsOf(before, watch), ...ended],
  );
}

/** The end of the checks of a zone that no longer declares scripts: each finding is closed. */
export function lastScriptCheck(earlier: ScriptWatch): ScriptCheck {
  return withFindings(earlier, { ...earlier, scripts: [] }, [], []);
}

function firstWatch(now: Date): ScriptWatch {
  return {
    since: now,
    readAt: undefined,
    pagesAt: undefined,
    pages: [],
    onPages: [],
    known: "",
    scripts: [],
    moreScripts: 0,
    findings: [],
    moreFindings: 0,
    seen: new Map(),
    recordedAt: undefined,
  };
}

/** Moments of the future are none: the clock was set back, or the state was changed. */
function withoutFuture(watch: ScriptWatch, now: Date): ScriptWatch {
  const atMostNow = (moment: Date): Date => pastOf(moment, now) ?? now;
  return {
    ...watch,
    since: atMostNow(watch.since),
    readAt: watch.readAt && atMostNow(watch.readAt),
    pagesAt: pastOf(watch.pagesAt, now),
    recordedAt: pastOf(watch.recordedAt, now),
    seen: new Map([...watch.seen].map(([url, at]) => [url, atMostNow(at)])),
    findings: watch.findings.map((finding) => ({
      ...finding,
      firstSeenAt: atMostNow(finding.firstSeenAt),
      lastSeenAt: atMostNow(finding.lastSeenAt),
    })),
  };
}

function pastOf(moment: Date | undefined, now: Date): Date | undefined {
  return moment !== undefined && moment > now ? undefined : moment;
}

/** When a script of each entry was last seen on the pages; an entry without one waits from now on. */
function seenEntries(
  { authorised }: DeclaredScripts,
  onPages: readonly Script[],
  before: ScriptWatch,
  now: Date,
): ReadonlyMap<string, Date> {
  const entryOf = entryFinder(authorised);
  const last = new Map(before.seen);
  for (const { url, lastSeenAt } of onPages) {
    const entry = entryOf(url)?.url;
    if (entry === undefined || lastSeenAt === undefined || lastSeenAt > now) continue;
    const known = last.get(entry);
    if (known === undefined || known < lastSeenAt) last.set(entry, lastSeenAt);
  }
  return new Map(authorised.map(({ url }) => [url, last.get(url) ?? now]));
}

/** The findings of drafts, one for each id, the gravest first. */
function findingsOf(
  drafts: readonly DraftFinding[],
  before: ScriptWatch,
  input: ScriptCheckInput,
): readonly ScriptFinding[] {
  const known = new Map(before.findings.map((finding) => [finding.id, finding]));
  const accept = acceptedBy(input);
  const found = new Map<string, ScriptFinding>();
  for (const { key, ...draft } of drafts) {
    const id = idOf(draft.kind, key);
    // One URL can be on record for several hosts of the zone.
    const same = found.get(id);
    found.set(
      id,
      accept({
        ...draft,
        id,
        pageUrls: same === undefined ? draft.pageUrls : joined(same.pageUrls, draft.pageUrls),
        firstSeenAt: known.get(id)?.firstSeenAt ?? input.now,
        lastSeenAt: input.now,
        acceptance: undefined,
      }),
    );
  }
  return [...found.values()];
}

function joined(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].slice(0, maxPages);
}

function idOf(kind: FindingKind, key: string): string {
  return `${kind}-${sha256(`${kind} ${key}`).slice(0, 12)}`;
}

/** Marks a finding that the declaration acknowledges at this moment. */
function acceptedBy({
  declared,
  now,
}: ScriptCheckInput): (finding: ScriptFinding) => ScriptFinding {
  const valid = declared.acknowledged.filter(({ until }) => until > now);
  const byId = new Map(valid.map(({ id, ...acceptance }) => [id, acceptance]));
  return (finding) => ({ ...finding, acceptance: byId.get(finding.id) });
}

function withFindings(
  before: ScriptWatch,
  watch: ScriptWatch,
  all: readonly ScriptFinding[],
  events: readonly ScriptEvent[],
): ScriptCheck {
  const known = new Set(before.findings.map(({ id }) => id));
  const ordered = all.toSorted(
    (a, b) =>
      findingKinds.indexOf(a.kind) - findingKinds.indexOf(b.kind) ||
      // Beyond the limit, those stay that are known.
      Number(known.has(b.id)) - Number(known.has(a.id)),
  );
  const findings = ordered.slice(0, maxFindings);
  const next = { ...watch, findings, moreFindings: ordered.length - findings.length };
  return { watch: next, events: [...events, ...findingEventsOf(before.findings, findings)] };
}

function findingEventsOf(
  before: readonly ScriptFinding[],
  after: readonly ScriptFinding[],
): readonly ScriptEvent[] {
  const known = new Map(before.map((finding) => [finding.id, finding]));
  const left = new Set(after.map(({ id }) => id));
  return [
    ...after.flatMap((finding): readonly ScriptEvent[] => {
      const earlier = known.get(finding.id);
      const { acceptance } = finding;
      const opened = earlier === undefined ? [{ event: "opened", finding } as const] : [];
      if (isDeepStrictEqual(earlier?.acceptance, acceptance)) return opened;
      const wasAccepted = earlier?.acceptance !== undefined;
      const accepted = wasAccepted ? "renewed" : "acknowledged";
      const event = acceptance === undefined ? "reopened" : accepted;
      return [...opened, { event, finding }];
    }),
    ...before
      .filter(({ id }) => !left.has(id))
      .map((finding) => ({ event: "closed", finding }) as const),
  ];
}

function scriptEventsOf(before: ScriptWatch, after: ScriptWatch): readonly ScriptEvent[] {
  const known = new Map(before.scripts.map((script) => [script.id, script]));
  const left = new Set(after.scripts.map(({ id }) => id));
  const isMoved = (script: WatchedScript): boolean => known.get(script.id)?.hash !== script.hash;
  return [
    ...after.scripts.filter(isMoved).map((script) => {
      const event = known.has(script.id) ? "changed" : "appeared";
      return { event, script } as const;
    }),
    ...before.scripts
      .filter(({ id }) => !left.has(id))
      .map((script) => ({ event: "vanished", script }) as const),
  ];
}
