import { causesIn } from "../plan/cause/cause.ts";
import { planHash } from "../plan/guard/release.ts";
import type { Unowned } from "../plan/ownership.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unmanaged } from "../plan/write-order.ts";
import {
  type Failure,
  isAllDone,
  type Outcome,
  type PlannedReport,
  type ZoneReport,
} from "../state/run-report.ts";
import { summarize, type Summary } from "../state/summary.ts";
import { allOf, firstOf } from "../syntax/first-of.ts";
import { sum } from "../syntax/sum.ts";
import { kinds, kindWords, listedKinds } from "../zone/resource.ts";
import type { Write } from "../zone/write.ts";
import type { ZoneName } from "../zone/zone.ts";
import { agoOf, authorsText, causeRemark, causeWords } from "./cause-text.ts";
import { changeLines, effectMarks } from "./change-text.ts";
import { plural, printable, durationText, type Paint, paintOf, wrap, shortHash } from "./format.ts";
import {
  factsOfPlan,
  otherGroups,
  type PlanGroup,
  reviewGroups,
  whySkipped,
} from "./plan-groups.ts";

/** If more zones than this are in sync, their unmanaged resources are not listed. */
const maxInSync = 5;

/** If more zones than this have something to show, equal statements stand once with their zones. */
const mostBlocks = 10;

/** More changes that nobody must review are counted. */
const mostChanges = 40;

/** Names of zones that stand with a statement; the others are counted. */
const mostZones = 3;

export interface TextOptions {
  readonly color: boolean;
  /** Whether each zone is shown in full, however many there are. */
  readonly verbose?: boolean | undefined;
  /** Zones that the files no longer declare. */
  readonly dropped?: readonly ZoneName[] | undefined;
}

/**
 * Zone reports as text: a block for each zone that is not simply in sync, or, for many zones, a block for each statement
 * with its zones, what a person must see first; and a summary line.
 */
export function renderReports(
  reports: readonly ZoneReport[],
  { color, verbose = false, dropped = [] }: TextOptions,
): string {
  const paint = paintOf(color);
  const remarkable = reports.filter(
    (report) => report.result === "in_sync" && aboutTexts(report.plan).length > 0,
  );
  const left = remarkable.length > maxInSync ? new Set(remarkable) : new Set();
  const shown = reports.filter((report) => !left.has(report));
  const blocks = shown.map((report) => zoneLines(report, paint)).filter(({ length }) => length > 0);
  const gone = reviewGroups([], dropped).map((group) => groupLines(group, paint));
  const isLong = blocks.length > mostBlocks && !verbose;
  const inSync = `${plural(left.size, "zone")} in sync with unmanaged resources, left alone, or with notes; name a zone to list its own`;
  return [
    ...(isLong
      ? groupBlocks(shown, dropped, paint)
      : [...blocks, ...gone].map((lines) => lines.join("\n"))),
    ...(left.size === 0 ? [] : [inSync]),
    paint("bold", summaryText(summarize(reports))),
    ...(isLong ? ["Each zone in full: name it, or add --verbose."] : []),
  ].join("\n\n");
}

/** The statements about many zones: those that a person must see, then the others, those of the most zones first. */
function groupBlocks(
  reports: readonly ZoneReport[],
  dropped: readonly ZoneName[],
  paint: Paint,
): readonly string[] {
  const facts = reports.map(factsOfPlan);
  const review = reviewGroups(facts, dropped);
  const others = otherGroups(facts).toSorted((a, b) => b.zones.length - a.zones.length);
  const more = others.slice(mostChanges);
  const zones = new Set(more.flatMap((group) => group.zones)).size;
  const blocksOf = (title: string, groups: readonly PlanGroup[]) =>
    groups.length === 0
      ? []
      : [paint("bold", title), ...groups.map((group) => groupLines(group, paint).join("\n"))];
  return [
    ...blocksOf("Review first", review),
    ...blocksOf(review.length === 0 ? "Changes" : "Other changes", others.slice(0, mostChanges)),
    ...(more.length === 0
      ? []
      : [`${plural(more.length, "more change")} in ${plural(zones, "zone")}: add --verbose`]),
  ];
}

