import { blocksInUse, canBlockMore } from "../../impact/blocks-in-use.ts";
import { cspImpact } from "../../impact/csp-impact.ts";
import { comparedPolicies } from "../../impact/zone-impact.ts";
import type { Plan } from "../../plan/plan.ts";
import type { DesiredZone } from "../../zone/desired-zone.ts";
import type { LiveZone } from "../../zone/live-zone.ts";
import type { Clock, LiveReader, RequestPriority } from "../../zone/ports.ts";
import { ServiceError } from "../../zone/service-error.ts";

/** How what was detected is judged. */
export interface ImpactLimits {
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
  /** What was seen within this time is in use. */
  readonly freshMs: number;
}

/**
 * A plan with what the scripts that were really seen say against it.
 *
 * They are read only where a policy begins to block. Where the token or the contract does not let them be read, nobody
 * can judge: the plan says so and is not held.
 */
export async function judgeSeen(
  plan: Plan,
  { zone, content }: DesiredZone,
  live: LiveZone,
  {
    impact: limits,
    priority,
  }: { readonly impact: ImpactLimits; readonly priority: RequestPriority },
  { reader, clock }: { readonly reader: LiveReader; readonly clock: Clock },
  signal: AbortSignal,
): Promise<Plan> {
  const declared = content.policies?.items ?? [];
  const policies = comparedPolicies(plan, declared, live.policies ?? []).filter(canBlockMore);
  if (policies.length === 0) return plan;
  try {
    const scripts = await reader.readScripts(zone, priority, signal);
    const impacts = cspImpact(policies, scripts, limits);
    const moment = { now: clock.now(), freshMs: limits.freshMs };
    const found = blocksInUse(impacts, declared, moment);
    return { ...plan, holds: [...plan.holds, ...found] };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.transient) throw error;
    const note = `scripts that were seen could not be read (${error.code}), so what the policies block was not judged`;
    return { ...plan, notes: [...plan.notes, note] };
  }
}
