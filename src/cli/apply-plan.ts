import { freshnessOf, partsTouched, type SavedPlan } from "../plan/fingerprint.ts";
import { causeByMarks, type Plan } from "../plan/plan.ts";
import type { Write } from "../plan/write.ts";
import { carryOut } from "../reconcile/carry-out.ts";
import { failureOf, isServiceError } from "../report/failure.ts";
import { objectionsTo, type PlanFile, readPlanFile } from "../report/plan-file.ts";
import type { PlanMistake } from "../report/plan-mistake.ts";
import type { Outcome, ZoneReport } from "../report/run-report.ts";
import { exitCodeOfApply, exitCodes, type ExitCode } from "./exit-codes.ts";
import { desiredOrProblems } from "./load.ts";
import type { Machine } from "./machine.ts";
import type { OnceFlags } from "./once.ts";
import { nothingBeside, printReport } from "./once.ts";
import { rethrow } from "./one-look.ts";
import { readText } from "./read-text.ts";
import { savedPlanJudge, type SavedPlanJudge } from "./saved-plan-judge.ts";
import { type Session, withService } from "./session.ts";

/** What `apply --plan` is told. */
export interface ApplyPlanFlags extends Pick<OnceFlags, "config" | "format"> {
  readonly plan: string;
}

/**
 * `zonewarden apply --plan`: carries out exactly what was planned and saved, as far as the files and the guards of today
 * let it. What the plan rests on is read again; a write that touches something that has moved is not sent, nor is any
 * after it in that zone. What is so already, as after an apply before this one, is left out. Nothing is planned anew.
 */
export async function applyPlan(flags: ApplyPlanFlags, machine: Machine): Promise<ExitCode> {
  const { text, why } = await readText(flags.plan, machine);
  if (text === undefined) return refuse(unreadable(flags.plan, why), exitCodes.invalid, machine);
  const read = readPlanFile(text);
  if (read.result === "mistake") {
    return refuse(`${flags.plan}: ${read.mistake.message}`, exitCodes.invalid, machine);
  }
  return withService(flags.config, machine, async (session) => {
    const { config, baseUrl } = session;
    const here = { owner: config.desired.owner, service: baseUrl, now: machine.clock.now() };
    const [objection] = objectionsTo(read.file, here);
    if (objection !== undefined) {
      return refuse(`${flags.plan}: ${objection.message}`, codeOf(objection), machine);
    }
    const desired = await desiredOrProblems(config, machine, session.stop);
    if (desired === undefined) {
      return refuse(`${flags.plan}: ${unjudgeable}`, exitCodes.invalid, machine);
    }
    const zones = read.file.zones.map(({ plan }) => plan.zone);
    const judge = savedPlanJudge(zones, desired, config);
    return carryOutAll(read.file, judge, flags, session);
  });
}

const unjudgeable =
  "not carried out: the zone files say which zones may be written; mend them and apply the plan again";

function unreadable(file: string, why: string): string {
  return `${file}: cannot be read: ${why}; give the file that plan --out has written`;
}

function refuse(message: string, code: ExitCode, machine: Machine): ExitCode {
  machine.stderr.write(`${message}\n`);
  return code;
}

function codeOf({ code }: PlanMistake): ExitCode {
  return code === "PLAN_EXPIRED" ? exitCodes.stale : exitCodes.invalid;
}

async function carryOutAll(
  file: PlanFile,
  judge: SavedPlanJudge,
  { format }: ApplyPlanFlags,
  session: Session,
): Promise<ExitCode> {
  const startedAt = session.machine.clock.now();
  const reports: ZoneReport[] = [];
  for (const saved of file.zones) {
    reports.push(await carryOutOne(saved, judge, file.revision, session));
  }
  const report = { revision: file.revision, startedAt, zones: reports };
  printReport(report, nothingBeside, format, session.machine);
  return exitCodeOfApply(reports);
}

async function carryOutOne(
  saved: SavedPlan,
  judge: SavedPlanJudge,
  revision: string,
  { service, machine, stop, signals }: Session,
): Promise<ZoneReport> {
  const { zone } = saved.plan;
  const { clock } = machine;
  const startedAt = clock.now();
  const base = {
    zone: zone.name,
    run: machine.uniqueId(),
    trigger: "manual",
    revision,
    startedAt,
    phases: { fetch: 0, plan: 0, apply: 0 },
  } as const;
  try {
    const wanted = { ...partsTouched(saved.plan), scoreRule: false };
    const live = await service.reader.readZone(zone, wanted, "changed", stop);
    const { done, send, held } = freshnessOf(saved, live);
    const plan = withoutDone(saved.plan, done);
    const judged = { ...base, plan, finishedAt: clock.now() };
    if (plan.writes.length === 0) return { ...judged, result: "in-sync" };
    const cause = causeByMarks(plan);
    const refusals = judge(saved.plan, clock.now());
    if (refusals.length > 0) return { ...judged, result: "refused", cause, refusals };
    const ready = { ...judged, result: "ready", plan: { ...plan, writes: send }, cause } as const;
    const ports = { writer: service.writer, clock, bug: rethrow };
    const report = await carryOut({ report: ready, live }, () => [], ports, signals);
    if (report.result !== "applied") return report;
    return { ...report, plan, outcomes: [...report.outcomes, ...held.map(stale)] };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { ...base, result: "unreadable", finishedAt: clock.now(), failure: failureOf(error) };
  }
}

/** What of a plan is left to do, with a note on what is not. */
function withoutDone(plan: Plan, done: readonly Write[]): Plan {
  if (done.length === 0) return plan;
  const writes = plan.writes.filter((write) => !done.includes(write));
  const open = new Set(writes.flatMap(({ changes }) => changes));
  const keys = done.flatMap(({ changes }) => changes);
  return {
    ...plan,
    writes,
    changes: plan.changes.filter(({ key }) => open.has(key)),
    notes: [...plan.notes, `carried out already: ${keys.join(", ")}`],
  };
}

function stale(write: Write): Outcome {
  return { status: "skipped", write, because: "stale" };
}