function groupLines(group: PlanGroup, paint: Paint): readonly string[] {
  const { zones, kind, direction, head, code, remarks, text } = group;
  const style = direction === "" ? groupStyles[kind] : effectMarks[direction].style;
  const names = firstOf(zones.map(printable), mostZones);
  const said = [code, ...remarks].filter((each) => each !== "").map(printable);
  const what = wrap([head, ...said].join("  "), width);
  const why = text === "" ? [] : wrap(printable(text), width - 2);
  return [
    zones.length === 1
      ? paint("bold", names)
      : `${paint("bold", plural(zones.length, "zone"))}  ${paint("dim", names)}`,
    ...what.map((line, at) => (at === 0 ? `  ${paint(style, line)}` : `    ${line}`)),
    ...why.map((line) => `      ${line}`),
  ];
}

const groupStyles = {
  failed: "red",
  held: "yellow",
  dropped: "yellow",
  left: "yellow",
  changed: "dim",
} as const satisfies Readonly<Record<PlanGroup["kind"], string>>;

/** Of a line, without its indent. */
const width = 94;

function zoneLines(report: ZoneReport, paint: Paint): readonly string[] {
  const head = (words: string) => `${paint("bold", report.zone)}  ${words}`;
  switch (report.result) {
    case "in_sync": {
      const about = aboutLines(report.plan, paint);
      return about.length === 0 ? [] : [head(paint("green", "in sync")), ...about];
    }
    case "error":
      return [head(paint("red", "read failed")), ...failureLines(report.failure, paint)];
    case "held":
      return [
        head(paint("yellow", titleText(report))),
        ...planLines(report, paint),
        ...report.holds.flatMap(({ reason, message }) =>
          hanging(`held by ${reason}: ${printable(message)}`, "yellow", paint),
        ),
      ];
    case "planned":
      return [head(titleText(report)), ...planLines(report, paint)];
    case "applied":
      return [
        head(paint(isAllDone(report.outcomes) ? "green" : "red", titleText(report))),
        ...planLines(report, paint),
        ...report.outcomes.flatMap((outcome) => outcomeLines(outcome, paint)),
        ...leftLines(report, paint),
      ];
  }
}

function planLines({ plan, finishedAt }: PlannedReport, paint: Paint): readonly string[] {
  const count = plural(plan.writes.length, "request");
  const cost = `${count} (plan ${shortHash(planHash(plan))}): ${callsText(plan.writes)}`;
  return [
    ...plan.changes.flatMap((change) =>
      changeLines(change, paint, {
        cause: causeRemark(change, plan.changes),
        authors: authorsText(change, agoOf(finishedAt)),
      }).map((line) => `  ${line}`),
    ),
    ...aboutLines(plan, paint),
    ...hanging(cost, "dim", paint),
  ];
}

function callsText(writes: readonly Write[]): string {
  const calls = Map.groupBy(writes, ({ call }) => call);
  return [...calls]
    .map(([call, { length }]) => (length === 1 ? call : `${length} × ${call}`))
    .join(", ");
}

function aboutLines(plan: Plan, paint: Paint): readonly string[] {
  return aboutTexts(plan).flatMap((line) => hanging(line, "dim", paint));
}

/** Unmanaged resources, declared ones that are not ours, and notes. */
export function aboutTexts({ unmanaged, unowned, notes }: Plan): readonly string[] {
  return [
    ...unmanagedLines(unmanaged).map((words) => `unmanaged, left alone: ${words}`),
    ...unownedLines(unowned),
    ...notes.map((note) => `note: ${printable(note)}`),
  ];
}

/** A long line broken at spaces, with what follows the first part indented. */
function hanging(line: string, style: "dim" | "yellow", paint: Paint): readonly string[] {
  return wrap(line, 96).map((part, at) => paint(style, `${at === 0 ? "  " : "    "}${part}`));
}

function failureLines({ code, message, ray }: Failure, paint: Paint): readonly string[] {
  const where = ray === "" ? "" : paint("dim", ` (ray ${printable(ray)})`);
  return [`  ${paint("red", code)}: ${printable(message)}${where}`];
}

function outcomeLines(outcome: Outcome, paint: Paint): readonly string[] {
  const name = `${outcome.write.call} ${outcome.write.changes.join(", ")}`;
  switch (outcome.status) {
    case "done":
      return [
        paint("green", `  ✓ ${name}`),
        ...(outcome.interleaved
          ? [paint("yellow", "    somebody else changed the zone at the same time")]
          : []),
      ];
    case "failed":
      return [paint("red", `  ✗ ${name}`), ...failureLines(outcome.failure, paint).map(indented)];
    case "unknown":
      return [
        paint("magenta", `  ? ${name}: the answer was lost; the next run reads what came of it`),
        ...failureLines(outcome.failure, paint).map(indented),
      ];
    case "skipped":
      return [paint("dim", `  – ${name}: not sent, ${whySkipped(outcome)}`)];
  }
}

