import type { Config } from "../../desired/config/config.ts";
import type { DesiredState } from "../../desired/load/zone-file-loader.ts";
import { selectZones } from "../../desired/zones/select.ts";
import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { readText } from "../../host/named-files.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import { partsTouched } from "../../plan/saved/fingerprint.ts";
import { applyPlan } from "../../reconcile/run/apply.ts";
import {
  guardZone,
  partsOf,
  planSaved,
  type SavedPlanRequest,
} from "../../reconcile/run/plan-zone.ts";
import { maxReadAgeMs, WriteGate } from "../../reconcile/run/write-gate.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import { planFileErrors, type PlanFile, readPlanFile } from "../../render/plan-file.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Zone } from "../../zone/zone.ts";
import { type ExitCode, exitCodeOfApply, exitCodes, fail } from "../output/exit-codes.ts";
import type { FleetFlags } from "../session/plan-all.ts";
import { finish } from "../session/print-reports.ts";
import { rethrow, type Session, withSession } from "../session/session.ts";

export interface PlanFileFlags extends Pick<FleetFlags, "config" | "format"> {
  readonly plan: string;
}

/**
 * `zonewarden apply --plan`: applies exactly the saved plan, as far as the files and guards of today allow it. It reads
 * again what the plan touches. A write that touches something that has changed is not sent, nor is any write after it in
 * that zone. A write that is done already, by an earlier apply for example, is left out. Nothing is planned again.
 */
export async function applyPlanFile(flags: PlanFileFlags, host: Host): Promise<ExitCode> {
  const { text, why } = await readText(flags.plan, host);
  const reject = (message: string, code: ExitCode = exitCodes.invalid): ExitCode =>
    fail(`${flags.plan}: ${message}`, host, code);
  if (text === undefined) {
    return reject(`cannot be read: ${why}; name the file that plan --out wrote`);
  }
  const read = readPlanFile(text);
  if (read.result === "error") return reject(read.error.message);
  return withSession(flags.config, host, async (session) => {
    const { config, baseUrl } = session;
    const here = { owner: config.desired.owner, service: baseUrl, now: host.clock.now() };
    const [error] = planFileErrors(read.file, here);
    if (error !== undefined) {
      const isExpired = error.code === "PLAN_EXPIRED";
      return reject(error.message, isExpired ? exitCodes.stale : exitCodes.invalid);
    }
    const desired = await loadDesiredOrPrint(config, host, session.stop);
    if (desired === undefined) return reject(brokenFiles);
    const zones = read.file.zones.map(({ plan }) => plan.zone);
    const holdsAt = savedPlanGuard(zones, desired, config);
    return applyAll(read.file, holdsAt, flags, session);
  });
}

const brokenFiles =
  "not applied: the zone files have errors, so it is unknown which zones may be written; correct the files and apply the plan again";

async function applyAll(
  file: PlanFile,
  holdsAt: SavedPlanRequest["holdsAt"],
  { format }: PlanFileFlags,
  { service, host, signals }: Session,
): Promise<ExitCode> {
  const { reader, writer } = service;
  const { clock, uniqueId: runId } = host;
  const ports = { reader, writer, clock, runId, bug: rethrow };
  const { revision } = file;
  const trigger = { trigger: "manual", priority: "changed", revision } as const;
  const startedAt = clock.now();
  const reports: ZoneReport[] = [];
  for (const saved of file.zones) {
    const planned = await planSaved({ ...trigger, saved, holdsAt }, ports, signals.stop);
    using gate = new WriteGate(clock, maxReadAgeMs(0));
    reports.push(await applyPlan(planned, gate, ports, signals));
  }
  const fleet = { revision, startedAt, isComplete: true, diagnostics: [] };
  return finish(fleet, reports, exitCodeOfApply(reports), format, host);
}

/**
 * Runs the guards on saved plans: files, limits and windows may have changed since they were saved. A plan is judged as a
 * whole, as it was reviewed, since its hash names the whole plan.
 *
 * @param zones the zones of the plans: selectors are matched against them, and not against a new listing.
 */
function savedPlanGuard(
  zones: readonly Zone[],
  { documents }: DesiredState,
  { mode, limits, windows }: Config,
): SavedPlanRequest["holdsAt"] {
  const selection = selectZones(documents, { zones, unlisted: [] });
  const declared = new Map(selection.zones.map((desired) => [desired.zone.id, desired]));
  const rules = { mode, limits, windows: windowsOf(windows), used: [] };
  return (plan, now) => {
    const { id, name } = plan.zone;
    const desired = declared.get(id);
    if (desired === undefined) return [undeclared(name, selection.leftAlone.get(name))];
    const dropped = partsDropped(plan, desired.content).join(" and ");
    if (dropped !== "") return [undeclared(`the ${dropped} of ${name}`, undefined)];
    return guardZone(plan, desired, rules, now);
  };
}

/** The parts of a zone that a plan writes and that the files no longer declare. */
function partsDropped(plan: Plan, content: ZoneContent): readonly string[] {
  const [touched, wanted] = [partsTouched(plan), partsOf(content)];
  return (["settings", "policies", "rules"] as const).filter(
    (part) => touched[part] && !wanted[part],
  );
}

/** @param diagnostic what is wrong with the declaration; `undefined` where there is no declaration. */
function undeclared(what: string, diagnostic: Diagnostic | undefined): Hold {
  const message =
    diagnostic === undefined
      ? `the files no longer declare ${what}: nothing is written; declare it again, or make a new plan`
      : `${diagnostic.place.file}:${diagnostic.place.line}: ${diagnostic.message}; ${diagnostic.remedy}`;
  return { reason: "undeclared", message };
}
