import { InvalidArgumentError } from "commander";

import type { Config } from "../../desired/config/config.ts";
import { isHash, planHash } from "../../plan/guard/release.ts";
import type { Plan } from "../../plan/plan.ts";
import { changingZone } from "../../reconcile/fleet/fleet-guard.ts";
import { applyReviewed, type ReviewedZone } from "../../reconcile/run/apply.ts";
import { plural } from "../../render/format.ts";
import type { HeldFleet } from "../../render/held-fleet.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { firstOf } from "../../syntax/first-of.ts";
import { sum } from "../../syntax/sum.ts";
import { logZone } from "../../telemetry/log/log-reports.ts";
import { type ExitCode, exitCodeOfApply, exitCodes } from "../output/exit-codes.ts";
import { startProgress } from "../output/progress.ts";
import { countOf, heldByFleet, heldFleet, limitsWith, storeBeforeWrites } from "./fleet-hold.ts";
import { openLogger } from "./open-logger.ts";
import type { FleetFlags, PlannedFleet } from "./plan-all.ts";
import { rethrow, type Session } from "./session.ts";

/** What became of the zones of a command, and its exit code. */
export interface AppliedZones {
  readonly reports: readonly ZoneReport[];
  readonly code: ExitCode;
}

export interface ApplyFlags extends FleetFlags {
  readonly yes?: boolean;
}

/** What a person agreed to on the command line. */
export type AgreedFlags = Pick<ApplyFlags, "zones" | "accept" | "enforce" | "yes">;

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

/** The zones of a command that were planned, from the files or from a saved plan. */
export interface ReviewedFleet extends Pick<
  PlannedFleet,
  "declared" | "declaredHash" | "weakened" | "missing"
> {
  readonly zones: readonly ReviewedZone[];
}

/** Writes nothing where the fleet guard holds the plans, or a person on the terminal does not agree. */
export async function applyZones(
  fleet: ReviewedFleet,
  session: Session,
  { zones, accept = [], yes = false, enforce = false }: AgreedFlags,
): Promise<AppliedZones> {
  const { config, host, signals } = session;
  const plans = fleet.zones.flatMap(plansToSend);
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
    return { reports: reportsOf(fleet), code: exitCodes.held };
  }
  const used = fleet.zones
    .flatMap((zone) => releasesOf(zone, config))
    .filter((each) => !accept.includes(each));
  const refused = await storeBeforeWrites(judged, by, used, limits, session);
  if (typeof refused === "string") {
    host.stderr.write(`nothing is written: ${refused}\n`);
    return { reports: reportsOf(fleet), code: exitCodes.failed };
  }
  if (refused !== undefined) return notWritten(refused, fleet, session);
  return await writeAll(fleet, session, enforce);
}

/** The plan of a zone, where something of it is to be sent. */
function plansToSend({ planned: { report, conflicts } }: ReviewedZone): readonly Plan[] {
  if (report.result !== "planned" || report.plan.writes.length <= conflicts.length) return [];
  return [report.plan];
}

/** The hashes in the configuration that release what is to be sent. */
function releasesOf(zone: ReviewedZone, { limits }: Config): readonly string[] {
  const hashes = plansToSend(zone).flatMap((plan) => [planHash(plan), zone.savedHash]);
  return limits.accept.filter((each) => hashes.includes(each));
}

function reportsOf({ zones, missing }: ReviewedFleet): readonly ZoneReport[] {
  return [...zones.map(({ planned }) => planned.report), ...missing];
}

function notWritten(
  { found, hash, limit }: HeldFleet,
  fleet: ReviewedFleet,
  { host }: Session,
): AppliedZones {
  host.stderr.write(
    `nothing is written: held by fleet_change: ${found}: to apply them all, add --accept ${hash}, or raise limits.${limit}\n`,
  );
  return { reports: reportsOf(fleet).map(heldByFleet), code: exitCodes.held };
}

async function writeAll(
  { zones, missing }: ReviewedFleet,
  session: Session,
  isLogged: boolean,
): Promise<AppliedZones> {
  const { service, host, signals } = session;
  // What is written although the mode is `observe` is logged in the lines of the daemon.
  const logger = isLogged ? openLogger(host.stderr, "info", session) : undefined;
  const { reader, writer } = service;
  const ports = { reader, writer, clock: host.clock, bug: rethrow };
  using progress = startProgress("writing zones", zones.filter(isPlanned).length, host);
  const applied: ZoneReport[] = [];
  for (const zone of zones) {
    const report = await applyReviewed(zone, ports, signals);
    applied.push(report);
    if (logger !== undefined) logZone(logger, report, service.credentialOf);
    if (isPlanned(zone)) progress.step();
  }
  const reports = [...applied, ...missing];
  return { reports, code: exitCodeOfApply(reports) };
}

const enforceNote = "--enforce writes although the mode may be observe. ";

function questionOf(plans: readonly Plan[], declared: number): string {
  const changes = sum(plans.map((plan) => plan.changes.length));
  const weaker = plans.map(changingZone).filter(({ weakens }) => weakens).length;
  const names = plans.map(({ zone }) => zone.name);
  const warning =
    weaker === 0
      ? "No change weakens the protection."
      : `The changes of ${plural(weaker, "zone")} weaken the protection, or may.`;
  return `${plural(changes, "change")} in ${names.length} of ${plural(declared, "zone")} (${firstOf(names, 5)}). ${warning} Apply?`;
}

function isPlanned({ planned }: ReviewedZone): boolean {
  return planned.report.result === "planned";
}
