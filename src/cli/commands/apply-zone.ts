import { guard } from "../../plan/guard/guard.ts";
import type { Hold } from "../../plan/guard/hold.ts";
import { planHash } from "../../plan/guard/plan-hash.ts";
import { plan } from "../../plan/plan.ts";
import { isAborted } from "../../reconcile/is-aborted.ts";
import { applyPlan } from "../../reconcile/run/apply-while-valid.ts";
import type { StopSignals, WritePorts } from "../../reconcile/run/apply.ts";
import { maxReadAgeMs } from "../../reconcile/run/longest-age.ts";
import type { PlannedZone } from "../../reconcile/run/plan-zone.ts";
import { WriteGate } from "../../reconcile/run/write-gate.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { PlannedFleetZone } from "../session/plan-all.ts";

type Judged = Extract<ZoneReport, { readonly result: "planned" }>;

/**
 * Carries out what was proposed for a zone, if nothing has come to speak against it since every zone was judged: windows,
 * the end of a suspension, or what the zone holds now. In a large fleet its turn to be written may come hours after it was
 * read: what is old is read again, also where the writes themselves waited until then; where that leads to another plan
 * than the one that was judged, nothing is written.
 */
export async function applyZone(
  looked: PlannedFleetZone,
  owner: string,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report: judged } = looked.proposal;
  if (judged.result !== "planned") return judged;
  let { proposal } = looked;
  for (let outdated = 0; ; outdated += 1) {
    proposal = await freshProposal(proposal, looked, ports, signals);
    const terms = { looked, owner, judged, longestAgeMs: maxReadAgeMs(outdated) };
    const report = await applyFresh(proposal, terms, ports, signals);
    if (!isOutdated(report)) return report;
  }
}

/** A reading that is taken over leaves as much time again for its writes to be sent in. */
const takenOverMs = maxReadAgeMs(0) / 2;

/** The proposal itself while it is young, and when the program is being ended: then nothing is sent anyway. */
async function freshProposal(
  proposal: PlannedZone,
  { again }: PlannedFleetZone,
  { clock }: WritePorts,
  { stop }: StopSignals,
): Promise<PlannedZone> {
  if (isAborted(stop) || clock.uptime() - proposal.readAt < takenOverMs) return proposal;
  try {
    return await again();
  } catch (error) {
    if (isAborted(stop)) return proposal;
    throw error;
  }
}

/** By what a zone is written. */
interface Terms {
  readonly looked: PlannedFleetZone;
  readonly owner: string;
  /** What was judged when all zones were. */
  readonly judged: Judged;
  readonly longestAgeMs: number;
}

async function applyFresh(
  proposal: PlannedZone,
  { looked, owner, judged, longestAgeMs: ageMs }: Terms,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report } = proposal;
  if (report.result !== "planned") return report;
  if (planHash(report.plan) !== planHash(judged.plan)) {
    return stale({ ...judged, ...timesOf(report) });
  }
  const holdsAt = (now: Date): readonly Hold[] => guard(report.plan, looked.guardInput(now));
  const now = ports.clock.now();
  const holds = holdsAt(now);
  if (holds.length > 0) return { ...report, finishedAt: now, result: "held", holds };

  using gate = new WriteGate(ports.clock);
  const conditions = { gate, holdsAt, longestAgeMs: ageMs };
  const { desired } = looked.declared;
  const verify = (after: LiveZone) => plan(desired, after, owner).changes;
  return await applyPlan(conditions, proposal, verify, ports, signals);
}

function timesOf({ finishedAt, phases }: ZoneReport): Pick<ZoneReport, "finishedAt" | "phases"> {
  return { finishedAt, phases };
}

function stale(report: Judged): ZoneReport {
  const { changes, writes } = report.plan;
  const outcomes = writes.map(
    (write) => ({ status: "skipped", write, reason: "conflict" }) as const,
  );
  return { ...report, result: "applied", outcomes, left: changes };
}

/** Whether nothing was sent, since all of it waited until the reading was old. */
function isOutdated(report: ZoneReport): boolean {
  return (
    report.result === "applied" &&
    report.outcomes.every((each) => each.status === "skipped" && each.reason === "read_expired")
  );
}
