import type { OutsideScripts } from "../impact/outside-policies.ts";
import { dayMs } from "../syntax/time-units.ts";
import { type Item, type ItemKind, maliciousReasons } from "../zone/inventory-item.ts";
import type { ZoneName } from "../zone/zone.ts";
import { addCounts } from "./add-counts.ts";
import type { Failure } from "./run-report.ts";

/** The items of one kind in one zone. */
export interface ZoneInventory {
  readonly zone: ZoneName;
  readonly kind: ItemKind;
  readonly items: readonly Item[];
}

export interface InventoryOptions {
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
  readonly now: Date;
}

/** Counts of a zone's inventory. */
export interface InventorySummary {
  readonly total: number;
  /** By the service's status; cookies have none. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly malicious: number;
  /** First seen within the last day. */
  readonly fresh: number;
  readonly hosts: number;
}

export function summarizeInventory(
  items: readonly Item[],
  { maliciousBelow, now }: InventoryOptions,
): InventorySummary {
  const statuses: Record<string, number> = {};
  for (const item of items) {
    if (item.kind === "cookie" || item.status === "") continue;
    statuses[item.status] = (statuses[item.status] ?? 0) + 1;
  }
  return {
    total: items.length,
    statuses,
    malicious: items.filter((item) => maliciousReasons(item, maliciousBelow).length > 0).length,
    fresh: items.filter((item) => isNew(item, now)).length,
    hosts: new Set(items.map(originOf).filter((host) => host !== "")).size,
  };
}

/** Whether an item was first seen within the last day. */
function isNew({ firstSeenAt }: Pick<Item, "firstSeenAt">, now: Date): boolean {
  return firstSeenAt !== undefined && Number(now) - Number(firstSeenAt) < dayMs;
}

/** The host of an item's URL, "" for inline content, or the domain of a cookie. */
function originOf(item: Item): string {
  if (item.kind === "cookie") return item.domain;
  return URL.parse(item.url)?.host ?? item.url;
}

/** A detected item in short. */
export interface ItemBrief {
  readonly kind: ItemKind;
  readonly id: string;
  /** URL, or the name of a cookie; long ones are cut. */
  readonly name: string;
  /** Page where it was first seen, or its host. */
  readonly page: string;
  readonly firstSeenAt: Date | undefined;
  /** The service's status; "" if there is none, as for cookies. */
  readonly status: string;
  /** Why it is malicious; empty if it is not. */
  readonly malicious: readonly string[];
}

export interface InventoryFacts {
  readonly kinds: ReadonlyMap<ItemKind, InventorySummary>;
  /** Kinds that the token or the contract does not permit to read. */
  readonly notPermitted: ReadonlyMap<ItemKind, Failure>;
  /** At most {@link maxMalicious}, newest first. */
  readonly malicious: readonly ItemBrief[];
  /** The newest items of the last day. */
  readonly newest: readonly ItemBrief[];
  /** Scripts in use that no enforced policy allows; `undefined` if none is enforced or scripts are not read. */
  readonly outside:
    | {
        readonly count: number;
        readonly unclear: number;
        readonly newest: readonly ItemBrief[];
      }
    | undefined;
  /** Impact of the zone's plan, as lines; empty without a plan. */
  readonly impact: readonly string[];
}

/** A read of a zone's inventory, successful or not. */
export type InventoryReport = { readonly zone: ZoneName; readonly at: Date } & (
  | { readonly result: "read"; readonly facts: InventoryFacts }
  | { readonly result: "error"; readonly failure: Failure }
);

/** The state of a zone's inventory. A failed read keeps the facts of the last successful one. */
export interface InventoryState {
  /** End of the last successful read; `undefined` before the first. */
  readonly readAt: Date | undefined;
  readonly facts: InventoryFacts | undefined;
  /** Failure of the last read; `undefined` if it succeeded. */
  readonly failure: Failure | undefined;
  /** Start of the current series of failures. */
  readonly failingSince: Date | undefined;
  /** Malicious items found since the zone was declared, by kind. */
  readonly found: Readonly<Record<ItemKind, number>>;
}

/** Items that are kept of each list. */
const maxMalicious = 200;
const maxNewest = 3;

