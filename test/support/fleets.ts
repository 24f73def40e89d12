import { type LinkAnswer, mayWrite } from "../../src/plan/guard/may-write.ts";
import { Fleet, type ZoneStep } from "../../src/state/fleet.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { DeclaredZone, ZoneState } from "../../src/state/zone-state.ts";
import { type Came, change, declared, hold, report, start } from "./reports.ts";

/** The one zone of most stories. */
export const shop = "shop.example.com";

/** A fleet of the shop alone, or of other zones. */
export function fleetOf(...zones: readonly DeclaredZone[]): Fleet {
  const fleet = new Fleet();
  fleet.declare(zones.length === 0 ? [declared(shop)] : zones, start);
  return fleet;
}

/** The state of the shop after runs that end a minute after one another. */
export function after(...runs: readonly Came[]): ZoneState {
  return stateAfter(fleetOf(), ...runs.map((came, minute) => report(shop, minute + 1, came)));
}

/** The state of the shop after more runs. */
export function stateAfter(fleet: Fleet, ...reports: readonly ZoneReport[]): ZoneState {
  for (const each of reports) fleet.recordZone(each);
  const state = fleet.zone(shop);
  if (state === undefined) throw new Error(`${shop} is not declared`);
  return state;
}

/** What a run of a zone changed. */
export function stepOf(fleet: Fleet, run: ZoneReport): ZoneStep {
  const step = fleet.recordZone(run);
  if (step === undefined) throw new Error(`${run.zone} is not declared`);
  return { ...step, report: run };
}

export const a = change("policy/a");
export const b = change("policy/b");
export const drifted: Came = { result: "planned", cause: "drift", changes: [a] };
export const pending: Came = { result: "planned", cause: "pending", changes: [a] };

/** A run whose plan is held for these reasons. */
export function held(...codes: readonly Parameters<typeof hold>[0][]): Came {
  return {
    result: "held",
    cause: "drift",
    changes: [a],
    holds: codes.map((code) => hold(code)),
  };
}

/** What a daemon that knows of nothing else says of writing a zone. */
export function answersOf({ holds, declared: zone }: ZoneState): readonly LinkAnswer[] {
  return mayWrite({ holds, revision: zone.hold });
}
