import { InvalidArgumentError } from "commander";

import { hasColor, type Host } from "../../host/host.ts";
import { isHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import { changingZone } from "../../reconcile/fleet/fleet-guard.ts";
import { applyReviewed } from "../../reconcile/run/apply.ts";
import { plural, printable } from "../../render/format.ts";
import type { HeldFleet } from "../../render/held-fleet.ts";
import { failureOf, type ZoneReport } from "../../state/run-report.ts";
import { firstOf } from "../../syntax/first-of.ts";
import { logZone } from "../../telemetry/log/log-reports.ts";
import { createLogger, type Logger } from "../../telemetry/log/log.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { DefineCommand } from "../command-options.ts";
import { type ExitCode, exitCodeOfApply, exitCodes } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import {
  countOf,
  heldByFleet,
  heldFleet,
  limitsWith,
  storeWeakened,
} from "../session/fleet-hold.ts";
import {
  type FleetFlags,
  planAll,
  type PlannedFleet,
  type PlannedFleetZone,
} from "../session/plan-all.ts";
import { finish } from "../session/print-reports.ts";
import { rethrow, type Session, withSession } from "../session/session.ts";
import { applyPlanFile, type PlanFileFlags } from "./apply-plan-file.ts";

export const defineApply: DefineCommand = (command, host) => {
  command
    .argument("[zones...]", "only these zones (names; * matches anything)")
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
      return runApply({ ...options, zones }, check ? checkZones : applyZones, host);
    });
};

/** Options that do not go together. */
function usageErrorIn(zones: readonly string[], options: ApplyOptions): string | undefined {
  const { plan, verifyKey, check = false, enforce = false } = options;
  if (plan !== undefined && (zones.length > 0 || check || enforce)) {
    return "--plan applies a whole saved plan: remove the zones, --check and --enforce";
  }
  const areNamed = zones.length > 0 && !zones.some((zone) => zone.includes("*"));
  if (enforce && !areNamed) return "--enforce needs the names of zones, without *";
  const isAlone = verifyKey !== undefined && plan === undefined;
  return isAlone ? "--verify-key is about a saved plan: add --plan" : undefined;
}

/** Reads `--accept`, once for each hash: an argument after the hash is a zone. */
export function acceptedHashes(
  hash: string,
  before: readonly string[] | undefined,
): readonly string[] {
  if (isHash(hash)) return [...(before ?? []), hash];
  throw new InvalidArgumentError(
    "Copy the full hash of 64 hexadecimal digits that plan prints; name zones before --accept or after its hash.",
  );
}

type ApplyOptions = Omit<ApplyFlags, "zones"> &
  Partial<Pick<PlanFileFlags, "plan" | "verifyKey">> & {
    readonly check?: boolean;
  };

/** Plans all zones first: a mistake shows before anything is written. */
async function runApply(
  flags: ApplyFlags,
  work: (fleet: PlannedFleet, session: Session, flags: ApplyFlags) => Promise<AppliedZones>,
  host: Host,
): Promise<ExitCode> {
  return withSession(flags, host, async (session) => {
    const fleet = await planAll(flags, session);
    if (typeof fleet === "number") return fleet;
    const { reports, code } = await work(fleet, session, flags);
    return finish(fleet, reports, code, flags.format, host);
  });
}

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

export interface ApplyFlags extends FleetFlags {
  readonly yes?: boolean;
}

/** What became of the zones of a command, and its exit code. */
export interface AppliedZones {
  readonly reports: readonly ZoneReport[];
  readonly code: ExitCode;
}

/** Writes nothing where the fleet guard holds the plans, or a person on the terminal does not agree. */
export async function applyZones(
  fleet: PlannedFleet,
  session: Session,
  { zones, accept = [], yes = false, enforce = false }: ApplyFlags,
): Promise<AppliedZones> {
  const { config, host, signals } = session;
  const plans = fleet.reports.flatMap((each) => (each.result === "planned" ? [each.plan] : []));
  const { declared, declaredHash: hash } = fleet;
  const limits = limitsWith(accept, config);
  const by = countOf(zones, declared, limits);
  const judged = { plans, declared, hash };
  const held = heldFleet({ ...judged, weakened: fleet.weakened(by) }, limits);
  if (held !== undefined) return notWritten(held, fleet, session);
  const isAgreed = yes || plans.length === 0 || !(host.isInteractive || enforce);
  const question = `${enforce ? enforceNote : ""}${questionOf(plans, fleet.declared)}`;
  if (!isAgreed && !(await host.confirm(question, signals.stop))) {
    host.stderr.write("nothing was written; --yes writes without asking\n");
    return { reports: fleet.reports, code: exitCodes.held };
  }
  const heldNow = await storeWeakened(judged, by, limits, session);
  if (heldNow !== undefined) return notWritten(heldNow, fleet, session);
  return await writeAll(fleet, session, enforce);
}

function notWritten(
  { found, hash, limit }: HeldFleet,
  fleet: PlannedFleet,
  { host }: Session,
): AppliedZones {
  host.stderr.write(
    `nothing is written: held by fleet_change: ${found}: to apply all of them, add --accept ${hash}, or raise limits.${limit}\n`,
  );
  return { reports: fleet.reports.map(heldByFleet), code: exitCodes.held };
}

async function writeAll(
  { zones, missing }: PlannedFleet,
  session: Session,
  isLogged: boolean,
): Promise<AppliedZones> {
  const { service, host, signals } = session;
  const logger = isLogged ? auditLogger(session) : undefined;
  const { reader, writer } = service;
  const ports = { reader, writer, clock: host.clock, bug: rethrow };
  using progress = startProgress("writing zones", zones.filter(isPlanned).length, host);
  const applied: ZoneReport[] = [];
  for (const zone of zones) {
    const report = await applyReviewed(zone, ports, signals);
    applied.push(report);
    if (logger !== undefined) {
      const credential = "plan" in report ? service.credentialOf(report.plan.zone) : "";
      logZone(logger, report, credential);
    }
    if (isPlanned(zone)) progress.step();
  }
  const reports = [...applied, ...missing];
  return { reports, code: exitCodeOfApply(reports) };
}

const enforceNote = "--enforce writes although the mode may be observe. ";

/** Logs on stderr what is written although the mode is `observe`, in the lines of the daemon. */
function auditLogger({ config, service, host }: Session): Logger {
  return createLogger({
    level: "info",
    format: config.log.format ?? (host.stderr.isTTY ? "pretty" : "json"),
    color: hasColor(host, host.stderr),
    destination: host.stderr,
    clock: host.clock,
    scrub: (line) => service.credentials.reduce((text, each) => each.scrub(text), line),
  });
}

function questionOf(plans: readonly Plan[], declared: number): string {
  const changes = plans.reduce((sum, plan) => sum + plan.changes.length, 0);
  const weaker = plans.map(changingZone).filter(({ weakens }) => weakens).length;
  const names = plans.map(({ zone }) => zone.name);
  const warning =
    weaker === 0
      ? "No change weakens the protection."
      : `The changes of ${plural(weaker, "zone")} weaken the protection, or may.`;
  return `${plural(changes, "change")} in ${names.length} of ${plural(declared, "zone")} (${firstOf(names, 5)}). ${warning} Apply?`;
}

function isPlanned({ planned }: PlannedFleetZone): boolean {
  return planned.report.result === "planned";
}
