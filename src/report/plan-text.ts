import { hashOf } from "../plan/plan-hash.ts";
import type { Plan } from "../plan/plan.ts";
import type { Refusal } from "../plan/refusal.ts";
import { kinds } from "../zone/resource.ts";
import { changeLines } from "./change-text.ts";
import type { Paint } from "./paint.ts";
import { paintOf } from "./paint.ts";
import type { Failure, Outcome, ZoneReport } from "./run-report.ts";
import type { Summary } from "./summary.ts";
import { summarize } from "./summary.ts";
import { printable } from "./value.ts";

/** Zone reports for people: a block for each zone that has something to say, and a line that counts. */
export function renderReports(
  reports: readonly ZoneReport[],
  options: { readonly color: boolean },
): string {
  const paint = paintOf(options.color);
  const blocks = reports
    .map((report) => zoneLines(report, paint))
    .filter(({ length }) => length > 0);
  return [...blocks.map((lines) => lines.join("\n")), summaryLine(summarize(reports), paint)].join(
    "\n\n",
  );
}

function zoneLines(report: ZoneReport, paint: Paint): readonly string[] {
  const head = (words: string) => `${paint("bold", report.zone)}  ${words}`;
  switch (report.result) {
    case "in-sync": {
      const about = aboutLines(report.plan, paint);
      return about.length === 0 ? [] : [head(paint("green", "in sync")), ...about];
    }
    case "unreadable":
      return [head(paint("red", "could not be read")), ...failureLines(report.failure, paint)];
    case "refused":
      return [
        head(paint("yellow", `${countText(report.plan)}, held`)),
        ...planLines(report.plan, paint),
        ...report.refusals.map((refusal) => refusalLine(refusal, paint)),
      ];
    case "ready":
      return [
        head(`${countText(report.plan)} (${report.cause})`),
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

function countText({ changes }: Plan): string {
  return plural(changes.length, "change");
}

function planLines(plan: Plan, paint: Paint): readonly string[] {
  const calls = plan.writes.map(({ call }) => call).join(", ");
  return [
    ...plan.changes.flatMap((change) => changeLines(change, paint).map((line) => `  ${line}`)),
    ...aboutLines(plan, paint),
    paint("dim", `  ${plural(plan.writes.length, "request")}: ${calls}  (plan ${hashOf(plan)})`),
  ];
}

/** What is said beside the changes: what is left alone, and notes. */
function aboutLines({ unmanaged, notes }: Plan, paint: Paint): readonly string[] {
  const left = kinds.flatMap((kind) => {
    const titles = unmanaged
      .filter((each) => each.kind === kind)
      .map(({ id, title }) => title || id);
    if (titles.length === 0) return [];
    const shown = titles.slice(0, 3).map(printable).join(", ");
    const more = titles.length > 3 ? ` and ${titles.length - 3} more` : "";
    return [`  unmanaged, left alone: ${plural(titles.length, kind)}: ${shown}${more}`];
  });
  return [...left, ...notes.map((note) => `  note: ${printable(note)}`)].map((line) =>
    paint("dim", line),
  );
}

function refusalLine({ code, message }: Refusal, paint: Paint): string {
  return paint("yellow", `  held by ${code}: ${printable(message)}`);
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
        paint("magenta", `  ? ${name}: the answer was lost, the next look decides`),
        ...failureLines(outcome.failure, paint).map(indented),
      ];
    case "skipped":
      return [paint("dim", `  – ${name}: not sent (${outcome.because})`)];
  }
}

function leftLines(
  report: ZoneReport & { readonly result: "applied" },
  paint: Paint,
): readonly string[] {
  const isDone = report.outcomes.every(({ status }) => status === "done");
  if (!isDone || report.left.length === 0) return [];
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

function summaryLine({ zones, changes, writes, outcomes }: Summary, paint: Paint): string {
  const total = Object.values(zones).reduce((sum, count) => sum + count, 0);
  const verbs = `${changes.create} to create, ${changes.update} to update, ${changes.delete} to delete`;
  const states = [
    `${zones["in-sync"]} of ${plural(total, "zone")} in sync`,
    ...(zones.refused > 0 ? [`${zones.refused} held`] : []),
    ...(zones.unreadable > 0 ? [`${zones.unreadable} unreadable`] : []),
  ].join(", ");
  if (zones.applied > 0) {
    const ends = Object.entries(outcomes).filter(([, count]) => count > 0);
    const sent = ends.map(([status, count]) => `${count} ${status}`).join(", ");
    return paint(
      "bold",
      `Applied to ${plural(zones.applied, "zone")}: requests ${sent}. ${states}.`,
    );
  }
  if (changes.create + changes.update + changes.delete === 0) {
    return paint("bold", `No changes. ${states}.`);
  }
  return paint("bold", `Plan: ${verbs}, in ${plural(writes, "request")}. ${states}.`);
}

function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
}
