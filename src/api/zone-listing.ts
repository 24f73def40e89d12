import type { JsonObject } from "../syntax/json.ts";
import { zoneId, zoneName, type Zone } from "../zone/zone.ts";
import { malformedResult } from "./answer.ts";
import { get, type Get } from "./call.ts";
import { routes } from "./routes.ts";
import { isObjectList, objectIn, textIn } from "./wire-value.ts";

/** The most that a page holds (api-facts C.4). */
const perPage = 50;

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
  const zones = new Map<string, Zone>();
  const totals = new Set<number | undefined>();
  let seen = 0;
  let repeated = false;
  for (let page = 1; ; page += 1) {
    const { elements, total } = await readPage(send, page, signal);
    const before = zones.size;
    const found = elements.map(zoneOf).filter((zone) => zone !== undefined);
    for (const zone of found) zones.set(zone.id, zone);
    repeated ||= zones.size < before + found.length;
    totals.add(total);
    seen += elements.length;
    // Without a total, a page that is not full is the last one; a page that only repeats would repeat for ever.
    const isLast = total === undefined ? elements.length < perPage : seen >= total;
    if (isLast || elements.length === 0 || (repeated && zones.size === before)) {
      return { zones: [...zones.values()], moved: totals.size > 1 || repeated };
    }
  }
}

async function readPage(
  send: Get,
  page: number,
  signal: AbortSignal,
): Promise<{ readonly elements: readonly JsonObject[]; readonly total: number | undefined }> {
  const query = { page: `${page}`, per_page: `${perPage}`, order: "name", direction: "asc" };
  const call = get(routes.zones, {}, query);
  const answer = await send(call, signal);
  if (!isObjectList(answer.result)) throw malformedResult(call, answer, "not a list of zones");
  const total = answer.resultInfo?.["total_count"];
  return { elements: answer.result, total: typeof total === "number" ? total : undefined };
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
