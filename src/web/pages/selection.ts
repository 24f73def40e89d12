import type { StoredZone } from "../../history/stored-fleet.ts";
import { addCounts } from "../../state/add-counts.ts";
import { weakeningOf } from "../../state/drift.ts";
import type { InventoryFacts, InventoryState } from "../../state/inventory.ts";
import { driftOf, type ZoneState, type ZoneStatus, zoneStatuses } from "../../state/zone-state.ts";

/** Zones on one page. */
const pageSize = 200;

/** The filters of the zone list, from query parameters. */
export interface ZoneFilter {
  readonly status: ZoneStatus | undefined;
  readonly inventory: InventoryFilter | undefined;
  /** Part of a name, an account, or an id; "" for all. */
  readonly query: string;
  /** From 1. */
  readonly page: number;
}

/** The selected zones, the most urgent first. */
export interface SelectedZones<T> {
  /** Zones that match the other filters, by status. */
  readonly counts: Readonly<Record<ZoneStatus, number>>;
  /** Zones that match all filters. */
  readonly matching: number;
  readonly page: number;
  readonly pages: number;
  readonly zones: readonly T[];
}

/** The selected zones with what their runs found. */
export interface SelectedStates extends SelectedZones<ZoneState> {
  /** Inventories of the zones that match the other filters. */
  readonly inventory: FleetInventory;
}

/** Reads a selection; invalid values are ignored. */
export function selectionFrom(query: Readonly<Record<string, string | undefined>>): ZoneFilter {
  const page = Number(query["page"] ?? 1);
  return {
    status: zoneStatuses.find((status) => status === query["status"]),
    inventory: inventoryFilters.find((filter) => filter === query["inventory"]),
    query: (query["q"] ?? "").trim().toLowerCase(),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The query string of a selection, "" for the first page of all. */
export function queryOf({ status, inventory, query, page }: ZoneFilter): string {
  const parameters = new URLSearchParams();
  if (query !== "") parameters.set("q", query);
  if (status !== undefined) parameters.set("status", status);
  if (inventory !== undefined) parameters.set("inventory", inventory);
  if (page > 1) parameters.set("page", String(page));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** Applies a selection to all zones; a page beyond the last is the last. */
export function select(zones: readonly ZoneState[], selection: ZoneFilter): SelectedStates {
  const { status, inventory, query } = selection;
  const hasStatus = (state: ZoneState): boolean => status === undefined || state.status === status;
  const hasFound = (state: ZoneState): boolean =>
    inventory === undefined || fitsInventory(state, inventory);
  const found = zones.filter((state) => fits(state, query));
  const matching = found.filter((state) => hasStatus(state) && hasFound(state));
  return {
    counts: countByStatus(found.filter(hasFound)),
    inventory: fleetInventory(found.filter(hasStatus)),
    ...pageOf(matching, urgencyOf, selection),
  };
}

/** Applies a selection to what the store says of zones: it knows names and statuses. */
export function selectStored(
  zones: readonly StoredZone[],
  selection: ZoneFilter,
): SelectedZones<StoredZone> {
  const found = zones.filter(({ name }) => name.includes(selection.query));
  const matching = found.filter(
    ({ status }) => selection.status === undefined || status === selection.status,
  );
  return {
    counts: countByStatus(found),
    ...pageOf(matching, ({ status }) => urgencies.indexOf(status), selection),
  };
}

function pageOf<T>(
  matching: readonly T[],
  urgency: (zone: T) => number,
  selection: ZoneFilter,
): Omit<SelectedZones<T>, "counts"> {
  const sorted = matching
    .map((zone) => ({ zone, urgency: urgency(zone) }))
    .toSorted((a, b) => a.urgency - b.urgency)
    .map(({ zone }) => zone);
  const pages = Math.max(1, Math.ceil(matching.length / pageSize));
  const page = Math.min(selection.page, pages);
  const zones = sorted.slice((page - 1) * pageSize, page * pageSize);
  return { matching: matching.length, page, pages, zones };
}

export function countByStatus(
  zones: readonly { readonly status: ZoneStatus }[],
): Readonly<Record<ZoneStatus, number>> {
  return addCounts(
    { in_sync: 0, drifted: 0, pending: 0, differs: 0, held: 0, error: 0, unknown: 0, suspended: 0 },
    zones.map(({ status }) => status),
  );
}

/** Whether drift weakens the protection of the zone. */
export function isWeakened(state: ZoneState): boolean {
  return weakeningOf(driftOf(state)).length > 0;
}

function fits({ declared, zone }: ZoneState, query: string): boolean {
  if (query === "" || declared.name.includes(query)) return true;
  if (zone === undefined) return false;
  return zone.id === query || zone.accountName.toLowerCase().includes(query);
}

const urgencies: readonly ZoneStatus[] = [
  "held",
  "error",
  "drifted",
  "pending",
  "differs",
  "suspended",
  "unknown",
  "in_sync",
];

/** Weakened zones come first and then those with active malicious items, whatever their status; then held ones. */
function urgencyOf(state: ZoneState): number {
  if (isWeakened(state)) return -2;
  return hasActiveMalicious(state) ? -1 : urgencies.indexOf(state.status);
}

function hasActiveMalicious({ inventory }: ZoneState): boolean {
  const facts = inventory?.facts;
  if (facts === undefined) return false;
  // Beyond the listed items, any may be active.
  const isCut = maliciousIn(facts) > facts.malicious.length;
  return isCut || facts.malicious.some(({ status }) => status === "active");
}

/** Findings in inventories; the last two exclude each other. */
export const inventoryFilters = ["malicious", "outside", "failing", "unread"] as const;

export type InventoryFilter = (typeof inventoryFilters)[number];

export interface FleetInventory {
  readonly zones: Readonly<Record<InventoryFilter, number>>;
  /** Malicious items; `undefined` if no inventory was read yet. */
  readonly malicious: number | undefined;
  /** Scripts outside every enforced policy; `undefined` if no read zone enforces one. */
  readonly outside: number | undefined;
}

export function isInventoryOn(zones: readonly ZoneState[]): boolean {
  return zones.some(({ inventory }) => inventory !== undefined);
}

export function fleetInventory(zones: readonly ZoneState[]): FleetInventory {
  const read = zones.flatMap(({ inventory }) => inventory?.facts ?? []);
  return {
    zones: addCounts(
      { malicious: 0, outside: 0, failing: 0, unread: 0 },
      zones.flatMap((state) => inventoryFilters.filter((filter) => fitsInventory(state, filter))),
    ),
    malicious: sumOf(read.map(maliciousIn)),
    outside: sumOf(read.flatMap(({ outside }) => outside?.count ?? [])),
  };
}

function sumOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, each) => sum + each, 0);
}

function fitsInventory({ inventory }: ZoneState, filter: InventoryFilter): boolean {
  return inventory !== undefined && tests[filter](inventory);
}

export function maliciousIn(facts: InventoryFacts | undefined): number {
  return [...(facts?.kinds.values() ?? [])].reduce((sum, { malicious }) => sum + malicious, 0);
}

const tests: Readonly<Record<InventoryFilter, (inventory: InventoryState) => boolean>> = {
  malicious: ({ facts }) => maliciousIn(facts) > 0,
  outside: ({ facts }) => (facts?.outside?.count ?? 0) > 0,
  failing: ({ failure }) => failure !== undefined,
  unread: ({ facts, failure }) => facts === undefined && failure === undefined,
};
