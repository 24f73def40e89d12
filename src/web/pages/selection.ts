import type { StoredZone } from "../../history/stored-fleet.ts";
import { type Author, authorName, authorsIn } from "../../plan/cause/author.ts";
import { addCounts } from "../../state/add-counts.ts";
import { weakeningOf } from "../../state/drift.ts";
import type { InventoryFacts, InventoryState } from "../../state/inventory.ts";
import { driftOf, type ZoneState, type ZoneStatus, zoneStatuses } from "../../state/zone-state.ts";
import { compareText } from "../../syntax/by-text.ts";
import { coerceName, parseName } from "../../syntax/json.ts";
import { sum } from "../../syntax/sum.ts";
import type { ZoneLabels } from "../../zone/desired-zone.ts";
import { labelSelector } from "../../zone/label-selector.ts";
import { kinds } from "../../zone/resource.ts";

/** Zones on one page; an answer of the API has more. */
const pageSize = 50;

/** Orders of the zone list; `urgency`: the most urgent first. */
export const sortings = ["urgency", "name", "since", "checked"] as const;

export type Sorting = (typeof sortings)[number];

/** Drift that lowered the protection, or of resources of a kind. */
const driftFilters = ["weakens", ...kinds] as const;

export type DriftFilter = (typeof driftFilters)[number];

/** The filters of the zone list, from query parameters; "" for all. */
export interface ZoneFilter {
  readonly status: ZoneStatus | undefined;
  readonly inventory: InventoryFilter | undefined;
  /** Name or id of an account. */
  readonly account: string;
  readonly drift: DriftFilter | undefined;
  /** Who changed a zone, as the pages name them. */
  readonly author: string;
  /** The id of a cause (fleet-causes.ts). */
  readonly cause: string;
  /** Of labels, as `--selector` takes it. */
  readonly selector: string;
  /** Part of a name, an account, or an id. */
  readonly query: string;
  readonly sort: Sorting;
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
  const page = Number(query["page"]);
  const selector = query["selector"] ?? "";
  return {
    status: parseName(zoneStatuses, query["status"]),
    inventory: parseName(inventoryFilters, query["inventory"]),
    account: query["account"] ?? "",
    drift: parseName(driftFilters, query["drift"]),
    author: query["author"] ?? "",
    cause: query["cause"] ?? "",
    selector: labelSelector(selector) === undefined ? "" : selector,
    sort: coerceName(sortings, query["sort"]),
    query: (query["q"] ?? "").trim().toLowerCase(),
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  };
}

/** The query string of a selection, "" for the first page of all. */
export function queryOf(selection: ZoneFilter): string {
  const parameters = new URLSearchParams(parametersOf(selection));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}

/** The query parameters of a selection that are set. */
export function parametersOf(selection: ZoneFilter): Record<string, string> {
  const { status = "", inventory = "", account, drift = "", author, cause } = selection;
  const { selector, query: q, sort, page } = selection;
  const all = { q, status, inventory, account, drift, author, cause, selector };
  const order = { sort: sort === "urgency" ? "" : sort, page: page > 1 ? String(page) : "" };
  return Object.fromEntries(
    Object.entries({ ...all, ...order }).filter(([, value]) => value !== ""),
  );
}

/** The zones that match all filters but that of a cause. */
export function narrowed(zones: readonly ZoneState[], selection: ZoneFilter): readonly ZoneState[] {
  const { status, inventory, query } = selection;
  const hasLabels = labelSelector(selection.selector);
  return zones.filter(
    (state) =>
      fits(state, query) &&
      hasLabels?.(state.declared.labels) !== false &&
      fitsOthers(state, selection) &&
      (status === undefined || state.status === status) &&
      (inventory === undefined || fitsInventory(state, inventory)),
  );
}

/**
 * Applies a selection to all zones; a page beyond the last is the last.
 *
 * @param only the zones of its cause; `undefined`: all.
 */
export function select(
  zones: readonly ZoneState[],
  selection: ZoneFilter,
  only?: ReadonlySet<string>,
  size: number = pageSize,
): SelectedStates {
  const found =
    only === undefined ? zones : zones.filter(({ declared: { name } }) => only.has(name));
  const matching = narrowed(found, selection);
  return {
    counts: countByStatus(narrowed(found, { ...selection, status: undefined })),
    inventory: fleetInventory(narrowed(found, { ...selection, inventory: undefined })),
    ...pageOf(orders[selection.sort](matching), selection.page, size),
  };
}

