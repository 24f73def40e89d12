import { type JsonObject, isObjectList, coerceObject } from "../../syntax/json.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { isServiceId } from "../../zone/service-id.ts";
import { type Zone, zoneId, zoneName } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Answer, type Get, type GetCall, get } from "../request/call.ts";
import { routes } from "../routes.ts";
import { numberIn, textIn } from "../wire-value.ts";

/** The limits of the page size (SERVICE.md C.4). */
const perPage = { max: 50, min: 5 };

/** A larger total is rejected: it would cause any number of requests. */
const maxZones = 100_000;

/**
 * As many pages as that number of zones has. More are rejected, also where pages are shorter than
 * requested.
 */
const maxPages = maxZones / perPage.max;

/**
 * Passes over the pages of a listing that keeps changing. After them the union of all passes is
 * used, if complete.
 */
const maxPasses = 3;

/**
 * Lists the zones that a token may see.
 *
 * Few of thousands of zones change between two listings: an unchanged page is not parsed again, and
 * its zones are the same objects as before.
 */
export class ZoneLister {
  #known: ReadonlyMap<string, Page> = new Map();

  /**
   * Lists the zones.
   *
   * A zone that is added or removed while the pages are read shifts the later ones, and one zone
   * can fall between two pages. The total count reveals that; then all pages are read again. The
   * result is never shorter than the total: zonewarden stops managing a declared zone that is not
   * listed.
   */
  async list(send: Get, signal: AbortSignal): Promise<readonly Zone[]> {
    const zones = new Map<string, Zone>();
    const ids = new Set<string>();
    let withoutId = Infinity;
    let total = 0;
    for (let pass = 1; pass <= maxPasses; pass += 1) {
      const pages = await readPages(send, this.#known, signal);
      this.#known = new Map(
        pages.flatMap((page) => (page.digest === "" ? [] : [[page.digest, page]])),
      );
      const listing = joined(pages);
      if (!listing.moved) return listing.zones;
      for (const zone of listing.zones) zones.set(zone.id, zone);
      const seen = pages.flatMap((page) => page.ids);
      for (const id of seen.filter((each) => each !== "")) ids.add(id);
      // Elements without an id are indistinguishable. Use the minimum: a pass that lists one twice
      // would hide a zone.
      withoutId = Math.min(withoutId, seen.filter((each) => each === "").length);
      total = pages.at(-1)?.total ?? 0;
    }
    if (ids.size + withoutId < total) throw incomplete(ids.size + withoutId, total);
    return [...zones.values()];
  }
}

interface Listing {
  readonly zones: readonly Zone[];
  /** Whether the listing changed between two pages. */
  readonly moved: boolean;
}

function joined(pages: readonly Page[]): Listing {
  const [total] = pages.map((page) => page.total);
  const found = pages.flatMap((page) => page.zones);
  const zones = new Map(found.map((zone) => [zone.id, zone]));
  const moved =
    pages.some((page) => page.total !== total) ||
    zones.size < found.length ||
    pages.flatMap((page) => page.ids).length < (total ?? 0);
  return { zones: [...zones.values()], moved };
}

async function readPages(
  send: Get,
  known: KnownPages,
  signal: AbortSignal,
): Promise<readonly Page[]> {
  const first = await readPage(send, 1, known, signal);
  const { total } = first;
  if (total === undefined) return readToTheEnd(send, first, known, signal);
  if (total > maxPages * Math.max(first.ids.length, perPage.min)) throw tooManyPages();
  const others = numbersTo(total, first.ids.length).map(async (page) =>
    readPage(send, page, known, signal),
  );
  return [first, ...(await Promise.all(others))];
}

/**
 * Numbers of the pages after the first. The total is known, so they are requested concurrently. The
 * first page of several is full, even if it is shorter than requested.
 */
