import type { Hold } from "../plan/guard/hold.ts";
import { planHash } from "../plan/guard/release.ts";
import type { Unmanaged } from "../plan/kind-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { type Failure, isAllDone, type Outcome, type ZoneReport } from "../state/run-report.ts";
import { summarize, type Summary } from "../state/summary.ts";
import { kinds } from "../zone/resource.ts";
import type { Write } from "../zone/write.ts";
import { changeLines } from "./change-text.ts";
import { plural, printable, durationText, type Paint, paintOf, wrap } from "./format.ts";

/** Zone reports for people: a block for each zone that has something to say, and a line that counts. */
export function renderReports(
  reports: readonly ZoneReport[],
  options: { readonly color: boolean },
): string {
  const paint = paintOf(options.color);
  const blocks = reports
    .map((report) => zoneLines(report, paint))
    .filter(({ length }) => length > 0);
  return [
    ...blocks.map((lines) => lines.join("\n")),
    paint("bold", summaryWords(summarize(reports))),
  ].join("\n\n");
}

function zoneLines(report: ZoneReport, paint: Paint): readonly string[] {
  const head = (words: string) => `${paint("bold", report.zone)}  ${words}`;
  switch (report.result) {
    case "in_sync": {
      const about = aboutLines(report.plan, paint);
      return about.length === 0 ? [] : [head(paint("green", "in sync")), ...about];
    }
    case "error":
      return [head(paint("red", "could not be read")), ...failureLines(report.failure, paint)];
    case "held":
      return [
        head(paint("yellow", `${countWords(report.plan)}, held`)),
        ...planLines(report.plan, paint),
        ...report.holds.flatMap((hold) => refusalLines(hold, paint)),
      ];
    case "planned":
      return [
        head(`${countWords(report.plan)}, ${causeWords[report.cause]}`),
        ...planLines(report.plan, paint),
      ];
    case "applied":
      return [
        head(appliedText(report.outcomes, paint)),
        ...planLines(report.plan, paint),
        ...report.outcomes.flatMap((outcome) => outcomeLines(outcome, paint)),
        ...leftLines(report, paint),
      ];
  }
}

function planLines(plan: Plan, paint: Paint): readonly string[] {
  const count = plural(plan.writes.length, "request");
  const cost = `${count} (plan ${planHash(plan)}): ${callsText(plan.writes)}`;
  return [
    ...plan.changes.flatMap((change) => changeLines(change, paint).map((line) => `  ${line}`)),
    ...aboutLines(plan, paint),
    ...hanging(cost).map((line) => paint("dim", line)),
  ];
}

/** Each sort of request once, with how often it is sent. */
function callsText(writes: readonly Write[]): string {
  const calls = Map.groupBy(writes, ({ call }) => call);
  return [...calls]
    .map(([call, { length }]) => (length === 1 ? call : `${length} × ${call}`))
    .join(", ");
}

/** What is said beside the changes: what is left alone, and notes. */
function aboutLines({ unmanaged, notes }: Plan, paint: Paint): readonly string[] {
  const left = unmanagedWords(unmanaged).map((words) => `unmanaged, left alone: ${words}`);
  return [...left, ...notes.map((note) => `note: ${printable(note)}`)].flatMap((line) =>
    hanging(line).map((each) => paint("dim", each)),
  );
}

function refusalLines({ reason, message }: Hold, paint: Paint): readonly string[] {
  return hanging(`held by ${reason}: ${printable(message)}`).map((line) => paint("yellow", line));
}

/** A long line broken at spaces, with what follows the first part indented. */
function hanging(line: string): readonly string[] {
  return wrap(line, 96).map((part, index) => (index === 0 ? `  ${part}` : `    ${part}`));
}

function failureLines({ code, message, ray }: Failure, paint: Paint): readonly string[] {
  const where = ray === "" ? "" : paint("dim", ` (ray ${printable(ray)})`);
  return [`  ${paint("red", code)}: ${printable(message)}${where}`];
}

function appliedText(outcomes: readonly Outcome[], paint: Paint): string {
  const done = outcomes.filter(({ status }) => status === "done").length;
  const text = `${done} of ${plural(outcomes.length, "request")} done`;
  return paint(done === outcomes.length ? "green" : "red", text);
}

