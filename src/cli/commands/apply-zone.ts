import { guard } from "../../plan/guard/guard.ts";
import type { Refusal } from "../../plan/guard/hold.ts";
import { hashOf } from "../../plan/guard/plan-hash.ts";
import { plan } from "../../plan/plan.ts";
import { isAborted } from "../../reconcile/is-aborted.ts";
import { carryOutWhile } from "../../reconcile/run/apply-while-valid.ts";
import type { StopSignals, WritePorts } from "../../reconcile/run/apply.ts";
import { longestAgeMs } from "../../reconcile/run/longest-age.ts";
import type { Proposal } from "../../reconcile/run/plan-zone.ts";
import { Brake } from "../../reconcile/run/write-gate.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Looked } from "../session/plan-all.ts";

type Judged = Extract<ZoneReport, { readonly result: "ready" }>;

/**
 * Carries out what was proposed for a zone, if nothing has come to speak against it since every zone was judged: windows,
 * the end of a suspension, or what the zone holds now. In a large fleet its turn to be written may come hours after it was
 * read: what is old is read again, also where the writes themselves waited until then; where that leads to another plan
 * than the one that was judged, nothing is written.
 */
export async function applyZone(
  looked: Looked,
  owner: string,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report: judged } = looked.proposal;
  if (judged.result !== "ready") return judged;
  let { proposal } = looked;
  for (let outdated = 0; ; outdated += 1) {
    proposal = await freshProposal(proposal, looked, ports, signals);
    const terms = { looked, owner, judged, longestAgeMs: longestAgeMs(outdated) };
    const report = await applyFresh(proposal, terms, ports, signals);
    if (!isOutdated(report)) return report;
  }
}

/** A reading that is taken over leaves as much time again for its writes to be sent in. */
const takenOverMs = longestAgeMs(0) / 2;

/** The proposal itself while it is young, and when the program is being ended: then nothing is sent anyway. */
async function freshProposal(
  proposal: Proposal,
  { again }: Looked,
  { clock }: WritePorts,
  { stop }: StopSignals,
): Promise<Proposal> {
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
  readonly looked: Looked;
  readonly owner: string;
  /** What was judged when all zones were. */
  readonly judged: Judged;
  readonly longestAgeMs: number;
}

async function applyFresh(
  proposal: Proposal,
  { looked, owner, judged, longestAgeMs: ageMs }: Terms,
  ports: WritePorts,
  signals: StopSignals,
): Promise<ZoneReport> {
  const { report } = proposal;
  if (report.result !== "ready") return report;
  if (hashOf(report.plan) !== hashOf(judged.plan)) return stale({ ...judged, ...timesOf(report) });
  const refusalsAt = (now: Date): readonly Refusal[] =>
    guard(report.plan, looked.circumstances(now));
  const now = ports.clock.now();
  const refusals = refusalsAt(now);
  if (refusals.length > 0) return { ...report, finishedAt: now, result: "refused", refusals };

  using brake = new Brake(ports.clock);
  const premises = { brake, refusalsAt, longestAgeMs: ageMs };
  const { desired } = looked.declared;
  const verify = (after: LiveZone) => plan(desired, after, owner).changes;
  return await carryOutWhile(premises, proposal, verify, ports, signals);
}

function timesOf({ finishedAt, phases }: ZoneReport): Pick<ZoneReport, "finishedAt" | "phases"> {
  return { finishedAt, phases };
}

function stale(report: Judged): ZoneReport {
  const { changes, writes } = report.plan;
  const outcomes = writes.map((write) => ({ status: "skipped", write, because: "stale" }) as const);
  return { ...report, result: "applied", outcomes, left: changes };
}

/** Whether nothing was sent, since all of it waited until the reading was old. */
function isOutdated(report: ZoneReport): boolean {
  return (
    report.result === "applied" &&
    report.outcomes.every((each) => each.status === "skipped" && each.because === "outdated")
  );
}
