import type { JsonObject } from "../syntax/json.ts";
import { zoneId, zoneName, type Zone } from "../zone/zone.ts";
import { malformedResult } from "./answer.ts";
import { get, type Get } from "./call.ts";
import { routes } from "./routes.ts";
import { isObjectList, objectIn, textIn } from "./wire-value.ts";

/** The most that a page holds (api-facts C.4). */
const perPage = 50;

/** A total beyond this is not believed: it would order any number of requests. */
const mostZones = 100_000;

/** Passes over the pages before a listing that keeps moving is taken as the union of what was seen. */
const mostPasses = 3;

/**
 * Lists the zones that a token sees.
 *
 * A zone that comes or goes while the pages are read shifts the later ones, and one zone can fall between two pages.
 * The total count gives that away; then all pages are read once more.
 */
export async function listZones(send: Get, signal: AbortSignal): Promise<readonly Zone[]> {
  const zones = new Map<string, Zone>();
  for (let pass = 1; pass <= mostPasses; pass += 1) {
    const listing = await readPages(send, signal);
    if (!listing.moved) return listing.zones;
    for (const zone of listing.zones) zones.set(zone.id, zone);
  }
  return [...zones.values()];
}

interface Pages {
  readonly zones: readonly Zone[];
  /** Whether the listing changed between two pages. */
  readonly moved: boolean;
}

async function readPages(send: Get, signal: AbortSignal): Promise<Pages> {
  const first = await readPage(send, 1, signal);
  const { total } = first;
  const others =
    total === undefined
      ? await readToTheEnd(send, first, signal)
      : await Promise.all(numbersTo(total).map((page) => readPage(send, page, signal)));
  const pages = [first, ...others];
  const elements = pages.flatMap((page) => page.elements);
  const found = elements.map(zoneOf).filter((zone) => zone !== undefined);
  const zones = new Map(found.map((zone) => [zone.id, zone]));
  const moved =
    pages.some((page) => page.total !== total) ||
    zones.size < found.length ||
    elements.length < (total ?? 0);
  return { zones: [...zones.values()], moved };
}

/** Numbers of the pages after the first: how many there are is known, so they are asked for side by side. */
function numbersTo(total: number): readonly number[] {
  const count = Math.ceil(total / perPage);
  return Array.from({ length: Math.max(count - 1, 0) }, (_, index) => index + 2);
}

/** Without a total, a page that is not full is the last one; a page that only repeats would repeat for ever. */
async function readToTheEnd(send: Get, first: Page, signal: AbortSignal): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let last = first;
  const seen = new Set<unknown>();
  for (let number = 2; last.elements.length === perPage; number += 1) {
    const known = seen.size;
    for (const { id } of last.elements) seen.add(id);
    if (seen.size === known) break;
    last = await readPage(send, number, signal);
    pages.push(last);
  }
  return pages;
}

interface Page {
  readonly elements: readonly JsonObject[];
  /** Zones on all pages, where the service says it. */
  readonly total: number | undefined;
}

async function readPage(send: Get, page: number, signal: AbortSignal): Promise<Page> {
  const query = { page: `${page}`, per_page: `${perPage}`, order: "name", direction: "asc" };
  const call = get(routes.zones, {}, query);
  const answer = await send(call, signal);
  const elements = answer.result();
  if (!isObjectList(elements)) throw malformedResult(call, answer, "not a list of zones");
  const total = answer.resultInfo?.["total_count"];
  if (typeof total !== "number") return { elements, total: undefined };
  if (total > mostZones) throw malformedResult(call, answer, `${total} zones are too many`);
  return { elements, total };
}

/** A zone without a proper name and id cannot be declared in any file: nobody misses it. */
function zoneOf(wire: JsonObject): Zone | undefined {
  const id = zoneId(textIn(wire, "id"));
  const name = zoneName(textIn(wire, "name"));
  if (id === undefined || name === undefined) return undefined;
  const account = objectIn(wire, "account");
  return {
    id,
    name,
    accountId: textIn(account, "id"),
    accountName: textIn(account, "name"),
    status: textIn(wire, "status"),
    plan: textIn(objectIn(wire, "plan"), "legacy_id"),
  };
}
