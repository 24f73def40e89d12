import type { Host } from "../../host/host.ts";
import { loadDesiredOrPrint } from "../../host/load.ts";
import { readText } from "../../host/read-text.ts";
import {
  objectionsTo,
  type PlanFile,
  type PlanFileError,
  readPlanFile,
} from "../../render/plan-file.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import { type ExitCode, exitCodeOfApply, exitCodes } from "../output/exit-codes.ts";
import { rethrow } from "../session/plan-all.ts";
import { noExtras, printReport, type RunOnceFlags } from "../session/run-once.ts";
import { type Session, withService } from "../session/session.ts";
import { applySavedZone } from "./apply-saved-zone.ts";
import { savedPlanGuard, type SavedPlanGuard } from "./saved-plan-judge.ts";

/** What `apply --plan` is told. */
export interface ApplyPlanFlags extends Pick<RunOnceFlags, "config" | "format"> {
  readonly plan: string;
}

/**
 * `zonewarden apply --plan`: carries out exactly what was planned and saved, as far as the files and the guards of today
 * let it. What the plan rests on is read again; a write that touches something that has moved is not sent, nor is any
 * after it in that zone. What is so already, as after an apply before this one, is left out. Nothing is planned anew.
 */
export async function applyPlan(flags: ApplyPlanFlags, host: Host): Promise<ExitCode> {
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
    const judge = savedPlanGuard(zones, desired, config);
    return carryOutAll(read.file, judge, flags, session);
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

async function carryOutAll(
  file: PlanFile,
  judge: SavedPlanGuard,
  { format }: ApplyPlanFlags,
  { service, host, signals }: Session,
): Promise<ExitCode> {
  const { reader, writer } = service;
  const { clock, uniqueId: runId } = host;
  const ports = { reader, writer, clock, runId, bug: rethrow };
  const { revision } = file;
  const startedAt = clock.now();
  const reports: ZoneReport[] = [];
  for (const saved of file.zones) {
    reports.push(await applySavedZone(saved, judge, revision, ports, signals));
  }
  printReport({ revision, startedAt, zones: reports }, noExtras, format, host);
  return exitCodeOfApply(reports);
}
