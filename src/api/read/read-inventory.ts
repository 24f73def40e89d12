import { isObjectList } from "../../syntax/json.ts";
import { isJsonObject, type JsonObject } from "../../syntax/json.ts";
import type { Item, ItemKind } from "../../zone/inventory-item.ts";
import { ServiceError } from "../../zone/service-error.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { get, type Get, type GetCall } from "../request/call.ts";
import { routes } from "../routes.ts";
import { queryOf, type ItemFilters } from "./item-query.ts";
import { itemOf } from "./read-items.ts";

/** The most that a page holds (SERVICE.md A.3). */
const perPage = 100;

/** A list of more pages is asked for in one piece first: 200 requests are a sixth of the allowance (SERVICE.md C.3). */
const manyPages = 5;

/** Hears how far the reading of a list is; `total` is `undefined` where the service does not say. */
export type ReadingProgress = (read: number, total: number | undefined) => void;

const lists = { script: "scripts", connection: "connections", cookie: "cookies" } as const;

/**
 * Reads all items of a kind that fit the filters.
 *
 * Unless another order is asked for, the oldest come first: what is detected while the pages are read then adds to
 * the last one and shifts none. A page that brings nothing new is the last.
 */
export async function listItems(
  send: Get,
  zone: Zone,
  kind: ItemKind,
  filters: ItemFilters,
  signal: AbortSignal,
  progress?: ReadingProgress,
): Promise<readonly Item[]> {
  const query = { order_by: "first_seen_at", direction: "asc", ...queryOf(kind, filters) };
  const call = (page: string): GetCall =>
    get(routes[lists[kind]], { zone_id: zone.id }, { ...query, page, per_page: `${perPage}` });
  const items = new Map<string, Item>();
  const keep = ({ elements, total }: Page): void => {
    for (const item of elements.flatMap((wire) => itemOf(kind, wire) ?? [])) {
      items.set(item.id, item);
    }
    progress?.(items.size, total);
  };
  let seen = 0;
  let held: number | undefined;
  for (let number = 1; ; number += 1) {
    const page = await readPage(send, call(`${number}`), signal);
    const known = items.size;
    keep(page);
    held ??= page.elements.length;
    seen += page.elements.length;
    if (items.size === known || isLast(page, seen, held)) return [...items.values()];
    if (number === 1 && (page.total ?? 0) > manyPages * perPage) {
      const whole = await readWhole(send, call("all"), signal);
      if (whole !== undefined) {
        keep(whole);
        return [...items.values()];
      }
    }
  }
}

/** Reads one item with its pages and, of a script, its versions. */
export async function readItem(
  send: Get,
  zone: Zone,
  kind: ItemKind,
  id: string,
  signal: AbortSignal,
): Promise<Item> {
  const call = get(routes[kind], { zone_id: zone.id, [`${kind}_id`]: id });
  const answer = await send(call, signal);
  const result = answer.result();
  const item = isJsonObject(result) ? itemOf(kind, result) : undefined;
  if (item === undefined) throw malformedResult(call, answer, `not a ${kind}`);
  return item;
}

interface Page {
  readonly elements: readonly JsonObject[];
  /** Items that fit the filters; `undefined` where the service does not say. */
  readonly total: number | undefined;
}

/** Without a total, a page that holds less than the first, which may hold less than it was asked for. */
function isLast({ elements, total }: Page, seen: number, held: number): boolean {
  return total === undefined ? elements.length < held : seen >= total;
}

async function readPage(send: Get, call: GetCall, signal: AbortSignal): Promise<Page> {
  const answer = await send(call, signal);
  const elements = answer.result();
  if (!isObjectList(elements)) throw malformedResult(call, answer, "not a list of items");
  const total = answer.resultInfo()?.["total_count"];
  return { elements, total: typeof total === "number" ? total : undefined };
}

/** The whole list in one answer, which is best effort (SERVICE.md A.3): `undefined` where it is refused or cut. */
async function readWhole(send: Get, call: GetCall, signal: AbortSignal): Promise<Page | undefined> {
  try {
    const whole = await readPage(send, call, signal);
    return whole.elements.length >= (whole.total ?? Infinity) ? whole : undefined;
  } catch (error) {
    if (error instanceof ServiceError && !error.transient) return undefined;
    throw error;
  }
}
