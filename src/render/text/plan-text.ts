import type { Hold } from "../../plan/guard/hold.ts";
import { planHash } from "../../plan/guard/plan-hash.ts";
import type { Plan } from "../../plan/plan.ts";
import { isAllDone } from "../../state/outcomes.ts";
import { plural } from "../../state/plural.ts";
import type { Failure, Outcome, ZoneReport } from "../../state/run-report.ts";
import { summarize } from "../../state/summary.ts";
import { printable } from "../../state/value.ts";
import type { Write } from "../../zone/write.ts";
import { changeLines } from "./change-text.ts";
import type { Paint } from "./paint.ts";
import { paintOf } from "./paint.ts";
import { causeWords, countWords, summaryWords } from "./plan-words.ts";
import { unmanagedWords } from "./unmanaged-words.ts";
import { wrap } from "./wrap.ts";

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
