import type { Config } from "../../desired/config/config.ts";
import type { DesiredState } from "../../desired/load/zone-file-loader.ts";
import { selectZones } from "../../desired/zones/select.ts";
import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { readText } from "../../host/read-text.ts";
import { guard } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import type { Plan } from "../../plan/plan.ts";
import { partsTouched } from "../../plan/saved/fingerprint.ts";
import { applyPlan } from "../../reconcile/run/apply.ts";
import { partsOf, planSaved, type SavedPlanRequest } from "../../reconcile/run/plan-zone.ts";
import { maxReadAgeMs, WriteGate } from "../../reconcile/run/write-gate.ts";
import { guardInputOf } from "../../reconcile/run/zone-runner.ts";
import { windowsOf } from "../../reconcile/schedule/windows.ts";
import {
  objectionsTo,
  type PlanFile,
  type PlanFileError,
  readPlanFile,
} from "../../render/plan-file.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Zone } from "../../zone/zone.ts";
import { exitCodeOfApply, exitCodes, type ExitCode } from "../output/exit-codes.ts";
import { rethrow } from "../session/plan-all.ts";
import { noExtras, printReport, type RunOnceFlags } from "../session/run-once.ts";
import { type Session, withService } from "../session/session.ts";

/** What `apply --plan` is told. */
export interface ApplyPlanFlags extends Pick<RunOnceFlags, "config" | "format"> {
  readonly plan: string;
}

/**
 * `zonewarden apply --plan`: carries out exactly what was planned and saved, as far as the files and the guards of today
 * let it. What the plan rests on is read again; a write that touches something that has moved is not sent, nor is any
 * after it in that zone. What is so already, as after an apply before this one, is left out. Nothing is planned anew.
 */
export async function applyPlanCommand(flags: ApplyPlanFlags, host: Host): Promise<ExitCode> {
  const { text, why } = await readText(flags.plan, host);
  if (text === undefined) return refuse(unreadable(flags.plan, why), exitCodes.invalid, host);
  const read = readPlanFile(text);
  if (read.result === "mistake") {
    return refuse(`${flags.plan}: ${read.mistake.message}`, exitCodes.invalid, host);
  }
  return withService(flags.config, host, async (session) => {
    const { config, baseUrl } = session;
    const here = { owner: config.desired.owner, service: baseUrl, now: host.clock.now() };
    const [objection] = objectionsTo(read.file, here);
    if (objection !== undefined) {
      return refuse(`${flags.plan}: ${objection.message}`, codeOf(objection), host);
    }
    const desired = await loadDesiredOrPrint(config, host, session.stop);
    if (desired === undefined) {
      return refuse(`${flags.plan}: ${unjudgeable}`, exitCodes.invalid, host);
    }
    const zones = read.file.zones.map(({ plan }) => plan.zone);
    const holdsAt = savedPlanGuard(zones, desired, config);
    return applyAll(read.file, holdsAt, flags, session);
  });
}

const unjudgeable =
  "not carried out: the zone files say which zones may be written; mend them and apply the plan again";

function unreadable(file: string, why: string): string {
  return `${file}: cannot be read: ${why}; give the file that plan --out has written`;
}

function refuse(message: string, code: ExitCode, host: Host): ExitCode {
  host.stderr.write(`${message}\n`);
  return code;
}

function codeOf({ code }: PlanFileError): ExitCode {
  return code === "PLAN_EXPIRED" ? exitCodes.stale : exitCodes.invalid;
}

async function applyAll(
  file: PlanFile,
  holdsAt: SavedPlanRequest["holdsAt"],
  { format }: ApplyPlanFlags,
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
  printReport({ revision, startedAt, zones: reports }, noExtras, format, host);
  return exitCodeOfApply(reports);
}

/**
 * Judges plans that could be carried out when they were made: files, limits and windows may have changed since. A plan is
 * judged whole, as it was reviewed, since that is what its hash names.
 *
 * @param zones those of the plans: whom selectors mean is told by what was known then, the listing is not asked again.
 */
function savedPlanGuard(
  zones: readonly Zone[],
  { documents }: DesiredState,
  { mode, limits, windows }: Config,
): SavedPlanRequest["holdsAt"] {
  const selection = selectZones(documents, { zones, unlisted: [] });
  const declared = new Map(selection.zones.map((desired) => [desired.zone.id, desired]));
  const options = { mode, limits, windows: windowsOf(windows), used: [] };
  return (plan, now) => {
    const { id, name } = plan.zone;
    const desired = declared.get(id);
    if (desired === undefined) return [undeclared(name, selection.leftAlone.get(name))];
    const dropped = partsDropped(plan, desired.content).join(" and ");
    if (dropped !== "") return [undeclared(`the ${dropped} of ${name}`, undefined)];
    return guard(plan, guardInputOf(desired, options, now));
  };
}

/** What a plan writes of a zone that the files do not speak of any more. */
function partsDropped(plan: Plan, content: ZoneContent): readonly string[] {
  const [touched, wanted] = [partsTouched(plan), partsOf(content)];
  return (["settings", "policies", "rules"] as const).filter(
    (part) => touched[part] && !wanted[part],
  );
}

/** @param diagnostic what is wrong with the declaration, where there is one. */
function undeclared(what: string, diagnostic: Diagnostic | undefined): Hold {
  const message =
    diagnostic === undefined
      ? `the files no longer declare ${what}: nothing is written; declare it again, or make a new plan`
      : `${diagnostic.place.file}:${diagnostic.place.line}: ${diagnostic.message}; ${diagnostic.remedy}`;
  return { reason: "undeclared", message };
}
