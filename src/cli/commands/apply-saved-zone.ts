import type { Connected } from "../../host/connect.ts";
import type { Refusal } from "../../plan/guard/hold.ts";
import { causeByMarks, type Plan } from "../../plan/plan.ts";
import { freshnessOf, partsTouched, type SavedPlan } from "../../plan/saved/fingerprint.ts";
import type { Write } from "../../plan/write.ts";
import { carryOutWhile } from "../../reconcile/run/apply-while-valid.ts";
import type { StopSignals, WritePorts } from "../../reconcile/run/apply.ts";
import { longestAgeMs } from "../../reconcile/run/longest-age.ts";
import { Brake } from "../../reconcile/run/write-gate.ts";
import { failureOf, isServiceError } from "../../state/failure.ts";
import type { Outcome, ZoneReport } from "../../state/run-report.ts";
import type { SavedPlanJudge } from "./saved-plan-judge.ts";

/** What carrying out a saved plan needs from outside. */
export interface SavedPlanPorts extends WritePorts {
  readonly reader: Pick<Connected["reader"], "readZone">;
  /** A new name for each run. */
  readonly runId: () => string;
}

/**
 * Carries out what was planned and saved for a zone, as far as it is not so already and what it rests on has not moved.
 *
 * @param revision of the files, when the plan was made.
 */
export async function applySavedZone(
  saved: SavedPlan,
  judge: SavedPlanJudge,
  revision: string,
  ports: SavedPlanPorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { zone } = saved.plan;
  const { clock, reader } = ports;
  const startedAt = clock.now();
  const base = {
    zone: zone.name,
    run: ports.runId(),
    trigger: "manual",
    revision,
    startedAt,
    phases: { fetch: 0, plan: 0, apply: 0 },
  } as const;
  try {
    const wanted = { ...partsTouched(saved.plan), scoreRule: false };
    const live = await reader.readZone(zone, wanted, "changed", signals.stop);
    const readAt = clock.uptime();
    const { done, send, held } = freshnessOf(saved, live);
    const plan = withoutDone(saved.plan, done);
    const judged = { ...base, plan, finishedAt: clock.now() };
    if (plan.writes.length === 0) return { ...judged, result: "in-sync" };
    const cause = causeByMarks(plan);
    const refusalsAt = (now: Date): readonly Refusal[] => judge(saved.plan, now);
    const refusals = refusalsAt(clock.now());
    if (refusals.length > 0) return { ...judged, result: "refused", cause, refusals };
    const ready = { ...judged, result: "ready", plan: { ...plan, writes: send }, cause } as const;
    using brake = new Brake(clock);
    const premises = { brake, refusalsAt, longestAgeMs: longestAgeMs(0) };
    const proposal = { report: ready, live, readAt };
    const report = await carryOutWhile(premises, proposal, () => [], ports, signals);
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
