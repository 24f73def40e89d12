import { hasColor, type Host } from "../../host/host.ts";
import { hasErrors } from "../../host/load.ts";
import { jsonText, plural } from "../../render/format.ts";
import { fleetHoldJson, fleetHoldText } from "../../render/held-fleet.ts";
import { impactJson } from "../../render/impact-json.ts";
import { renderImpacts } from "../../render/impact-text.ts";
import { reportJson } from "../../render/plan-json.ts";
import { type MarkdownExtras, renderMarkdown } from "../../render/plan-markdown.ts";
import { renderReports, sweepText } from "../../render/plan-text.ts";
import type { RunReport, ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodeInPart, exitCodes, fail } from "../output/exit-codes.ts";
import type { FleetFlags, PlannedFleet } from "./plan-all.ts";

interface Extras extends MarkdownExtras {
  /** Whether a person reviews the output: it fails where something to review did not fit. */
  readonly isReviewed?: boolean;
}

/**
 * Prints the reports of a fleet and returns the exit code of the command: `code`, unless zones are unknown, the listing
 * shows an error in the files, or what must be reviewed did not fit.
 */
export function finish(
  fleet: Planned & Pick<PlannedFleet, "listing" | "diagnostics">,
  zones: readonly ZoneReport[],
  code: ExitCode,
  flags: PrintedAs,
  host: Host,
  extras: Extras = {},
): ExitCode {
  const unseen = printReports(reportOf(fleet, zones, host), flags, host, extras);
  if (fleet.listing.failed.length > 0) return exitCodeInPart(code);
  const isGood = code === exitCodes.done || code === exitCodes.changes;
  if (isGood && hasErrors(fleet.diagnostics)) return exitCodes.invalid;
  const isPlanned = isGood || code === exitCodes.held;
  if (unseen === 0 || extras.isReviewed !== true || !isPlanned) return code;
  return fail(
    `${plural(unseen, "line")} to review did not fit into the Markdown. Read the whole plan in the file of --full, and split the change`,
    host,
  );
}

export type PrintedAs = Pick<FleetFlags, "format" | "verbose">;

type Planned = Pick<PlannedFleet, "revision" | "commit" | "startedAt">;

export function reportOf(
  { revision, commit, startedAt }: Planned,
  zones: readonly ZoneReport[],
  { clock }: Pick<Host, "clock">,
): RunReport {
  return { revision, commit, trigger: "manual", startedAt, finishedAt: clock.now(), zones };
}

/** Prints the reports. Returns how much of what must be reviewed did not fit. */
function printReports(
  report: RunReport,
  { format, verbose }: PrintedAs,
  host: Host,
  extras: Extras,
): number {
  const { unread, impacts, sweep, heldFleet, dropped } = extras;
  switch (format) {
    case "text": {
      const color = hasColor(host, host.stdout);
      host.stdout.write(`${renderReports(report.zones, { color, verbose, dropped })}\n`);
      if (heldFleet !== undefined) host.stdout.write(`${fleetHoldText(heldFleet)}\n`);
      if (sweep !== undefined) host.stdout.write(`${sweepText(sweep)}\n`);
      if (impacts !== undefined) host.stdout.write(`\n${renderImpacts(impacts, { color })}\n`);
      return 0;
    }
    case "json": {
      const json = {
        ...reportJson(report),
        ...(unread !== undefined && { store_unread: unread }),
        ...(heldFleet && { fleet_hold: fleetHoldJson(heldFleet) }),
        ...(sweep && { sweep: { requests: sweep.requests, seconds: sweep.ms / 1_000 } }),
        ...(impacts && { impact: impacts.map(impactJson) }),
      };
      host.stdout.write(jsonText(json));
      return 0;
    }
    case "markdown": {
      const { text, unseen } = renderMarkdown(report, extras);
      host.stdout.write(text);
      return unseen;
    }
  }
}
