import type { Change } from "../../src/plan/change.ts";
import type { JudgedLoad, Loaded } from "../../src/reconcile/fleet/active-revision.ts";
import type { DesiredFleet, FleetZone } from "../../src/reconcile/fleet/desired-fleet.ts";
import type { FleetLimits } from "../../src/reconcile/fleet/fleet-guard.ts";
import { FleetRound } from "../../src/reconcile/fleet/fleet-round.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { Mode } from "../../src/zone/desired-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { hashToAccept } from "./held.ts";
import { desiredZone } from "./model.ts";
import { change, failure, named, report } from "./reports.ts";
import { files, noPast } from "./revision-files.ts";
import { zone } from "./service.ts";
import { many } from "./world.ts";

interface Fleet {
  readonly zones: readonly string[];
  /** Declared names without a zone. */
  readonly missing?: readonly string[];
  readonly isAllListed?: boolean;
}

/** The first round over a fleet, without a daemon around it. */
export class JudgedRound {
  options: { readonly mode: Mode; readonly fleetLimits: FleetLimits } = {
    mode: "enforce",
    fleetLimits: {
      maxFleetShare: 0.3,
      minFleet: 5,
      accept: [],
      maxWeakened: { zones: 0, share: 1 },
    },
  };
  /** How often the round told that other zones may be written. */
  told = 0;
  /** Zones of which it is remembered what was applied. */
  readonly known: Set<string> = new Set();
  readonly round: FleetRound = new FleetRound(
    this.options,
    noPast(),
    (name) => this.known.has(name),
    () => (this.told += 1),
  );
  #fleet: Fleet = { zones: [] };
  #digest = "d1";

  declare(fleet: Fleet, result: Loaded["result"] = "applied", digest = "d1"): JudgedLoad {
    this.#fleet = fleet;
    this.#digest = digest;
    const { zones, missing = [], isAllListed = true } = fleet;
    const found: DesiredFleet = {
      zones: new Map(zones.map((name) => [named(name), this.zone(name)])),
      diagnostics: [],
      missing: new Map(missing.map((name) => [named(name), undefined])),
    };
    const state = files("r1", []);
    const loaded: Loaded = {
      result,
      state,
      diagnostics: [],
      fleet: found,
      active: state,
      hold: undefined,
    };
    return this.round.declare(loaded, isAllListed);
  }

  /** What the round says of the same files and the same listing. */
  get now(): JudgedLoad {
    return this.declare(this.#fleet, "unchanged", this.#digest);
  }

  zone(name: string, digest = this.#digest): FleetZone {
    return { desired: { zone: zone(name), content: desiredZone({}).content }, digest };
  }

  plan(name: string, ...keys: readonly ResourceKey[]): void {
    this.round.record(this.zone(name), planned(name, ...keys));
  }

  planAll(zones: readonly string[], ...keys: readonly ResourceKey[]): void {
    for (const name of zones) this.plan(name, ...keys);
  }

  fail(name: string, transient: boolean): void {
    const failed = { result: "error", failure: failure("503", { transient }) } as const;
    this.round.record(this.zone(name), report(name, 1, failed));
  }

  apply(name: string, ...keys: readonly ResourceKey[]): void {
    const applied = { result: "applied", cause: "pending", changes: changesOf(keys) } as const;
    this.round.record(this.zone(name), report(name, 2, applied));
  }

  mayWrite(name: string): boolean {
    return this.round.waitOf(this.zone(name)) === undefined;
  }

  /** Names of the zones that may be written since the last call. */
  takeReleased(): readonly string[] {
    return [...this.round.takeReleased().keys()];
  }

  reconfigure(mode: Mode, fleetLimits: Partial<FleetLimits> = {}): void {
    this.options = { mode, fleetLimits: { ...this.options.fleetLimits, ...fleetLimits } };
    this.round.reconfigure(this.options);
  }
}

function changesOf(keys: readonly ResourceKey[]): readonly Change[] {
  return keys.map((key) => change(key));
}

function planned(name: string, ...keys: readonly ResourceKey[]): ZoneReport {
  if (keys.length === 0) return report(name, 1, { result: "in_sync" });
  return report(name, 1, { result: "planned", cause: "pending", changes: changesOf(keys) });
}

/** A fleet of ten zones, of which all plans are held. */
export function heldRound(): JudgedRound {
  const bench = new JudgedRound();
  bench.declare({ zones: many(10) });
  bench.planAll(many(10), "policy/checkout");
  return bench;
}

/** Ten zones: the plans of nine were accepted, the last could not be read. */
export function acceptedRound(): JudgedRound {
  const bench = new JudgedRound();
  bench.declare({ zones: many(10) });
  bench.planAll(many(9), "policy/checkout");
  bench.fail("z9.example", false);
  bench.reconfigure("enforce", { accept: [hashToAccept(bench.now.hold?.message)] });
  return bench;
}
