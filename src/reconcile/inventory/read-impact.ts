import {
  deployedRulesets,
  type PlanWithStates,
  type ZoneImpact,
  zoneImpact,
} from "../../impact/zone-impact.ts";
import { failureOf } from "../../state/run-report.ts";
import type { SeenResource } from "../../zone/inventory-item.ts";
import type { Ruleset } from "../../zone/ruleset.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";

export interface ImpactSource {
  /** Scripts and connections on record, whatever their status. */
  readResources(zone: Zone, signal: AbortSignal): Promise<readonly SeenResource[]>;
  /** A managed ruleset with its rules. */
  readManaged(zone: Zone, id: string, signal: AbortSignal): Promise<Ruleset>;
}

/** The impact of a plan, as far as its sources could be read. */
export interface ReadImpact {
  readonly impact: ZoneImpact;
  /** The first transient failure: a retry may read more. */
  readonly transient: Error | undefined;
}

/**
 * Computes what a plan does to the inventory, where policies are declared, and to the managed rules, where declared rules
 * deploy them. A source that cannot be read is noted and does not affect the others.
 */
export async function readZoneImpact(
  { content, live, plan }: PlanWithStates,
  maliciousBelow: number,
  source: ImpactSource,
  signal: AbortSignal,
): Promise<ReadImpact> {
  const { zone } = live;
  const notes: string[] = [];
  let transient: Error | undefined;
  const noted = async <T>(what: string, reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      notes.push(`${what} could not be read: ${failureOf(error).message}`);
      if (error.transient) transient ??= error;
      return undefined;
    }
  };
  const resources =
    content.policies === undefined
      ? undefined
      : await noted("what was detected", source.readResources(zone, signal));
  const managed = new Map<string, Ruleset>();
  for (const id of deployedRulesets(content)) {
    const reading = source.readManaged(zone, id, signal);
    const ruleset = await noted(`the managed ruleset ${id}`, reading);
    if (ruleset !== undefined) managed.set(id, ruleset);
  }
  const facts = { content, plan, live, resources, managed, notes };
  return { impact: zoneImpact(facts, { maliciousBelow }), transient };
}
