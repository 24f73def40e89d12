import type { OutsideScripts } from "../impact/outside-policies.ts";
import { type Item, type ItemKind, maliciousReasons } from "../zone/inventory-item.ts";
import type { ZoneName } from "../zone/zone.ts";
import type { Failure } from "./run-report.ts";

/** What was read of one kind in one zone. */
export interface ZoneInventory {
  readonly zone: ZoneName;
  readonly kind: ItemKind;
  readonly items: readonly Item[];
}

/** What decides how an inventory is judged. */
export interface InventoryOptions {
  /** Integrity scores below this are malicious. */
  readonly maliciousBelow: number;
  readonly now: Date;
}

/** A zone's inventory in numbers. */
export interface InventorySummary {
  readonly total: number;
  /** By status, as the service calls them; cookies have none. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly malicious: number;
  /** First seen within the last day. */
  readonly fresh: number;
  readonly hosts: number;
}

const dayMs = 86_400_000;

/** Counts what was read of a zone. */
export function summarizeInventory(
  { items }: ZoneInventory,
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

/** Where an item comes from: the host of its URL, "" where it carries its content itself, or a cookie's domain. */
function originOf(item: Item): string {
  if (item.kind === "cookie") return item.domain;
  return URL.parse(item.url)?.host ?? item.url;
}

/** One detected item in short: what a person needs to go and look. */
export interface ItemBrief {
  readonly kind: ItemKind;
  readonly id: string;
  /** URL, or the name of a cookie; cut where it is long. */
  readonly name: string;
  /** Page on which it was first seen, else its host. */
  readonly page: string;
  readonly firstSeenAt: Date | undefined;
  /** As the service calls it; "" where it says none, as of cookies. */
  readonly status: string;
  /** Why it is malicious; empty where it is not. */
  readonly malicious: readonly string[];
}

/** What one look at the inventory of a zone found. */
export interface InventoryFacts {
  readonly kinds: ReadonlyMap<ItemKind, InventorySummary>;
  /** Kinds that the token or the contract does not let be read. */
  readonly notPermitted: ReadonlyMap<ItemKind, Failure>;
  /** All of them, up to a bound that no zone reaches which is not lost already. */
  readonly malicious: readonly ItemBrief[];
  /** The newest few of those first seen within the last day. */
  readonly newest: readonly ItemBrief[];
  /** Scripts in use outside every enforced policy; `undefined` where there is none, or scripts are not looked at. */
  readonly outside:
    | {
        readonly count: number;
        readonly unclear: number;
        readonly newest: readonly ItemBrief[];
      }
    | undefined;
  /** What the zone's plan would do to it, in lines; empty where nothing is planned. */
  readonly impact: readonly string[];
}

/** What came of one look. */
export type InventoryReport =
  | {
      readonly result: "read";
      readonly zone: ZoneName;
      readonly at: Date;
      readonly facts: InventoryFacts;
    }
  | {
      readonly result: "error";
      readonly zone: ZoneName;
      readonly at: Date;
      readonly failure: Failure;
    };

/** What is known of a zone's inventory. A failed look leaves what was known before. */
export interface InventoryState {
  /** End of the last look that succeeded; `undefined` before the first. */
  readonly readAt: Date | undefined;
  readonly facts: InventoryFacts | undefined;
  /** What the last look failed with; `undefined` where it succeeded. */
  readonly failure: Failure | undefined;
  /** Since when looks fail. */
  readonly failingSince: Date | undefined;
  /** Malicious items that were not known before, counted since the zone was declared, by kind. */
  readonly found: Readonly<Record<ItemKind, number>>;
}

/** Items of which each is told, and those of which some are shown. */
const mostMalicious = 200;
const mostShown = 3;

/** What was read of a zone for one look. */
export interface InventoryReading {
  readonly items: ReadonlyMap<ItemKind, readonly Item[]>;
  readonly notPermitted: ReadonlyMap<ItemKind, Failure>;
  readonly outside: OutsideScripts | undefined;
  /** What the zone's plan would do to the items, in lines; empty where nothing is planned. */
  readonly impact: readonly string[];
}

/** Keeps of a reading what is told, so that thousands of items do not stay in memory. */
export function inventoryFacts(
  zone: ZoneName,
  { items, notPermitted, outside, impact }: InventoryReading,
  options: InventoryOptions,
): InventoryFacts {
  const all = [...items.values()].flat();
  const told = briefing(options.maliciousBelow);
  const malicious = all.filter((item) => maliciousReasons(item, options.maliciousBelow).length > 0);
  return {
    kinds: new Map(
      [...items].map(([kind, found]) => [
        kind,
        summarizeInventory({ zone, kind, items: found }, options),
      ]),
    ),
    notPermitted,
    malicious: newestFirst(malicious).slice(0, mostMalicious).map(told),
    newest: newestFirst(all.filter((item) => isNew(item, options.now)))
      .slice(0, mostShown)
      .map(told),
    outside:
      outside === undefined
        ? undefined
        : {
            count: outside.scripts.length,
            unclear: outside.unclear,
            newest: newestFirst(outside.scripts).slice(0, mostShown).map(told),
          },
    impact,
  };
}

function newestFirst<T extends Item>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => Number(b.firstSeenAt ?? 0) - Number(a.firstSeenAt ?? 0));
}

