import type { ServiceClient } from "../host/connect.ts";
import { partsOf } from "../reconcile/run/plan-zone.ts";
import type { SweepForecast } from "../render/plan-text.ts";
import type { DesiredZone } from "../zone/desired-zone.ts";
import type { Zone } from "../zone/zone.ts";

/** Requests that a sweep of all declared zones takes, by the name of the credential. */
export type SweepCost = ReadonlyMap<string, number>;

/** Counts the requests of a sweep: of each zone what is declared, and the pages of the listing that show it. */
export function sweepCost(
  zones: Iterable<DesiredZone>,
  credentialOf: (zone: Zone) => string,
): SweepCost {
  const cost = new Map<string, number>();
  for (const { zone, content } of zones) {
    const name = credentialOf(zone);
    const { settings, policies, rules } = partsOf(content);
    const requests = Number(settings) + Number(policies) + Number(rules) + 1 / zonesOnAPage;
    cost.set(name, (cost.get(name) ?? 0) + requests);
  }
  return cost;
}

const zonesOnAPage = 50;

/** A credential's budget, as far as it says how fast a sweep can go. */
interface Pace {
  readonly name: string;
  readonly perSecond: number;
}

/** How long a sweep takes within the budgets, in milliseconds: credentials work side by side, the busiest counts. */
export function sweepMs(cost: SweepCost, paces: readonly Pace[]): number {
  return Math.max(
    0,
    ...paces.map(({ name, perSecond }) => ((cost.get(name) ?? 0) / perSecond) * 1_000),
  );
}

/** What a sweep of zones takes in all. */
export function forecastOf(
  zones: Iterable<DesiredZone>,
  { credentials, credentialOf }: Pick<ServiceClient, "credentials" | "credentialOf">,
): SweepForecast {
  const cost = sweepCost(zones, credentialOf);
  const requests = Math.ceil(cost.values().reduce((sum, each) => sum + each, 0));
  const paces = credentials.map(({ state }) => state);
  return { requests, ms: sweepMs(cost, paces) };
}

/** Warns once, each time that a schedule begins to ask for more sweeps than the budgets allow. */
export function paceWatcher(
  credentials: readonly { readonly state: Pace }[],
  timetable: { readonly longestGapMs: number },
  logger: { warn(facts: object, message: string): void },
): (cost: SweepCost) => void {
  let wasTooFast = false;
  return (cost) => {
    const sweep = sweepMs(
      cost,
      credentials.map(({ state }) => state),
    );
    const isTooFast = sweep > timetable.longestGapMs;
    if (isTooFast && !wasTooFast) {
      logger.warn(
        { sweep_seconds: seconds(sweep), schedule_seconds: seconds(timetable.longestGapMs) },
        "the budget is too small for the schedule: sweep less often, or divide zones among tokens",
      );
    }
    wasTooFast = isTooFast;
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1_000);
}