function numbersTo(total: number, held: number): readonly number[] {
  const count = Math.ceil(total / Math.max(held, perPage.min));
  return Array.from({ length: Math.max(count - 1, 0) }, (_, index) => index + 2);
}

/** Without a total, the last page is one that is shorter than the first or has no new zone. */
async function readToTheEnd(
  send: Get,
  first: Page,
  known: KnownPages,
  signal: AbortSignal,
): Promise<readonly Page[]> {
  const pages = [first];
  const seen = new Set(first.ids);
  for (let number = 2; ; number += 1) {
    const page = await readPage(send, number, known, signal);
    if (page.ids.every((id) => seen.has(id))) return pages;
    pages.push(page);
    if (page.ids.length < first.ids.length) return pages;
    if (number >= maxPages) throw tooManyPages();
    for (const id of page.ids) seen.add(id);
  }
}

function tooManyPages(): ServiceError {
  const message = `GET ${routes.zones}: more than ${maxPages} pages; unexpected response shape`;
  return new ServiceError("API_MALFORMED", message, { fault: "parse" });
}

function incomplete(listed: number, total: number): ServiceError {
  const message = `GET ${routes.zones}: the pages hold ${listed} zones of ${total}, in every pass; check any proxy between zonewarden and the service`;
  return new ServiceError("API_MALFORMED", message, { fault: "parse", transient: true });
}

interface Page {
  readonly digest: string;
  readonly zones: readonly Zone[];
  /** The ids of all elements, "" for one without an id, also of those that are no valid zones. */
  readonly ids: readonly string[];
  /** Number of zones on all pages, if the service reports it. */
  readonly total: number | undefined;
}

/** Pages of the previous listing, by digest. */
type KnownPages = ReadonlyMap<string, Page>;

async function readPage(
  send: Get,
  page: number,
  known: KnownPages,
  signal: AbortSignal,
): Promise<Page> {
  const query = { page: `${page}`, per_page: `${perPage.max}`, order: "name", direction: "asc" };
  const call = get(routes.zones, {}, query);
  const answer = await send(call, signal);
  return known.get(answer.digest) ?? pageOf(call, answer);
}

function pageOf(call: GetCall, answer: Answer): Page {
  const elements = answer.result();
  if (!isObjectList(elements)) throw malformedResult(call, answer, "not a list of zones");
  const info = answer.resultInfo() ?? {};
  const total = numberIn(info, "total_count");
  const onPage = numberIn(info, "count") ?? elements.length;
  if (onPage !== elements.length) {
    const what = `a page of ${elements.length} zones is said to have ${onPage}`;
    throw malformedResult(call, answer, what).with({ transient: true });
  }
  if (total !== undefined && total > maxZones) {
    throw malformedResult(call, answer, `${total} zones are too many`);
  }
  const shared = new Map<string, string>();
  return {
    digest: answer.digest,
    zones: elements.map((wire) => zoneOf(wire, shared)).filter((zone) => zone !== undefined),
    ids: elements.map((element) => textIn(element, "id")),
    total,
  };
}

/**
 * `undefined` without a valid name and id: no file can declare such a zone.
 *
 * @param shared texts that many zones of a page have, so that each is in memory once.
 */
function zoneOf(wire: JsonObject, shared: Map<string, string>): Zone | undefined {
  const id = zoneId(textIn(wire, "id"));
  const name = zoneName(textIn(wire, "name"));
  if (id === undefined || name === undefined) return undefined;
  const account = coerceObject(wire["account"]);
  const sharedText = (holder: JsonObject, key: string): string => {
    const text = textIn(holder, key);
    const known = shared.get(text) ?? text;
    shared.set(text, known);
    return known;
  };
  const accountId = sharedText(account, "id");
  return {
    id,
    name,
    accountId: isServiceId(accountId) ? accountId : "",
    accountName: sharedText(account, "name"),
    status: sharedText(wire, "status"),
    tier: sharedText(coerceObject(wire["plan"]), "legacy_id"),
  };
}
