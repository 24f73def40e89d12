import { type JsonObject, isObjectList, coerceObject } from "../../syntax/json.ts";
import { ServiceError } from "../../zone/service-error.ts";
import { type Zone, zoneId, zoneName } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Answer, type Get, type GetCall, get } from "../request/call.ts";
import { routes } from "../routes.ts";
import { textIn } from "../wire-value.ts";

/** The most and the least that a page can be asked to hold (SERVICE.md C.4). */
const perPage = { most: 50, least: 5 };

/** A total beyond this is not believed: it would order any number of requests. */
const mostZones = 100_000;

/** Passes over the pages before a listing that keeps moving is taken as the union of what was seen, if that is all. */
const mostPasses = 3;

/**
 * The zones that a token sees, page by page.
 *
 * Of thousands of zones hardly one comes, goes or changes between two listings: a page that is as it was is not taken
 * apart again, and gives the very zones that it gave before.
 */
export class ZoneLister {
  #known: ReadonlyMap<string, Page> = new Map();

  /**
   * Lists the zones.
   *
   * A zone that comes or goes while the pages are read shifts the later ones, and one zone can fall between two pages.
   * The total count gives that away; then all pages are read once more. Fewer zones than the total are never given:
   * a declared zone that is not listed leaves management.
   */
  async list(send: Get, signal: AbortSignal): Promise<readonly Zone[]> {
    const zones = new Map<string, Zone>();
    const ids = new Set<string>();
    let nameless = Infinity;
    let total = 0;
    for (let pass = 1; pass <= mostPasses; pass += 1) {
      const pages = await readPages(send, this.#known, signal);
      this.#known = new Map(
        pages.flatMap((page) => (page.digest === "" ? [] : [[page.digest, page]])),
      );
      const listing = joined(pages);
      if (!listing.moved) return listing.zones;
      for (const zone of listing.zones) zones.set(zone.id, zone);
      const seen = pages.flatMap((page) => page.ids);
      for (const id of seen.filter((each) => each !== "")) ids.add(id);
      // These cannot be told apart. The least counts: of a pass that showed one twice, it would hide a zone.
      nameless = Math.min(nameless, seen.filter((each) => each === "").length);
      total = pages.at(-1)?.total ?? 0;
    }
    if (ids.size + nameless < total) throw incomplete(ids.size + nameless, total);
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
  const others = numbersTo(total, first.ids.length).map(async (page) =>
    readPage(send, page, known, signal),
  );
  return [first, ...(await Promise.all(others))];
}

/**
 * Numbers of the pages after the first: how many there are is known, so they are asked for side by side. A first page
 * that is not all is full, and may hold less than it was asked for.
 */
function numbersTo(total: number, held: number): readonly number[] {
  const count = Math.ceil(total / Math.max(held, perPage.least));
  return Array.from({ length: Math.max(count - 1, 0) }, (_, index) => index + 2);
}

/** Without a total, a page that holds less than the first is the last one, or one that brings nothing new. */
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
    for (const id of page.ids) seen.add(id);
  }
}

function incomplete(listed: number, total: number): ServiceError {
  const message = `GET ${routes.zones}: the pages hold ${listed} zones of ${total}, however often they are read; check what stands between zonewarden and the service`;
  return new ServiceError("API_MALFORMED", message, { fault: "parse", transient: true });
}

/** What a page says, understood. */
interface Page {
  readonly digest: string;
  readonly zones: readonly Zone[];
  /** Of all its elements, "" where one has none: some may be no zones that a file could name. */
  readonly ids: readonly string[];
  /** Zones on all pages, where the service says it. */
  readonly total: number | undefined;
}

/** Pages of the listing before, by their digest. */
type KnownPages = ReadonlyMap<string, Page>;

async function readPage(
  send: Get,
  page: number,
  known: KnownPages,
  signal: AbortSignal,
): Promise<Page> {
  const query = { page: `${page}`, per_page: `${perPage.most}`, order: "name", direction: "asc" };
  const call = get(routes.zones, {}, query);
  const answer = await send(call, signal);
  return known.get(answer.digest) ?? pageOf(call, answer);
}

function pageOf(call: GetCall, answer: Answer): Page {
  const elements = answer.result();
  if (!isObjectList(elements)) throw malformedResult(call, answer, "not a list of zones");
  const told = answer.resultInfo()?.["total_count"];
  const total = typeof told === "number" ? told : undefined;
  if (total !== undefined && total > mostZones) {
    throw malformedResult(call, answer, `${total} zones are too many`);
  }
  return {
    digest: answer.digest,
    zones: elements.map(zoneOf).filter((zone) => zone !== undefined),
    ids: elements.map((element) => textIn(element, "id")),
    total,
  };
}

/** A zone without a proper name and id cannot be declared in any file: nobody misses it. */
function zoneOf(wire: JsonObject): Zone | undefined {
  const id = zoneId(textIn(wire, "id"));
  const name = zoneName(textIn(wire, "name"));
  if (id === undefined || name === undefined) return undefined;
  const account = coerceObject(wire["account"]);
  return {
    id,
    name,
    accountId: textIn(account, "id"),
    accountName: textIn(account, "name"),
    status: textIn(wire, "status"),
    plan: textIn(coerceObject(wire["plan"]), "legacy_id"),
  };
}
