import path from "node:path";

import { forecastOf } from "../../daemon/sweep-schedule.ts";
import type { Host } from "../../host/host.ts";
import { fingerprintsOf } from "../../plan/saved/fingerprint.ts";
import { plural } from "../../render/format.ts";
import { planFileText } from "../../render/plan-file.ts";
import { type ExitCode, exitCodeOfPlan, exitCodes } from "../output/exit-codes.ts";
import type { PlannedFleetZone } from "../session/plan-all.ts";
import { runOnce, type RunOnceFlags } from "../session/run-once.ts";
import { type Session, withService } from "../session/session.ts";
import { readImpacts } from "./impact.ts";

/** What `plan` is told. */
export interface PlanFlags extends RunOnceFlags {
  /** Where to save the plan, for `apply --plan`. */
  readonly out?: string;
  /** Whether to judge what the plan does to what was detected. */
  readonly impact?: boolean;
}

/** `zonewarden plan`: says what would be changed, with nothing at hand that could change it. */
export async function planCommand(flags: PlanFlags, host: Host): Promise<ExitCode> {
  return withService(flags.config, host, (session) =>
    runOnce(flags, [], session, async ({ looked, missing }, revision) => {
      const { out } = flags;
      const isSaved = out === undefined || (await isSavedAs(out, looked, revision, session));
      const reports = [...looked.map(({ planned }) => planned.report), ...missing];
      const impacts = flags.impact === true ? await readImpacts(looked, session) : undefined;
      const exitCodeOf = isSaved ? exitCodeOfPlan : () => exitCodes.failed;
      const declared = looked.map((each) => each.declared.desired);
      const beside = { impacts, sweep: forecastOf(declared, session.service) };
      return { reports, beside, exitCodeOf };
    }),
  );
}

/** A plan is good for a day: what was reviewed yesterday is not what is true tomorrow. */
const validMs = 24 * 3_600_000;

/** Saves what may be carried out, unless the file cannot be written; a plan that a guard holds is not among it. */
async function isSavedAs(
  out: string,
  looked: readonly PlannedFleetZone[],
  revision: string,
  { config, baseUrl, host }: Session,
): Promise<boolean> {
  const createdAt = host.clock.now();
  const zones = looked.flatMap(({ planned: { report, live } }) =>
    report.result === "planned" && live !== undefined
      ? [{ plan: report.plan, fingerprints: fingerprintsOf(report.plan, live) }]
      : [],
  );
  const text = planFileText({
    owner: config.desired.owner,
    service: baseUrl,
    revision,
    createdAt,
    expiresAt: new Date(Number(createdAt) + validMs),
    zones,
  });
  try {
    await host.namedFiles.save(path.resolve(host.directory, out), text);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    host.stderr.write(`${out}: cannot be written (${String(error.code)}); give another place\n`);
    return false;
  }
  host.stderr.write(
    `The plan for ${plural(zones.length, "zone")} is in ${out}; carry it out within a day with: zonewarden apply --plan ${out}\n`,
  );
  return true;
}