/** Tells items in short, each once however many lists it is in: ten thousand zones have to fit. */
function briefing(maliciousBelow: number): (item: Item) => ItemBrief {
  const known = new Map<Item, ItemBrief>();
  return (item) => {
    const told = known.get(item) ?? briefOf(item, maliciousBelow);
    known.set(item, told);
    return told;
  };
}

const harmless: readonly string[] = [];

function briefOf(item: Item, maliciousBelow: number): ItemBrief {
  const { kind, id, firstSeenAt, firstPageUrl, host } = item;
  const malicious = maliciousReasons(item, maliciousBelow);
  return {
    kind,
    id,
    name: brief(item.kind === "cookie" ? item.name : item.url),
    page: brief(firstPageUrl || host),
    firstSeenAt,
    status: item.kind === "cookie" ? "" : item.status,
    malicious: malicious.length === 0 ? harmless : malicious,
  };
}

/** A script can carry its whole content in its address. */
const longest = 500;

function brief(text: string): string {
  if (text.length <= longest) return text;
  // A slice alone would keep the whole in memory.
  return structuredClone(`${text.slice(0, longest)}…`);
}

/** What is known before the first look. */
export const neverRead: InventoryState = {
  readAt: undefined,
  facts: undefined,
  failure: undefined,
  failingSince: undefined,
  found: { script: 0, connection: 0, cookie: 0 },
};

/** What is known after one more look. */
export function afterInventory(state: InventoryState, report: InventoryReport): InventoryState {
  const { at } = report;
  if (report.result === "error") {
    return { ...state, failure: report.failure, failingSince: state.failingSince ?? at };
  }
  const news = newlyMalicious(state, report);
  const found = news.length === 0 ? state.found : withNews(state.found, news);
  return { readAt: at, facts: report.facts, failure: undefined, failingSince: undefined, found };
}

function withNews(
  before: InventoryState["found"],
  news: readonly ItemBrief[],
): InventoryState["found"] {
  const found = { ...before };
  for (const { kind } of news) found[kind] += 1;
  return found;
}

/** Malicious items that the look before did not show; of a first look, those that were first seen within the last day. */
export function newlyMalicious(
  { facts }: InventoryState,
  report: Extract<InventoryReport, { readonly result: "read" }>,
): readonly ItemBrief[] {
  const known = new Set(facts?.malicious.map(({ id }) => id));
  return report.facts.malicious.filter((item) =>
    facts === undefined ? isNew(item, report.at) : !known.has(item.id),
  );
}
