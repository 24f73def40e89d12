import type { ZoneImpact } from "../impact/zone-impact.ts";
import { impactJson } from "../report/impact-json.ts";
import { impactMarkdown } from "../report/impact-markdown.ts";
import { renderImpacts } from "../report/impact-text.ts";
import { reportJson } from "../report/plan-json.ts";
import { renderMarkdown } from "../report/plan-markdown.ts";
import { renderReports } from "../report/plan-text.ts";
import type { RunReport, ZoneReport } from "../report/run-report.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { desiredOrProblems, hasErrors, printProblems } from "./load.ts";
import { hasColor, type Machine } from "./machine.ts";
import type { Look } from "./one-look.ts";
import { lookOnce } from "./one-look.ts";
import type { Session } from "./session.ts";

/** What `plan` and `apply` are told. */
export interface OnceFlags {
  readonly config: string;
  readonly format: "text" | "json" | "markdown";
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
}

/** What a command made of a look: a report for each zone, and how they make an exit code. */
export interface Finished {
  readonly reports: readonly ZoneReport[];
  /** What plans do to what was detected; `undefined`: nobody asked. */
  readonly impacts: readonly ZoneImpact[] | undefined;
  readonly exitCodeOf: (reports: readonly ZoneReport[]) => ExitCode;
}

/** Goes once from the files to a report: load, look at every zone, `finish`, print. Mistakes in files end it before any request. */
export async function once(
  flags: OnceFlags,
  accept: readonly string[],
  session: Session,
  finish: (look: Look, revision: string) => Promise<Finished>,
): Promise<ExitCode> {
  const { config, machine, stop } = session;
  const state = await desiredOrProblems(config, machine, stop);
  if (state === undefined) return exitCodes.invalid;
  const startedAt = machine.clock.now();
  const look = await lookOnce({ state, only: flags.zones, accept }, session);
  printProblems({ ...state, problems: look.problems }, machine);
  if (hasErrors(look.problems)) return exitCodes.invalid;
  if (look.unmatched.length > 0) {
    machine.stderr.write(look.unmatched.map(unmatchedText).join(""));
    return exitCodes.failed;
  }
  const { reports, impacts, exitCodeOf } = await finish(look, state.revision);
  const report = { revision: state.revision, startedAt, zones: reports };
  printReport(report, impacts, flags.format, machine);
  return exitCodeOf(reports);
}

/** A mistyped zone in a pipeline must not pass for a zone in sync. */
function unmatchedText(pattern: string): string {
  return `error: ${pattern}: no declared zone has this name; \`zonewarden validate\` checks what is declared\n`;
}

/** Prints what came of a command, where results go. */
export function printReport(
  report: Pick<RunReport, "revision" | "startedAt" | "zones">,
  impacts: readonly ZoneImpact[] | undefined,
  format: OnceFlags["format"],
  machine: Machine,
): void {
  const finishedAt = machine.clock.now();
  const whole: RunReport = { ...report, trigger: "manual", finishedAt };
  switch (format) {
    case "text": {
      const color = hasColor(machine, machine.stdout);
      machine.stdout.write(`${renderReports(report.zones, { color })}\n`);
      if (impacts !== undefined) machine.stdout.write(`\n${renderImpacts(impacts, { color })}\n`);
      return;
    }
    case "json": {
      const impact = impacts === undefined ? {} : { impact: impacts.map(impactJson) };
      machine.stdout.write(`${JSON.stringify({ ...reportJson(whole), ...impact }, null, 2)}\n`);
      return;
    }
    case "markdown": {
      const impact = impacts === undefined ? "" : `\n\n${impactMarkdown(impacts).trimEnd()}`;
      machine.stdout.write(`${renderMarkdown(whole).trimEnd()}${impact}\n`);
    }
  }
}
