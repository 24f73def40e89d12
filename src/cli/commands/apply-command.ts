import { printable } from "../../render/format.ts";
import { failureOf } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { DefineCommand } from "../command-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import {
  acceptedHashes,
  type AppliedZones,
  type ApplyFlags,
  applyZones,
} from "../session/apply-zones.ts";
import { tellHeldByDaemon } from "../session/fleet-hold.ts";
import { planAll, type PlannedFleet, type PlannedFleetZone } from "../session/plan-all.ts";
import { finish } from "../session/print-reports.ts";
import { type Session, withSession } from "../session/session.ts";
import { applyPlanFile, type PlanFileFlags } from "./apply-plan-file.ts";

export const defineApply: DefineCommand = (command, host) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
    .selector()
    .configFile()
    .formats("text", "json", "markdown")
    .option(
      "--accept <hash>",
      "apply a plan although a guard holds it, or many zones, by the hash that plan and apply print; can be repeated",
      acceptedHashes,
    )
    .option("--yes", "write without asking; on a terminal, apply asks before the first write")
    .option("--enforce", "write the named zones although the mode is observe; asks, or takes --yes")
    .option("--plan <file>", "apply exactly the plan that plan --out saved")
    .option(
      "--verify-key <file>",
      "apply the saved plan only if it is signed for this Ed25519 public key (PEM)",
    )
    .option("--no-audit", "do not ask the audit log who made drift")
    .quiet()
    .verbose()
    .option("--check", "let the service check the ruleset writes without storing them")
    .examples(
      "zonewarden apply",
      "zonewarden apply shop.example.com",
      "zonewarden apply --accept HASH shop.example.com    # the 64 digits that plan prints",
      "zonewarden apply --enforce shop.example.com    # mode: observe holds the daemon",
      "zonewarden apply --plan plan.json",
      "zonewarden apply --plan plan.json --verify-key verify.pem",
    )
    .runs((zones: readonly string[], options: ApplyOptions) => {
      const usageError = usageErrorIn(zones, options);
      if (usageError !== undefined) command.error(`error: ${usageError}`);
      const { plan, check = false } = options;
      if (plan !== undefined) return applyPlanFile({ ...options, plan }, host);
      const flags = { ...options, zones };
      const work = check ? checkZones : applyZones;
      return withSession(flags, host, async (session) => {
        // All zones first: a mistake shows before anything is written.
        const fleet = await planAll(flags, session);
        if (typeof fleet === "number") return fleet;
        const { reports, code } = await work(fleet, session, flags);
        const exitCode = finish(fleet, reports, code, flags, host);
        tellHeldByDaemon(reports, fleet.held, fleet, session);
        return exitCode;
      });
    });
};

function usageErrorIn(zones: readonly string[], options: ApplyOptions): string | undefined {
  const { plan, verifyKey, selector, check = false, enforce = false } = options;
  const isOther = zones.length > 0 || [selector, check, enforce].some(Boolean);
  if (plan !== undefined && isOther) {
    return "--plan applies a whole saved plan: remove the zones, --selector, --check and --enforce";
  }
  const areNamed = zones.length > 0 && !zones.some((zone) => zone.includes("*"));
  if (enforce && !areNamed) return "--enforce needs the names of zones, without *";
  const isAlone = verifyKey !== undefined && plan === undefined;
  return isAlone ? "--verify-key is about a saved plan: add --plan" : undefined;
}

type ApplyOptions = Omit<ApplyFlags, "zones"> &
  Partial<Pick<PlanFileFlags, "plan" | "verifyKey">> & {
    readonly check?: boolean;
  };

/**
 * `apply --check`: the service checks each ruleset write without storing it (SERVICE.md B.2). It cannot check writes of
 * settings and policies.
 */
async function checkZones(
  { zones, reports }: PlannedFleet,
  session: Session,
): Promise<AppliedZones> {
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
