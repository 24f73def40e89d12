import { type Command, InvalidArgumentError } from "commander";

import type { Host } from "../../host/host.ts";
import { isHash } from "../../plan/guard/release.ts";
import { applyReviewed } from "../../reconcile/run/apply.ts";
import { printable } from "../../render/format.ts";
import { type ZoneReport, failureOf } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodeOfApply, exitCodes } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import {
  type FleetFlags,
  planAll,
  type PlannedFleet,
  type PlannedFleetZone,
} from "../session/plan-all.ts";
import { finish } from "../session/print-reports.ts";
import { rethrow, type Session, withSession } from "../session/session.ts";
import { applyPlanFile, type PlanFileFlags } from "./apply-plan-file.ts";

export const defineApply: DefineCommand = (command, host, end) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
    .configFile()
    .formats("text", "json", "markdown")
    .option(
      "--accept <hash>",
      "apply a plan although a guard holds it, by the hash that plan prints; can be repeated",
      acceptedHashes,
    )
    .option("--plan <file>", "apply exactly the plan that plan --out saved")
    .option("--check", "let the service check the ruleset writes without storing them")
    .examples(
      "zonewarden apply",
      "zonewarden apply shop.example.com",
      "zonewarden apply --accept 3f2a91c07be4 shop.example.com",
      "zonewarden apply --plan plan.json",
    )
    .action(async (zones: readonly string[], options: ApplyOptions, self: Command) => {
      const { plan, accept = [], check = false } = options;
      if (plan === undefined) {
        end(await runApply({ ...options, zones }, check ? checkZones : applyZones, host));
        return;
      }
      if (zones.length > 0 || accept.length > 0 || check) {
        self.error(
          "error: --plan applies a whole saved plan: remove the zones, --accept and --check",
        );
      }
      end(await applyPlanFile({ ...options, plan }, host));
    });
};

/** Reads `--accept`, once for each hash: an argument after the hash is a zone. */
function acceptedHashes(hash: string, before: readonly string[] | undefined): readonly string[] {
  if (isHash(hash)) return [...(before ?? []), hash];
  throw new InvalidArgumentError(
    "A hash has 12 hexadecimal digits, as plan prints them; name zones before --accept or after its hash.",
  );
}

type ApplyOptions = Omit<FleetFlags, "zones"> &
  Partial<Pick<PlanFileFlags, "plan">> & { readonly check?: boolean };

interface Applied {
  readonly reports: readonly ZoneReport[];
  readonly code: ExitCode;
}

/** Plans all zones first: a mistake shows before anything is written. */
async function runApply(
  flags: FleetFlags,
  work: (fleet: PlannedFleet, session: Session) => Promise<Applied>,
  host: Host,
): Promise<ExitCode> {
  return withSession(flags.config, host, async (session) => {
    const fleet = await planAll(flags, session);
    if (typeof fleet === "number") return fleet;
    const { reports, code } = await work(fleet, session);
    return finish(fleet, reports, code, flags.format, host);
  });
}

async function applyZones({ zones, missing }: PlannedFleet, session: Session): Promise<Applied> {
  const { service, host, signals } = session;
  const ports = { writer: service.writer, clock: host.clock, bug: rethrow };
  using progress = startProgress("writing zones", zones.filter(isPlanned).length, host.stderr);
  const applied: ZoneReport[] = [];
  for (const zone of zones) {
    applied.push(await applyReviewed(zone, ports, signals));
    if (isPlanned(zone)) progress.step();
  }
  const reports = [...applied, ...missing];
  return { reports, code: exitCodeOfApply(reports) };
}

function isPlanned({ planned }: PlannedFleetZone): boolean {
  return planned.report.result === "planned";
}

/**
 * `apply --check`: the service checks each ruleset write without storing it (SERVICE.md B.2). It cannot check writes of
 * settings and policies.
 */
async function checkZones({ zones, missing }: PlannedFleet, session: Session): Promise<Applied> {
  let refused = 0;
  for (const { planned } of zones) {
    const { report } = planned;
    const writes = report.result === "planned" ? report.plan.writes : [];
    for (const write of writes) {
      const answer = await checkWrite(write, planned, session);
      if (answer.isRefused) refused += 1;
      const name = `${report.zone}: ${write.call} ${write.changes.join(", ")}`;
      session.host.stderr.write(`${name}: ${printable(answer.text)}\n`);
    }
  }
  const reports = [...zones.map(({ planned }) => planned.report), ...missing];
  if (refused > 0) return { reports, code: exitCodes.failed };
  const isAllRead = reports.every(({ result }) => result !== "error");
  return { reports, code: isAllRead ? exitCodes.done : exitCodes.partial };
}

async function checkWrite(
  write: Write,
  { live }: PlannedFleetZone["planned"],
  { service, stop }: Session,
): Promise<{ readonly text: string; readonly isRefused: boolean }> {
  if (live === undefined) return { text: "not read", isRefused: true };
  try {
    const checked = await service.writer.check(live, write, stop);
    const text = checked === "accepted" ? "accepted by the service" : "cannot be checked";
    return { text, isRefused: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message } = failureOf(error);
    return { text: `${code}: ${message}`, isRefused: true };
  }
}
