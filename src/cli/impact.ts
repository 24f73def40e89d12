import { everythingSeen } from "../api/item-query.ts";
import { deployedRulesets, zoneImpact, type ZoneImpact } from "../impact/zone-impact.ts";
import { failureOf, isServiceError } from "../report/failure.ts";
import type { Item, Resource } from "../zone/inventory.ts";
import type { Ruleset } from "../zone/ruleset.ts";
import type { Zone } from "../zone/zone.ts";
import type { Looked } from "./one-look.ts";
import { startProgress } from "./progress.ts";
import type { Session } from "./session.ts";

/** Reads what was detected in the zones of a look, and judges what their plans would do to it. What cannot be read is noted. */
export async function readImpacts(
  looked: readonly Looked[],
  session: Session,
): Promise<readonly ZoneImpact[]> {
  const rulesets = new ManagedRulesets(session);
  using progress = startProgress("judging zones", looked.length, session.machine.stderr);
  const impacts: ZoneImpact[] = [];
  for (const each of looked) {
    const impact = await impactOn(each, rulesets, session);
    if (impact !== undefined) impacts.push(impact);
    progress.step();
  }
  return impacts;
}

async function impactOn(
  { declared, proposal: { report, live } }: Looked,
  rulesets: ManagedRulesets,
  session: Session,
): Promise<ZoneImpact | undefined> {
  if (report.result === "unreadable" || live === undefined) return undefined;
  const { content, zone } = declared.desired;
  const notes: string[] = [];
  const noted = async <T>(what: string, reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!isServiceError(error)) throw error;
      notes.push(`${what} could not be read: ${failureOf(error).message}`);
      return undefined;
    }
  };
  const resources =
    content.policies === undefined
      ? undefined
      : await noted("what was detected", readResources(zone, session));
  const managed = new Map<string, Ruleset>();
  for (const id of deployedRulesets(content)) {
    const ruleset = await noted(`the managed ruleset ${id}`, rulesets.read(zone, id));
    if (ruleset !== undefined) managed.set(id, ruleset);
  }
  const { maliciousBelow } = session.config.impact;
  const facts = { content, plan: report.plan, live, resources, managed, notes };
  return zoneImpact(facts, { maliciousBelow });
}

/** All scripts and connections of a zone that are on record, whatever their status. */
async function readResources(zone: Zone, { service, stop }: Session): Promise<readonly Resource[]> {
  const read = (kind: "script" | "connection"): Promise<readonly Item[]> =>
    service.inventory.list(zone, kind, everythingSeen, quiet, stop);
  const items = [...(await read("script")), ...(await read("connection"))];
  return items.filter((item) => item.kind !== "cookie");
}

function quiet(): void {
  // Each zone is a step of the progress; its pages are not told apart.
}

/** Managed rulesets, each read once for an account. */
class ManagedRulesets {
  readonly #session: Session;
  readonly #read = new Map<string, Promise<Ruleset>>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Reads a ruleset from the zone's path, which needs no permission for the account (SERVICE.md B.1). */
  async read(zone: Zone, id: string): Promise<Ruleset> {
    const key = `${zone.accountId} ${id}`;
    const { service, stop } = this.#session;
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const reading = service.rulesets.read({ level: "zone", zone }, id, undefined, stop);
    this.#read.set(key, reading);
    return reading;
  }
}
