import { hasColor, type Host } from "../../host/host.ts";
import { hasErrors, loadDesiredOrPrint, printProblems } from "../../host/load.ts";
import type { ZoneImpact } from "../../impact/zone-impact.ts";
import { isHash, planHash } from "../../plan/guard/release.ts";
import { impactJson } from "../../render/impact-json.ts";
import { renderImpacts } from "../../render/impact-text.ts";
import { reportJson } from "../../render/plan-json.ts";
import { impactMarkdown, renderMarkdown } from "../../render/plan-markdown.ts";
import { renderReports, type SweepForecast, sweepWords } from "../../render/plan-text.ts";
import type { RunReport, ZoneReport } from "../../state/run-report.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import { type ExitCode, exitCodeInPart, exitCodes } from "../output/exit-codes.ts";
import { planAll, type PlannedFleet } from "./plan-all.ts";
import type { Session } from "./session.ts";

/** What `plan` and `apply` are told. */
export interface RunOnceFlags {
  readonly config: string;
  readonly format: "text" | "json" | "markdown";
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
}

/** What is told beside the reports; `undefined`: nobody asked. */
export interface Extras {
  /** What plans do to what was detected. */
  readonly impacts: readonly ZoneImpact[] | undefined;
  readonly sweep: SweepForecast | undefined;
}

/** The reports say it all. */
export const noExtras: Extras = { impacts: undefined, sweep: undefined };

/** What a command made of a look: a report for each zone, and how they make an exit code. */
export interface Finished {
  readonly reports: readonly ZoneReport[];
  readonly beside: Extras;
  readonly exitCodeOf: (reports: readonly ZoneReport[]) => ExitCode;
}

/**
 * Goes once from the files to a report: load, look at every zone, `finish`, print. A mistake in a file ends it before any
 * request; one that only the zone listing shows holds its own zone and lets the others go on.
 */
export async function runOnce(
  flags: RunOnceFlags,
  accept: readonly string[],
  session: Session,
  finish: (look: PlannedFleet, revision: string) => Promise<Finished>,
): Promise<ExitCode> {
  const { config, host, stop } = session;
  const state = await loadDesiredOrPrint(config, host, stop);
  if (state === undefined) return exitCodes.invalid;
  const startedAt = host.clock.now();
  const look = await planAll({ state, only: flags.zones, accept }, session);
  // A name that the service does not list has a report of its own; an id has none.
  const named = new Set(state.documents.filter(isNamed).map(({ place }) => place));
  const diagnostics = look.diagnostics.filter(
    ({ code, place }) => code !== "ZONE_NOT_LISTED" || !named.has(place),
  );
  printProblems({ ...state, diagnostics }, host);
  const mistakes = [...look.unmatched.map(unmatchedText), ...idleHashes(accept, look)];
  if (mistakes.length > 0) {
    host.stderr.write(mistakes.join(""));
    return exitCodes.failed;
  }
  const { reports, beside, exitCodeOf } = await finish(look, state.revision);
  const report = { revision: state.revision, startedAt, zones: reports };
  printReport(report, beside, flags.format, host);
  const code = look.isWhole ? exitCodeOf(reports) : exitCodeInPart(exitCodeOf(reports));
  const isGood = code === exitCodes.done || code === exitCodes.changes;
  return isGood && hasErrors(diagnostics) ? exitCodes.invalid : code;
}

function isNamed({ target }: ZoneDocument): boolean {
  return target.by === "name";
}

/** A release that releases nothing is a mistake: the plan that was reviewed is not the one that would be carried out. */
function idleHashes(accept: readonly string[], { looked }: PlannedFleet): readonly string[] {
  const hashes = new Set(
    looked.flatMap(({ planned: { report } }) => ("plan" in report ? [planHash(report.plan)] : [])),
  );
  return accept
    .filter((hash) => !hashes.has(hash))
    .map(
      (hash) =>
        `error: --accept ${hash}: no plan has this hash now; \`zonewarden plan\` shows them\n`,
    );
}

/** A mistyped zone in a pipeline must not pass for a zone in sync. */
function unmatchedText(pattern: string): string {
  const remedy = isHash(pattern)
    ? "for a hash, repeat --accept in front of it"
    : "`zonewarden validate` checks what is declared";
  return `error: ${pattern}: no declared zone has this name; ${remedy}\n`;
}

/** Prints what came of a command, where results go. */
export function printReport(
  report: Pick<RunReport, "revision" | "startedAt" | "zones">,
  { impacts, sweep }: Extras,
  format: RunOnceFlags["format"],
  host: Host,
): void {
  const finishedAt = host.clock.now();
  const whole: RunReport = { ...report, trigger: "manual", finishedAt };
  switch (format) {
    case "text": {
      const color = hasColor(host, host.stdout);
      host.stdout.write(`${renderReports(report.zones, { color })}\n`);
      if (sweep !== undefined) host.stdout.write(`${sweepWords(sweep)}\n`);
      if (impacts !== undefined) host.stdout.write(`\n${renderImpacts(impacts, { color })}\n`);
      return;
    }
    case "json": {
      const told = {
        ...reportJson(whole),
        ...(sweep && { sweep: { requests: sweep.requests, seconds: sweep.ms / 1_000 } }),
        ...(impacts && { impact: impacts.map(impactJson) }),
      };
      host.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
      return;
    }
    case "markdown": {
      const impact = impacts === undefined ? "" : `\n\n${impactMarkdown(impacts).trimEnd()}`;
      const cost = sweep === undefined ? "" : `\n\n${sweepWords(sweep)}`;
      host.stdout.write(`${renderMarkdown(whole).trimEnd()}${cost}${impact}\n`);
    }
  }
}