function leftLines(
  report: ZoneReport & { readonly result: "applied" },
  paint: Paint,
): readonly string[] {
  if (!isAllDone(report.outcomes) || report.left.length === 0) return [];
  const keys = report.left.map(({ key }) => key).join(", ");
  const text = `written, but the zone still differs: ${keys}; run plan to see the remaining changes`;
  return [paint("red", `  ${text}`)];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** What a run came to, in a few words. */
export function titleText(report: Exclude<PlannedReport, { readonly result: "in_sync" }>): string {
  if (report.result === "applied") {
    const done = report.outcomes.filter(({ status }) => status === "done").length;
    return `${done} of ${plural(report.outcomes.length, "request")} done`;
  }
  const { changes } = report.plan;
  const why = [causeWords(causesIn(changes)), ...(report.result === "held" ? ["held"] : [])];
  return [plural(changes.length, "change"), ...why.filter((words) => words !== "")].join(", ");
}

/** A run in one line: planned or sent changes, and how many zones are in sync. */
export function summaryText({ zones, converged, changes, writes, outcomes }: Summary): string {
  const total = sum(Object.values(zones));
  const states = [
    `${converged} of ${plural(total, "zone")} in sync`,
    ...(zones.held > 0 ? [`${zones.held} held`] : []),
    ...(zones.error > 0 ? [`${zones.error} not read`] : []),
  ].join(", ");
  if (zones.applied > 0) {
    const ends = Object.entries(outcomes).filter(([, count]) => count > 0);
    const sent = ends.map(([status, count]) => `${count} ${status}`).join(", ");
    return `Applied to ${plural(zones.applied, "zone")}: requests ${sent}. ${states}.`;
  }
  if (changes.create + changes.update + changes.delete === 0) {
    return zones.error === 0
      ? `No changes. ${states}.`
      : unreadSummary(zones.error, converged, total);
  }
  const verbs = `${changes.create} to create, ${changes.update} to update, ${changes.delete} to delete`;
  return `Plan: ${verbs}, in ${plural(writes, "request")}. ${states}.`;
}

/** Zones that could not be read come first: they must not pass for in sync. */
function unreadSummary(unreadable: number, converged: number, total: number): string {
  const unread = `${plural(unreadable, "zone")} could not be read`;
  if (unreadable === total) return `Nothing could be planned: ${unread}.`;
  return `${unread}. No changes in the others: ${converged} of ${plural(total, "zone")} in sync.`;
}

/** Titles that are listed of a kind; the rest is counted. */
const mostNamed = 3;

/** Unmanaged resources, a line for each kind: the count and the first titles. */
function unmanagedLines(unmanaged: readonly Unmanaged[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const titles = unmanaged
      .filter((each) => each.kind === kind)
      .map(({ id, title }) => `“${printable(title || id)}”`);
    if (titles.length === 0) return [];
    return [`${plural(titles.length, kindWords(kind))}: ${firstOf(titles, mostNamed)}`];
  });
}

/** Declared resources that are not ours: what a deletion from the files would leave behind. */
export function unownedLines(unowned: readonly Unowned[]): readonly string[] {
  if (unowned.length === 0) return [];
  const keys = unowned.map(({ key }) => printable(key));
  const counts = listedKinds.flatMap((kind) => {
    const { length } = unowned.filter((each) => each.kind === kind);
    return length === 0 ? [] : [plural(length, kindWords(kind))];
  });
  const it = unowned.length === 1 ? "it" : "they";
  return [
    `unmanaged, declared: ${allOf(counts)} (${firstOf(keys, mostNamed)}): deleted from the files, ${it} would stay live; zonewarden adopt takes ownership`,
  ];
}

export interface SweepForecast {
  readonly requests: number;
  /** Within the request budget. */
  readonly ms: number;
}

/** Shorter durations are not shown: the budget allows such a burst. */
const shortestShown = 60_000;

export function sweepText({ requests, ms }: SweepForecast): string {
  const time = ms < shortestShown ? "" : `: about ${durationText(ms)} within the budget`;
  return `A sweep of these zones costs ${plural(requests, "request")}${time}.`;
}