function outcomeLines(outcome: Outcome, paint: Paint): readonly string[] {
  const name = `${outcome.write.call} ${outcome.write.changes.join(", ")}`;
  switch (outcome.status) {
    case "done":
      return [
        paint("green", `  ✓ ${name}`),
        ...(outcome.interleaved
          ? [paint("yellow", "    somebody else wrote at the same time")]
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
      return [paint("dim", `  – ${name}: not sent, ${skipReasons[outcome.reason]}`)];
  }
}

const skipReasons = {
  earlier_failure: "an earlier request failed",
  shutdown: "the program was stopped",
  conflict: "the zone changed after it was planned",
  read_expired: "it waited until the state that was read was too old; the next run plans it again",
  cancelled: "a guard blocked it while it waited; the next run plans it again",
} as const;

function leftLines(
  report: ZoneReport & { readonly result: "applied" },
  paint: Paint,
): readonly string[] {
  if (!isAllDone(report.outcomes) || report.left.length === 0) return [];
  const keys = report.left.map(({ key }) => key).join(", ");
  return [
    paint(
      "red",
      `  written, but the answers show something else: ${keys}; run plan to see what is left`,
    ),
  ];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** Why there is something to do, in words. */
export const causeWords = {
  drift: "live has drifted",
  pending: "not carried out yet",
} as const;

/** How many changes a plan has. */
export function countWords({ changes }: Plan): string {
  return plural(changes.length, "change");
}

/** A run in one line: what is planned or was sent, and how many zones are as they shall be. */
export function summaryWords({ zones, converged, changes, writes, outcomes }: Summary): string {
  const total = Object.values(zones).reduce((sum, count) => sum + count, 0);
  const states = [
    `${converged} of ${plural(total, "zone")} in sync`,
    ...(zones.held > 0 ? [`${zones.held} held`] : []),
    ...(zones.error > 0 ? [`${zones.error} unreadable`] : []),
  ].join(", ");
  if (zones.applied > 0) {
    const ends = Object.entries(outcomes).filter(([, count]) => count > 0);
    const sent = ends.map(([status, count]) => `${count} ${status}`).join(", ");
    return `Applied to ${plural(zones.applied, "zone")}: requests ${sent}. ${states}.`;
  }
  if (changes.create + changes.update + changes.delete === 0) {
    return zones.error === 0
      ? `No changes. ${states}.`
      : unreadableWords(zones.error, converged, total);
  }
  const verbs = `${changes.create} to create, ${changes.update} to update, ${changes.delete} to delete`;
  return `Plan: ${verbs}, in ${plural(writes, "request")}. ${states}.`;
}

/** What could not be read comes first: it must not pass for all clear. */
function unreadableWords(unreadable: number, converged: number, total: number): string {
  const unread = `${plural(unreadable, "zone")} could not be read`;
  if (unreadable === total) return `Nothing could be planned: ${unread}.`;
  return `${unread}. No changes in the others: ${converged} of ${plural(total, "zone")} in sync.`;
}

/** How many of a kind are named before the rest is counted. */
const named = 3;

/** Live objects that are nobody's, a line for each kind: how many there are, and the first of them by name. */
export function unmanagedWords(unmanaged: readonly Unmanaged[]): readonly string[] {
  return kinds.flatMap((kind) => {
    const titles = unmanaged
      .filter((each) => each.kind === kind)
      .map(({ id, title }) => `“${printable(title || id)}”`);
    if (titles.length === 0) return [];
    const more = titles.length > named ? ` and ${titles.length - named} more` : "";
    return [`${plural(titles.length, kind)}: ${titles.slice(0, named).join(", ")}${more}`];
  });
}

/** What a look at all of some zones takes. */
export interface SweepForecast {
  readonly requests: number;
  /** Within the budgets. */
  readonly ms: number;
}

/** What is over sooner than this is not worth a word on its time: the budget lets so much through at once. */
const shortestTold = 60_000;

/** A forecast in a sentence. */
export function sweepWords({ requests, ms }: SweepForecast): string {
  const time = ms < shortestTold ? "" : `: about ${durationText(ms)} within the budget`;
  return `A sweep of these zones costs ${plural(requests, "request")}${time}.`;
}
