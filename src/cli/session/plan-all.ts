import type { DesiredState } from "../../desired/load/zone-file-loader.ts";
import { selectZones } from "../../desired/zones/select.ts";
import { causeByMarks } from "../../plan/plan.ts";
import type { FleetZone } from "../../reconcile/fleet/desired-fleet.ts";
import { desiredFleet, joinListings, missingReport } from "../../reconcile/fleet/desired-fleet.ts";
import type { ReviewedZone } from "../../reconcile/run/apply.ts";
import { type PlannedZone, planZone } from "../../reconcile/run/plan-zone.ts";
import { guardInputOf } from "../../reconcile/run/zone-runner.ts";
import { type Windows, windowsOf } from "../../reconcile/schedule/windows.ts";
import { failureOf } from "../../state/failure.ts";
import type { ZoneReport } from "../../state/run-report.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { startProgress } from "../output/progress.ts";
import { isWanted, listZones, unlistedText } from "./listing.ts";
import type { Session } from "./session.ts";

/** A declared zone with its plan. */
export interface PlannedFleetZone extends ReviewedZone {
  readonly declared: FleetZone;
}

/** What one look at the fleet came to. */
export interface PlannedFleet {
  readonly looked: readonly PlannedFleetZone[];
  /** Declared zones that were not found. */
  readonly missing: readonly ZoneReport[];
  /** Whether the zones of every credential are known. */
  readonly isWhole: boolean;
  /** What the zone listing showed to be wrong in the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Patterns of the command line that no declared zone fits; where there are any, nothing was looked at. */
  readonly unmatched: readonly string[];
}

/** What a look is to look at. */
export interface PlanAllOptions {
  readonly state: DesiredState;
  /** Patterns of zone names, `*` for any run of characters; none means all. */
  readonly only: readonly string[];
  /** Hashes of plans that a person has released. */
  readonly accept: readonly string[];
}

/** Looks at every declared zone once, several side by side, and writes nothing. Throws where the zones cannot be listed. */
export async function planAll(options: PlanAllOptions, session: Session): Promise<PlannedFleet> {
  const { state, only } = options;
  const { config, host } = session;
  const listing = await listZones(session);
  const { failed } = listing;
  const isWhole = failed.length === 0;
  const fleet = desiredFleet(selectZones, state, joinListings(undefined, listing));
  const names = [
    ...fleet.missing.keys(),
    ...fleet.zones.values().map(({ desired }) => desired.zone.name),
  ];
  const unmatched = only.filter((pattern) => !names.some((name) => isWanted(name, [pattern])));
  if (unmatched.length > 0) {
    return { looked: [], missing: [], isWhole, diagnostics: fleet.diagnostics, unmatched };
  }
  const wanted = [...fleet.zones.values()].filter(({ desired }) =>
    isWanted(desired.zone.name, only),
  );
  const windows = windowsOf(config.windows);
  using progress = startProgress("reading zones", wanted.length, host.stderr);
  const looked = await inParallel(wanted, config.api.concurrency, async (declared) => {
    const planAgain = (): Promise<PlannedZone> => planOne(declared, options, windows, session);
    const planned = await planAgain();
    progress.step();
    return { declared, planned, planAgain };
  });
  const unlisted = failed.map((each) => ({
    ...failureOf(each.error),
    message: unlistedText(each),
  }));
  const { revision } = state;
  const occasion = { run: "", trigger: "manual", revision, now: host.clock.now() } as const;
  const missing = [...fleet.missing]
    .filter(([name]) => isWanted(name, only))
    .map(([name, why]) => missingReport(name, why ?? unlisted[0], occasion));
  return { looked, missing, isWhole, diagnostics: fleet.diagnostics, unmatched };
}

function planOne(
  { desired }: FleetZone,
  { state, accept }: PlanAllOptions,
  windows: Windows,
  { config, service, host, stop }: Session,
): Promise<PlannedZone> {
  const limits = { ...config.limits, accept: [...config.limits.accept, ...accept] };
  const rules = { mode: config.mode, limits, windows, used: [] };
  return planZone(
    {
      desired,
      trigger: "manual",
      priority: "changed",
      revision: state.revision,
      owner: config.desired.owner,
      impact: config.impact,
      guardInput: (now) => guardInputOf(desired, rules, now),
      unchangedPlan: () => undefined,
      causeOf: causeByMarks,
      otherHolds: () => [],
    },
    { reader: service.reader, clock: host.clock, runId: host.uniqueId, bug: rethrow },
    stop,
  );
}

/** On the command line a fault of our own ends the command. */
export function rethrow(error: unknown): never {
  throw error;
}

/** Works on many items, so many at once, and gives the results in the items' order. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await work(item));
  };
  await Promise.all(Array.from({ length: width }, worker));
  return [...results].toSorted(([a], [b]) => a - b).map(([, result]) => result);
}
