import { isServiceError } from "../report/failure.ts";
import { reportJson } from "../report/plan-json.ts";
import { renderReports } from "../report/plan-text.ts";
import type { RunReport, ZoneReport } from "../report/run-report.ts";
import { connect, type Connected } from "./connect.ts";
import { reachService } from "./emulator.ts";
import { exitCodeOfFailure, exitCodes, type ExitCode } from "./exit-codes.ts";
import { configOrProblems, desiredOrProblems, hasErrors, printProblems } from "./load.ts";
import { hasColor, type Machine } from "./machine.ts";
import type { Look } from "./one-look.ts";
import { lookOnce } from "./one-look.ts";

/** What `plan` and `apply` are told. */
export interface OnceFlags {
  readonly config: string;
  readonly format: "text" | "json";
  /** Patterns of zone names; none means all. */
  readonly zones: readonly string[];
}

/** What a command made of a look: a report for each zone, and how they make an exit code. */
export interface Finished {
  readonly reports: readonly ZoneReport[];
  readonly exitCodeOf: (reports: readonly ZoneReport[]) => ExitCode;
}

/** Goes once from the files to a report: load, look at every zone, `finish`, print. Mistakes in files end it before any request. */
export async function once(
  flags: OnceFlags,
  accept: readonly string[],
  machine: Machine,
  finish: (look: Look, service: Connected, owner: string, stop: AbortSignal) => Promise<Finished>,
): Promise<ExitCode> {
  const stopping = new AbortController();
  const signal = stopping.signal;
  using _interrupt = machine.onSignal("SIGINT", () => stopping.abort());
  using _terminate = machine.onSignal("SIGTERM", () => stopping.abort());
  const config = await configOrProblems(flags.config, machine, signal);
  if (config === undefined) return exitCodes.invalid;
  const state = await desiredOrProblems(config, machine, signal);
  if (state === undefined) return exitCodes.invalid;

  const startedAt = machine.clock.now();
  await using reached = await reachService(config, machine, true);
  if (reached === undefined) return exitCodes.invalid;
  await using service = connect(config, reached.baseUrl, machine);
  try {
    const look = await lookOnce(
      { config, state, only: flags.zones, accept },
      service,
      machine,
      signal,
    );
    printProblems({ ...state, problems: look.problems }, machine);
    if (hasErrors(look.problems)) return exitCodes.invalid;
    const { reports, exitCodeOf } = await finish(look, service, config.desired.owner, signal);
    const finishedAt = machine.clock.now();
    print(
      { trigger: "manual", revision: state.revision, startedAt, finishedAt, zones: reports },
      flags,
      machine,
    );
    return exitCodeOf(reports);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    machine.stderr.write(`${error.code}: ${error.message}\n`);
    return exitCodeOfFailure(error.code);
  }
}

function print(report: RunReport, { format }: OnceFlags, machine: Machine): void {
  switch (format) {
    case "text": {
      const color = hasColor(machine, machine.stdout);
      machine.stdout.write(`${renderReports(report.zones, { color })}\n`);
      return;
    }
    case "json":
      machine.stdout.write(`${JSON.stringify(reportJson(report), null, 2)}\n`);
  }
}
