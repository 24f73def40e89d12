import type { ZoneImpact } from "../../impact/zone-impact.ts";
import { type ImpactSource, readZoneImpact } from "../../reconcile/run/read-impact.ts";
import type { Ruleset } from "../../zone/ruleset.ts";
import { startProgress } from "../output/progress.ts";
import type { PlannedFleetZone } from "../session/plan-all.ts";
import type { Session } from "../session/session.ts";

/** Reads what was detected in the zones of a look, and judges what their plans would do to it. What cannot be read is noted. */
export async function readImpacts(
  looked: readonly PlannedFleetZone[],
  session: Session,
): Promise<readonly ZoneImpact[]> {
  const { config, host, stop } = session;
  const { maliciousBelow } = config.impact;
  const source = sourceOf(session);
  using progress = startProgress("judging zones", looked.length, host.stderr);
  const impacts: ZoneImpact[] = [];
  for (const { declared, planned } of looked) {
    const { report, live } = planned;
    if (report.result !== "error" && live !== undefined) {
      const judged = { content: declared.desired.content, live, plan: report.plan };
      impacts.push((await readZoneImpact(judged, maliciousBelow, source, stop)).impact);
    }
    progress.step();
  }
  return impacts;
}

/** Each managed ruleset is read once for an account, from the zone's path, which needs no permission for the account (SERVICE.md B.1). */
function sourceOf({ service }: Session): ImpactSource {
  const known = new Map<string, Promise<Ruleset>>();
  return {
    readResources: (zone, stop) => service.inventory.listSeen(zone, stop),
    readManaged: (zone, id, stop) => {
      const key = `${zone.accountId} ${id}`;
      const reading =
        known.get(key) ?? service.rulesets.read({ level: "zone", zone }, id, undefined, stop);
      known.set(key, reading);
      return reading;
    },
  };
}
