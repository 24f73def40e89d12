import type { InventoryFacts, InventoryState } from "../../state/inventory.ts";
import type { ZoneState } from "../../state/zone-state.ts";

/** What somebody looks for among the inventories of zones; the last two never hold of one zone together. */
export const inventoryFilters = ["malicious", "outside", "failing", "unread"] as const;

/** One of {@link inventoryFilters}. */
export type InventoryFilter = (typeof inventoryFilters)[number];

/** The inventories of zones in numbers. */
export interface FleetInventory {
  readonly zones: Readonly<Record<InventoryFilter, number>>;
  /** Malicious items; `undefined` where no zone was read yet. */
  readonly malicious: number | undefined;
  /** Scripts outside every enforced policy of their zone; `undefined` where no zone that was read enforces one. */
  readonly outside: number | undefined;
}

/** Whether anybody looks at what browsers report. */
export function isInventoryOn(zones: readonly ZoneState[]): boolean {
  return zones.some(({ inventory }) => inventory !== undefined);
}

/** Counts what was found in zones. */
export function fleetInventory(zones: readonly ZoneState[]): FleetInventory {
  const counts = { malicious: 0, outside: 0, failing: 0, unread: 0 };
  for (const state of zones) {
    for (const filter of inventoryFilters) if (fitsInventory(state, filter)) counts[filter] += 1;
  }
  const read = zones.flatMap(({ inventory }) => inventory?.facts ?? []);
  return {
    zones: counts,
    malicious: sumOf(read.map(maliciousIn)),
    outside: sumOf(read.flatMap(({ outside }) => outside?.count ?? [])),
  };
}

function sumOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, each) => sum + each, 0);
}

/** Whether a zone is one of those that somebody looks for; where nobody looks at inventories, none is. */
export function fitsInventory({ inventory }: ZoneState, filter: InventoryFilter): boolean {
  return inventory !== undefined && tests[filter](inventory);
}

/** Malicious items of all kinds. */
export function maliciousIn(facts: InventoryFacts | undefined): number {
  return [...(facts?.kinds.values() ?? [])].reduce((sum, { malicious }) => sum + malicious, 0);
}

const tests: Readonly<Record<InventoryFilter, (inventory: InventoryState) => boolean>> = {
  malicious: ({ facts }) => maliciousIn(facts) > 0,
  outside: ({ facts }) => (facts?.outside?.count ?? 0) > 0,
  failing: ({ failure }) => failure !== undefined,
  unread: ({ facts, failure }) => facts === undefined && failure === undefined,
};
