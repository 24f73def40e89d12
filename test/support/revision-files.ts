import { selectZones } from "../../src/desired/zones/select.ts";
import { ActiveRevision } from "../../src/reconcile/fleet/active-revision.ts";
import {
  type Candidate,
  fleetGuard,
  type FleetLimits,
  type RevisionJudgement,
} from "../../src/reconcile/fleet/fleet-guard.ts";
import { FleetPast } from "../../src/reconcile/fleet/fleet-past.ts";
import { Rollout } from "../../src/reconcile/fleet/rollout.ts";
import type { DesiredState, Select } from "../../src/zone/desired-state.ts";
import type { Suspension, Target, ZoneContent, ZoneDocument } from "../../src/zone/desired-zone.ts";
import { type KnownZones, zoneId, type Zone } from "../../src/zone/zone.ts";
import { SimulatedClock } from "./clock.ts";
import { desiredZone } from "./model.ts";
import { MemoryRunStore } from "./run-store.ts";
import { zone } from "./service.ts";

export const on: ZoneContent = desiredZone({
  settings: [{ name: "enabled", value: true }],
}).content;
export const off: ZoneContent = desiredZone({
  settings: [{ name: "enabled", value: false }],
}).content;
export const suspension: Suspension = { reason: "incident", until: undefined };

export const limits: FleetLimits = { maxFleetShare: 0.3, minFleet: 3, accept: [] };

/** Zones `z0.example` …, each with an id of its own. */
export function zones(count: number): readonly Zone[] {
  return Array.from({ length: count }, (_, index) => numbered(`z${index}.example`, index));
}

/** A zone with an id of its own. */
export function numbered(name: string, index: number): Zone {
  const id = zoneId(index.toString(16).padStart(32, "0"));
  if (id === undefined) throw new Error("no zone id");
  return zone(name, { id });
}

export function names(count: number): ReadonlySet<string> {
  return new Set(zones(count).map(({ name }) => name));
}

export function listing(count: number): KnownZones {
  return { zones: zones(count), unlisted: [] };
}

export function document(
  target: Target,
  content: ZoneContent,
  more: Partial<ZoneDocument> = {},
): ZoneDocument {
  return { target, content, place: { file: "zones.yaml", line: 1, column: 1 }, ...more };
}

export function byName(count: number, content = on): readonly ZoneDocument[] {
  return zones(count).map(({ name }) => document({ by: "name", name }, content));
}

export function files(
  revision: string,
  documents: readonly ZoneDocument[],
  more: Partial<DesiredState> = {},
): DesiredState {
  return {
    documents,
    diagnostics: [],
    usable: true,
    revision,
    hash: revision,
    declaredHash: revision,
    ...more,
  };
}

/** Nothing was in force before. */
export function noPast(): FleetPast {
  return new FleetPast(new MemoryRunStore(), new SimulatedClock());
}

/** Before any revision; each reaches all zones at once. */
export function activeRevision(select: Select, past: FleetPast = noPast()): ActiveRevision {
  const halts = new MemoryRunStore();
  const ports = { clock: new SimulatedClock(), past, halts, isKnown: () => false };
  return new ActiveRevision(
    select,
    past,
    { isLetPass: () => true },
    new Rollout(undefined, { ...ports, changed: () => undefined }),
  );
}

/** Judges by the files alone. */
export function judgeBy(fleetLimits: FleetLimits): (candidate: Candidate) => RevisionJudgement {
  return (candidate) => {
    const hold = fleetGuard(candidate, fleetLimits);
    return hold === undefined ? { result: "passed" } : { result: "held", hold };
  };
}

export const judge: ReturnType<typeof judgeBy> = judgeBy(limits);

/** With `r1` active, which declares zones that are all listed. */
export function withActive(count: number): ActiveRevision {
  const active = activeRevision(selectZones);
  active.activate(files("r1", byName(count)), listing(count), judge);
  return active;
}
