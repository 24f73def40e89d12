import { hasColor, type Host } from "../../host/host.ts";
import { hasErrors } from "../../host/load.ts";
import type { ZoneImpact } from "../../impact/zone-impact.ts";
import {
  fleetHoldJson,
  fleetHoldMarkdown,
  fleetHoldText,
  type HeldFleet,
} from "../../render/held-fleet.ts";
import { impactJson } from "../../render/impact-json.ts";
import { renderImpacts } from "../../render/impact-text.ts";
import { reportJson } from "../../render/plan-json.ts";
import { impactMarkdown, renderMarkdown } from "../../render/plan-markdown.ts";
import { renderReports, type SweepForecast, sweepText } from "../../render/plan-text.ts";
import type { RunReport, ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodeInPart, exitCodes } from "../output/exit-codes.ts";
import type { FleetFlags, PlannedFleet } from "./plan-all.ts";

/** What `plan` prints beside the reports. */
interface Extras {
  /** What the plans do to the inventory; `undefined` where it was not asked for. */
  readonly impacts?: readonly ZoneImpact[] | undefined;
  readonly sweep?: SweepForecast;
  /** The plans as far as the fleet guard holds them as a whole. */
  readonly heldFleet?: HeldFleet | undefined;
}

/**
 * Prints the reports of a fleet and returns the exit code of the command: `code`, unless zones are unknown or the listing
 * shows an error in the files.
 */
export function finish(
  {
    revision,
    commit,
    startedAt,
    isComplete,
    diagnostics,
  }: Pick<PlannedFleet, "revision" | "commit" | "startedAt" | "isComplete" | "diagnostics">,
  zones: readonly ZoneReport[],
  code: ExitCode,
  format: FleetFlags["format"],
  host: Host,
  extras: Extras = {},
): ExitCode {
  const report = {
    revision,
    commit,
    trigger: "manual",
    startedAt,
    finishedAt: host.clock.now(),
    zones,
  } as const;
  printReports(report, format, host, extras);
  const isGood = code === exitCodes.done || code === exitCodes.changes;
  if (!isComplete) return exitCodeInPart(code);
  return isGood && hasErrors(diagnostics) ? exitCodes.invalid : code;
}

function printReports(
  report: RunReport,
  format: FleetFlags["format"],
  host: Host,
  extras: Extras,
): void {
  const { impacts, sweep, heldFleet } = extras;
  switch (format) {
    case "text": {
      const color = hasColor(host, host.stdout);
      host.stdout.write(`${renderReports(report.zones, { color })}\n`);
      if (heldFleet !== undefined) host.stdout.write(`${fleetHoldText(heldFleet)}\n`);
      if (sweep !== undefined) host.stdout.write(`${sweepText(sweep)}\n`);
      if (impacts !== undefined) host.stdout.write(`\n${renderImpacts(impacts, { color })}\n`);
      return;
    }
    case "json": {
      const json = {
        ...reportJson(report),
        ...(heldFleet && { fleet_hold: fleetHoldJson(heldFleet) }),
        ...(sweep && { sweep: { requests: sweep.requests, seconds: sweep.ms / 1_000 } }),
        ...(impacts && { impact: impacts.map(impactJson) }),
      };
      host.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
      return;
    }
    case "markdown":
      host.stdout.write(
        `${[renderMarkdown(report).trimEnd(), ...markdownOf(extras)].join("\n\n")}\n`,
      );
  }
}

function markdownOf({ impacts, sweep, heldFleet }: Extras): readonly string[] {
  return [
    ...(heldFleet === undefined ? [] : [fleetHoldMarkdown(heldFleet)]),
    ...(sweep === undefined ? [] : [sweepText(sweep)]),
    ...(impacts === undefined ? [] : [impactMarkdown(impacts).trimEnd()]),
  ];
}
