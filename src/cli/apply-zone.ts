import { guard } from "../plan/guard.ts";
import { hashOf } from "../plan/plan-hash.ts";
import { plan } from "../plan/plan.ts";
import { Brake } from "../reconcile/brake.ts";
import { carryOut, type StopSignals, type WritePorts } from "../reconcile/carry-out.ts";
import { joinSignals } from "../reconcile/join-signals.ts";
import type { Proposal } from "../reconcile/propose.ts";
import type { ZoneReport } from "../report/run-report.ts";
import type { LiveZone } from "../zone/live.ts";
import type { Looked } from "./one-look.ts";

/** In a large fleet a zone's turn to be written may come hours after it was read. */
const oldMs = 300_000;

/**
 * Carries out what was proposed for a zone, if nothing has come to speak against it since every zone was judged: windows,
 * the end of a suspension, or what the zone holds now. What was read long ago is read again; where that leads to another
 * plan than the one that was judged, nothing is written.
 */
export async function applyZone(
  looked: Looked,
  owner: string,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report: judged } = looked.proposal;
  if (judged.result !== "ready") return judged;
  const proposal = await freshProposal(looked, ports, signals);
  const { report } = proposal;
  if (report.result !== "ready") return report;
  if (hashOf(report.plan) !== hashOf(judged.plan)) return stale({ ...judged, ...timesOf(report) });
  const refusalsAt = (now: Date): ReturnType<typeof guard> =>
    guard(report.plan, looked.circumstances(now));
  const now = ports.clock.now();
  const refusals = refusalsAt(now);
  if (refusals.length > 0) return { ...report, finishedAt: now, result: "refused", refusals };

  using brake = new Brake(ports.clock);
  brake.watch((later) => (refusalsAt(later).length > 0 ? "countermanded" : undefined));
  using stop = joinSignals(signals.stop, brake.signal);
  const { desired } = looked.declared;
  const verify = (after: LiveZone) => plan(desired, after, owner).changes;
  return await carryOut(proposal, verify, ports, { ...signals, stop: stop.signal });
}

/** The proposal itself while it is young, and when the program is being ended: then nothing is sent anyway. */
async function freshProposal(
  { proposal, again }: Looked,
  { clock }: WritePorts,
  { stop }: StopSignals,
): Promise<Proposal> {
  if (stop.aborted || clock.uptime() - proposal.readAt < oldMs) return proposal;
  try {
    return await again();
  } catch (error) {
    if (isOver(stop)) return proposal;
    throw error;
  }
}

/** Asked anew: the compiler believes that it stays what it was before a wait. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

function timesOf({ finishedAt, phases }: ZoneReport): Pick<ZoneReport, "finishedAt" | "phases"> {
  return { finishedAt, phases };
}

function stale(report: Extract<ZoneReport, { readonly result: "ready" }>): ZoneReport {
  const { changes, writes } = report.plan;
  const outcomes = writes.map((write) => ({ status: "skipped", write, because: "stale" }) as const);
  return { ...report, result: "applied", outcomes, left: changes };
}