export interface InventoryReading {
  readonly items: ReadonlyMap<ItemKind, readonly Item[]>;
  readonly notPermitted: ReadonlyMap<ItemKind, Failure>;
  readonly outside: OutsideScripts | undefined;
  /** Impact of the zone's plan, as lines; empty without a plan. */
  readonly impact: readonly string[];
}

/** Reduces a reading to what is reported, so that thousands of items do not stay in memory. */
export function inventoryFacts(
  { items, notPermitted, outside, impact }: InventoryReading,
  options: InventoryOptions,
): InventoryFacts {
  const all = [...items.values()].flat();
  const brief = briefer(options.maliciousBelow);
  const malicious = all.filter((item) => maliciousReasons(item, options.maliciousBelow).length > 0);
  return {
    kinds: new Map([...items].map(([kind, found]) => [kind, summarizeInventory(found, options)])),
    notPermitted: notPermitted.size === 0 ? allPermitted : notPermitted,
    malicious: newestFirst(malicious).slice(0, maxMalicious).map(brief),
    newest: newestFirst(all.filter((item) => isNew(item, options.now)))
      .slice(0, maxNewest)
      .map(brief),
    outside:
      outside === undefined
        ? undefined
        : {
            count: outside.scripts.length,
            unclear: outside.unclear,
            newest: newestFirst(outside.scripts).slice(0, maxNewest).map(brief),
          },
    impact,
  };
}

/** One object for the most common case: an empty map takes 170 bytes. */
const allPermitted: ReadonlyMap<ItemKind, Failure> = new Map();

function newestFirst<T extends Item>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => laterFirst(a.firstSeenAt, b.firstSeenAt));
}

/** Orders moments: the latest first, and last what has none. */
export function laterFirst(a: Date | undefined, b: Date | undefined): number {
  return Number(b ?? 0) - Number(a ?? 0);
}

/** Shortens items, each once for all lists: ten thousand zones have to fit in memory. */
function briefer(maliciousBelow: number): (item: Item) => ItemBrief {
  const known = new Map<Item, ItemBrief>();
  return (item) => {
    const brief = known.get(item) ?? briefOf(item, maliciousBelow);
    known.set(item, brief);
    return brief;
  };
}

const harmless: readonly string[] = [];

function briefOf(item: Item, maliciousBelow: number): ItemBrief {
  const { kind, id, firstSeenAt, firstPageUrl, host } = item;
  const malicious = maliciousReasons(item, maliciousBelow);
  return {
    kind,
    id,
    name: shortened(item.kind === "cookie" ? item.name : item.url),
    page: shortened(firstPageUrl || host),
    firstSeenAt,
    status: item.kind === "cookie" ? "" : item.status,
    malicious: malicious.length === 0 ? harmless : malicious,
  };
}

const longest = 500;

/** A text that is kept: a URL can contain a whole inline script. */
export function shortened(text: string): string {
  if (text.length <= longest) return text;
  // A slice alone would keep the whole string in memory.
  return structuredClone(`${text.slice(0, longest)}…`);
}

export const neverRead: InventoryState = {
  readAt: undefined,
  facts: undefined,
  failure: undefined,
  failingSince: undefined,
  found: { script: 0, connection: 0, cookie: 0 },
};

export function afterInventory(state: InventoryState, report: InventoryReport): InventoryState {
  const { at } = report;
  if (report.result === "error") {
    return { ...state, failure: report.failure, failingSince: state.failingSince ?? at };
  }
  const news = newlyMalicious(state, report).map(({ kind }) => kind);
  const found = addCounts(state.found, news);
  return { readAt: at, facts: report.facts, failure: undefined, failingSince: undefined, found };
}

/** Malicious items that the previous read did not show; of a first read, those first seen within the last day. */
export function newlyMalicious(
  { facts }: InventoryState,
  report: Extract<InventoryReport, { readonly result: "read" }>,
): readonly ItemBrief[] {
  const known = new Set(facts?.malicious.map(({ id }) => id));
  return report.facts.malicious.filter((item) =>
    facts === undefined ? isNew(item, report.at) : !known.has(item.id),
  );
}
