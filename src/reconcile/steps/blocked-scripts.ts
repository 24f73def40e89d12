import { blockedInUse, canBlockMore } from "../../impact/blocks-in-use.ts";
import { cspImpact } from "../../impact/csp-impact.ts";
import type { Clock, LiveReader } from "../../zone/ports.ts";
import { policyAtStep } from "../../zone/promoted-objects.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { ImpactLimits } from "../run/plan-zone.ts";
import type { StepsPorts } from "./steps.ts";

/** Counts the scripts in use that a policy would block at a step and not at the one before; a rule blocks none. */
export function blockedScripts({
  reader,
  clock,
  impact,
}: {
  readonly reader: Pick<LiveReader, "readScripts">;
  readonly clock: Pick<Clock, "now">;
  readonly impact: ImpactLimits;
}): StepsPorts["blockedScripts"] {
  return async (zone, object, at, signal) => {
    if (!("value" in object)) return 0;
    const [before, after] = [policyAtStep(object, at - 1), policyAtStep(object, at)];
    const { key, description: title } = object;
    const compared = { key: `policy/${key}`, title, before, after };
    if (!canBlockMore(compared)) return 0;
    try {
      const scripts = await reader.readScripts(zone, "inventory", signal);
      const limits = { now: clock.now(), freshMs: impact.freshMs };
      return cspImpact([compared], scripts, impact).reduce(
        (sum, each) => sum + blockedInUse(each, object.acknowledge, limits).length,
        0,
      );
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return "unread";
    }
  };
}
