import type { Config } from "../../desired/config/config.ts";
import type { Host } from "../../host/host.ts";
import { isOnlyAdoption } from "../../plan/adoption.ts";
import type { Plan } from "../../plan/plan.ts";
import type { StoredHold } from "../../reconcile/fleet/desired-fleet.ts";
import {
  changingZone,
  fleetChange,
  type FleetLimits,
  maxWeakenedOf,
  weakeningBy,
  weakeningHold,
} from "../../reconcile/fleet/fleet-guard.ts";
import { type Moments, type WeakenedBy, withinAnHour } from "../../reconcile/fleet/fleet-past.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import type { HeldFleet } from "../../render/held-fleet.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { openCommandStore } from "./command-store.ts";
import type { Session } from "./session.ts";

/** The limits of the configuration, with the hashes that the command line accepts. */
export function limitsWith(accept: readonly string[], { limits }: Config): Config["limits"] {
  return { ...limits, accept: [...limits.accept, ...accept] };
}

interface JudgedFleet {
  readonly plans: readonly Plan[];
  /** When zones were weakened within the last hour. */
  readonly weakened: ReadonlyMap<ZoneName, number>;
  readonly declared: number;
  /** What a person accepts: the hash of what the files declare. */
  readonly hash: string;
}

/** The fleet guard for plans of one command; `undefined`: it does not hold them. */
export function heldFleet(
  { plans: all, weakened, declared, hash }: JudgedFleet,
  limits: FleetLimits,
): HeldFleet | undefined {
  const plans = all.filter((plan) => !isOnlyAdoption(plan));
  const changing = plans.map(changingZone);
  const before = new Set(weakened.keys());
  const judgement = fleetChange({ changing, weakened: before, declared, hash }, limits);
  if (judgement.result !== "held") return undefined;
  const { found, limit } = judgement;
  return { found, hash, limit, zones: plans.map(({ zone }) => zone.name) };
}

/** The whole message is printed once: a fleet has too many zones to repeat it. */
export function heldByFleet(report: ZoneReport): ZoneReport {
  if (report.result !== "planned") return report;
  const message = "apply would change or weaken too many zones at once: nothing is written";
  return { ...report, result: "held", holds: [{ reason: "fleet_change", message }] };
}

/** Says of zones that were applied that the daemon holds their revision. */
export function tellHeldByDaemon(
  reports: readonly ZoneReport[],
  held: StoredHold | undefined,
  { revision, declared }: { readonly revision: string; readonly declared: number },
  { config: { limits }, host }: { readonly config: Config; readonly host: Pick<Host, "stderr"> },
): void {
  if (held?.revision !== revision || limits.accept.includes(held.hash)) return;
  const zones = new Set(held.zones);
  if (!reports.some(({ result, zone }) => result === "applied" && zones.has(zone))) return;
  const most = maxWeakenedOf(limits, declared);
  host.stderr.write(
    `the daemon holds this revision, and sets zones back if more than ${most} stay weaker: add ${held.hash} to limits.accept\n`,
  );
}

/** What a command counts with: a few zones that a person names in full are counted apart from revisions. */
export function countOf(
  patterns: readonly string[],
  declared: number,
  limits: FleetLimits,
): WeakenedBy {
  const isNamed = patterns.length > 0 && !patterns.some((each) => each.includes("*"));
  return isNamed && patterns.length <= maxWeakenedOf(limits, declared) ? "named" : "revision";
}

/** What the corrections of a command count with, where they weaken zones that somebody strengthened by hand. */
export function correctionsCountOf(by: WeakenedBy): WeakenedBy {
  return by === "named" ? "named" : "drift";
}

/**
 * Holds each plan that corrects, and so weakens, one zone too many; as the daemon, it holds no other plan for that.
 *
 * @param weakened the zones that were weakened so within the last hour
 */
export function holdCorrections<T extends ReviewedZone>(
  zones: readonly T[],
  weakened: Moments<ZoneName>,
  limit: number,
): readonly T[] {
  const counted = new Set(weakened.keys());
  return zones.map((zone) => {
    const { report } = zone.planned;
    if (report.result !== "planned" || !isCorrected(report.plan)) return zone;
    const { name } = report.plan.zone;
    if (counted.has(name) || counted.size < limit) {
      counted.add(name);
      return zone;
    }
    const holds = [weakeningHold("drift", report.plan.changes, limit)];
    return { ...zone, planned: { ...zone.planned, report: { ...report, result: "held", holds } } };
  });
}

function isCorrected({ changes }: Plan): boolean {
  return weakeningBy("drift", changes).length > 0;
}

/**
 * Stores, before the first write, which zones plans weaken, so that the next command and the daemon count them for an hour,
 * and which releases of the configuration are used. Another command may have stored its own meanwhile: gives the hold where
 * both together are too many, and stores nothing then. If the state cannot be written, it says so.
 *
 * @param used hashes in `limits.accept`: none of them releases a second time
 * @returns why nothing may be written; `undefined`: all may
 */
export async function storeBeforeWrites(
  fleet: Omit<JudgedFleet, "weakened">,
  by: WeakenedBy,
  used: readonly string[],
  limits: FleetLimits,
  session: Pick<Session, "config" | "host" | "stop">,
): Promise<HeldFleet | string | undefined> {
  const { config, host, stop } = session;
  const isReleased = limits.accept.includes(fleet.hash);
  const weaker = isReleased ? [] : fleet.plans.filter((plan) => changingZone(plan).weakens);
  const corrected = fleet.plans.filter(isCorrected);
  const isNothing = weaker.length + corrected.length + used.length === 0;
  if (isNothing || config.store === undefined) return undefined;
  const notStored = (why: string): string | undefined => {
    if (used.length > 0) {
      return `a release in limits.accept can be used only once, and that it is used cannot be stored: ${why}; a release by --accept need not be stored`;
    }
    host.stderr.write(`what this command weakens does not count for the next hour: ${why}\n`);
    return undefined;
  };
  await using opened = await openCommandStore(config, host, stop);
  if ("why" in opened) return notStored(opened.why);
  const usedBefore = used.find((hash) => opened.stored.usedReleases.includes(hash));
  if (usedBefore !== undefined) return `${usedBefore} in limits.accept was used meanwhile`;
  const before = withinAnHour(opened.stored.weakened(by), host.clock.now());
  const held = heldFleet({ ...fleet, weakened: before }, limits);
  if (held !== undefined) return held;
  const weakened = new Map<WeakenedBy, readonly ZoneName[]>();
  for (const [cause, plans] of [
    [by, weaker],
    [correctionsCountOf(by), corrected],
  ] as const) {
    const names = [...(weakened.get(cause) ?? []), ...plans.map(({ zone }) => zone.name)];
    if (names.length > 0) weakened.set(cause, names);
  }
  const why = await opened.store({ adopted: new Map(), weakened, used });
  return why === undefined ? undefined : notStored(why);
}
