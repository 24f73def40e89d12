import { StoredRuns } from "../../memory/stored-runs.ts";
import { inspectState, openCommandState } from "../../memory/stored-state.ts";
import {
  changingZone,
  type FleetLimits,
  maxWeakenedOf,
} from "../../reconcile/fleet/fleet-guard.ts";
import { FleetPast, type WeakenedBy } from "../../reconcile/fleet/fleet-past.ts";
import type { HeldFleet } from "../../render/held-fleet.ts";
import { heldFleet, type JudgedFleet } from "./fleet-hold.ts";
import type { Session } from "./session.ts";

/** What a command counts with: a few zones that a person names in full are counted apart from revisions. */
export function countOf(
  patterns: readonly string[],
  declared: number,
  limits: FleetLimits,
): WeakenedBy {
  const isNamed = patterns.length > 0 && !patterns.some((each) => each.includes("*"));
  return isNamed && patterns.length <= maxWeakenedOf(limits, declared) ? "named" : "revision";
}

/**
 * Stores, before the first write, which zones plans weaken, so that the next command and the daemon count them for an hour.
 * Another command may have stored its own meanwhile: gives the hold where both together are too many, and stores nothing
 * then. If the state cannot be written, it says so.
 */
export async function storeWeakened(
  fleet: Omit<JudgedFleet, "weakened">,
  by: WeakenedBy,
  limits: FleetLimits,
  session: Pick<Session, "config" | "host" | "stop">,
): Promise<HeldFleet | undefined> {
  const { config, host } = session;
  const { path } = config.state;
  const weaker = fleet.plans.map(changingZone).filter(({ weakens }) => weakens);
  const isReleased = limits.accept.includes(fleet.hash);
  if (weaker.length === 0 || isReleased || path === undefined) return undefined;
  const tell = (why: string): void => {
    host.stderr.write(`what this command weakens does not count for the next hour: ${why}\n`);
  };
  const holder = await holderOf(path, session);
  if (holder !== undefined) {
    tell(`the state in ${path} is in use by ${holder}`);
    return undefined;
  }
  const state = await openCommandState(config, host);
  if (state.store === undefined) {
    tell(state.why);
    return undefined;
  }
  await using store = state.store;
  const past = new FleetPast(new StoredRuns(store), host.clock);
  const held = heldFleet({ ...fleet, weakened: past.weakened(by) }, limits);
  if (held !== undefined) return held;
  past.addWeakened(
    by,
    weaker.map(({ zone }) => zone),
  );
  if (!(await store.flush())) tell(`the state in ${path} cannot be written`);
  return undefined;
}

/** Another command holds the state for a moment only, a daemon as long as it runs. */
const lockWait = { ms: 500, times: 4 } as const;

/** Who holds the state, after a short wait; `undefined`: nobody. */
async function holderOf(
  path: string,
  { config, host, stop }: Pick<Session, "config" | "host" | "stop">,
): Promise<string | undefined> {
  for (let waited = 0; ; waited += 1) {
    const { holder } = await inspectState(path, config, host);
    if (holder === undefined || waited === lockWait.times) return holder;
    await host.clock.sleep(lockWait.ms, stop);
  }
}
