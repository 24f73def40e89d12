import type { ServiceClient } from "../../host/connect.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { causeByMarks, type Plan } from "../../plan/plan.ts";
import { freshnessOf, partsTouched, type SavedPlan } from "../../plan/saved/fingerprint.ts";
import { applyPlan } from "../../reconcile/run/apply-while-valid.ts";
import type { StopSignals, WritePorts } from "../../reconcile/run/apply.ts";
import { maxReadAgeMs } from "../../reconcile/run/longest-age.ts";
import { WriteGate } from "../../reconcile/run/write-gate.ts";
import { failureOf } from "../../state/failure.ts";
import type { Outcome, ZoneReport } from "../../state/run-report.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Write } from "../../zone/write.ts";
import type { SavedPlanGuard } from "./saved-plan-judge.ts";

/** What carrying out a saved plan needs from outside. */
export interface SavedPlanPorts extends WritePorts {
  readonly reader: Pick<ServiceClient["reader"], "readZone">;
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
  judge: SavedPlanGuard,
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
    if (plan.writes.length === 0) return { ...judged, result: "in_sync" };
    const cause = causeByMarks(plan);
    const holdsAt = (now: Date): readonly Hold[] => judge(saved.plan, now);
    const holds = holdsAt(clock.now());
    if (holds.length > 0) return { ...judged, result: "held", cause, holds };
    const ready = { ...judged, result: "planned", plan: { ...plan, writes: send }, cause } as const;
    using gate = new WriteGate(clock);
    const conditions = { gate, holdsAt, longestAgeMs: maxReadAgeMs(0) };
    const proposal = { report: ready, live, readAt };
    const report = await applyPlan(conditions, proposal, () => [], ports, signals);
    if (report.result !== "applied") return report;
    return { ...report, plan, outcomes: [...report.outcomes, ...held.map(stale)] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...base, result: "error", finishedAt: clock.now(), failure: failureOf(error) };
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
  return { status: "skipped", write, reason: "conflict" };
}