/** What filters can be set to, so that some zone matches: names of accounts, of authors, and labels, sorted, and kinds of drift. */
export function choicesOf(zones: readonly ZoneState[]): {
  readonly accounts: readonly string[];
  readonly authors: readonly string[];
  readonly drifted: readonly DriftFilter[];
  /** Each as a selector. */
  readonly labels: readonly string[];
} {
  return {
    accounts: eachOnce(zones.flatMap(({ zone }) => zone?.accountName ?? [])),
    authors: eachOnce(zones.flatMap(authorNamesOf)),
    drifted: driftFilters.filter((drift) => zones.some((state) => hasDrifted(state, drift))),
    labels: labelChoices(zones.map(({ declared }) => declared)),
  };
}

/** The labels of zones, sorted, each as a selector. */
export function labelChoices(zones: readonly { readonly labels: ZoneLabels }[]): readonly string[] {
  return eachOnce(zones.flatMap(({ labels }) => labelTexts(labels)));
}

/** The labels of a zone in their order, each as a selector of the zones that have it. */
export function labelTexts(labels: ZoneLabels): readonly string[] {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted(compareText);
}

function eachOnce(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].toSorted(compareText);
}

/** Who changed a zone, by its latest changes and by what differs now. */
export function authorsOf({ changes, differing }: ZoneState): readonly Author[] {
  return authorsIn([...changes.flatMap((record) => record.changes), ...differing]);
}

function authorNamesOf(state: ZoneState): readonly string[] {
  return authorsOf(state).map(authorName);
}

function fitsOthers(state: ZoneState, { account, drift, author }: ZoneFilter): boolean {
  const { zone } = state;
  if (account !== "" && zone?.accountName !== account && zone?.accountId !== account) return false;
  if (drift !== undefined && !hasDrifted(state, drift)) return false;
  return author === "" || authorNamesOf(state).includes(author);
}

function hasDrifted(state: ZoneState, drift: DriftFilter): boolean {
  return drift === "weakens"
    ? isWeakened(state)
    : driftOf(state).some(({ kind }) => kind === drift);
}

type Order<T> = (zones: readonly T[]) => readonly T[];

function byNumber<T>(numberOf: (zone: T) => number): Order<T> {
  return (zones) =>
    zones
      .map((zone) => ({ zone, at: numberOf(zone) }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ zone }) => zone);
}

/** What has been so for the longest, or was not checked for the longest, comes first. */
const orders: Readonly<Record<Sorting, Order<ZoneState>>> = {
  urgency: byNumber(urgencyOf),
  // As a fleet has them.
  name: (zones) => zones,
  since: byNumber(({ driftedSince, statusSince }) => Number(driftedSince ?? statusSince)),
  checked: byNumber(({ lastSuccess }) => Number(lastSuccess ?? 0)),
};

/** Applies a selection to what the store says of zones: it knows names, statuses and labels. */
export function selectStored(
  zones: readonly StoredZone[],
  selection: ZoneFilter,
  size: number = pageSize,
): SelectedZones<StoredZone> {
  const hasLabels = labelSelector(selection.selector);
  const found = zones.filter(
    ({ name, labels }) => name.includes(selection.query) && hasLabels?.(labels) !== false,
  );
  const matching = found.filter(
    ({ status }) => selection.status === undefined || status === selection.status,
  );
  const byStatus = byNumber<StoredZone>(({ status }) => urgencies.indexOf(status));
  return { counts: countByStatus(found), ...pageOf(byStatus(matching), selection.page, size) };
}

function pageOf<T>(
  sorted: readonly T[],
  wanted: number,
  size: number,
): Omit<SelectedZones<T>, "counts"> {
  const pages = Math.max(1, Math.ceil(sorted.length / size));
  const page = Math.min(wanted, pages);
  const zones = sorted.slice((page - 1) * size, page * size);
  return { matching: sorted.length, page, pages, zones };
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
  if (declared.name.includes(query)) return true;
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
  return numbers.length === 0 ? undefined : sum(numbers);
}

function fitsInventory({ inventory }: ZoneState, filter: InventoryFilter): boolean {
  return inventory !== undefined && tests[filter](inventory);
}

export function maliciousIn(facts: InventoryFacts | undefined): number {
  return sum([...(facts?.kinds.values() ?? [])].map(({ malicious }) => malicious));
}

const tests: Readonly<Record<InventoryFilter, (inventory: InventoryState) => boolean>> = {
  malicious: ({ facts }) => maliciousIn(facts) > 0,
  outside: ({ facts }) => (facts?.outside?.count ?? 0) > 0,
  failing: ({ failure }) => failure !== undefined,
  unread: ({ facts, failure }) => facts === undefined && failure === undefined,
};
