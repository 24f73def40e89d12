import {
  isObjectList,
  isJsonObject,
  type JsonObject,
  coerceDate,
  coerceObjects,
} from "../../syntax/json.ts";
import {
  type Cookie,
  type Item,
  type ItemBase,
  type ItemKind,
  isSeenResource,
  type ResourceBase,
  resourceKinds,
  resourceStatuses,
  type Script,
  type ScriptVersion,
  type SeenResource,
} from "../../zone/inventory-item.ts";
import type { ScriptReader } from "../../zone/ports.ts";
import { isServiceId } from "../../zone/service-id.ts";
import type { Zone } from "../../zone/zone.ts";
import { malformedResult } from "../request/answer.ts";
import { type Answer, get, type Get, type GetCall, unlessRefused } from "../request/call.ts";
import { routes } from "../routes.ts";
import { flagIn, numberIn, textIn, textSet } from "../wire-value.ts";

/**
 * Filters of a list, by the names that the service gives them; texts of a list are joined
 * (SERVICE.md A.3). Empty and `undefined` filter nothing.
 */
export type ItemFilters = Readonly<
  Record<string, boolean | string | readonly string[] | undefined>
>;

/**
 * The filters for all items on record, whatever their status: by default the service hides most of
 * them (SERVICE.md A.3).
 */
export function everythingSeen(kind: ItemKind): ItemFilters {
  if (kind === "cookie") return {};
  const isUnique = kind === "script" ? false : undefined;
  return { status: resourceStatuses, exclude_duplicates: isUnique };
}

/** The largest page size (SERVICE.md A.3). */
const perPage = 100;

/**
 * Lists of more pages are requested in one piece first: 200 pages are a sixth of the rate limit
 * (SERVICE.md C.3).
 */
const pagesBeforeWhole = 5;

/** A longer list is rejected: it would cause any number of requests. */
const maxPages = 1_000;

/** Receives the progress of a list; `total` is `undefined` if the service does not report it. */
type ReadingProgress = (read: number, total: number | undefined) => void;

const lists = { script: "scripts", connection: "connections", cookie: "cookies" } as const;

function queryOf(filters: ItemFilters): Readonly<Record<string, string>> {
  const texts = Object.entries(filters).map(
    ([name, value]) => [name, [value ?? ""].flat().join(",")] as const,
  );
  return Object.fromEntries(texts.filter(([, text]) => text !== ""));
}

/** Reads the inventory of a zone. It cannot write. */
export class InventoryReader implements ScriptReader {
  readonly #getFor: (zone: Zone) => Get;

  constructor(getFor: (zone: Zone) => Get) {
    this.#getFor = getFor;
  }

  /**
   * Reads all items of a kind that match the filters.
   *
   * By default the oldest come first: an item detected while the pages are read is then added to the
   * last page and shifts no other. A page without new items is the last.
   */
  async list(
    zone: Zone,
    kind: ItemKind,
    filters: ItemFilters,
    signal: AbortSignal,
    progress?: ReadingProgress,
  ): Promise<readonly Item[]> {
    const send = this.#getFor(zone);
    const query = queryOf({ order_by: "first_seen_at", direction: "asc", ...filters });
    const call = (page: string): GetCall =>
      get(routes[lists[kind]], { zone_id: zone.id }, { ...query, page, per_page: `${perPage}` });
    const items = new Map<string, Item>();
    const keep = ({ elements, total }: Page): void => {
      for (const item of elements.flatMap((wire) => itemOf(kind, wire) ?? [])) {
        items.set(item.id, item);
      }
      progress?.(items.size, total);
    };
    let received = 0;
    let firstLength: number | undefined;
    for (let number = 1; ; number += 1) {
      const page = await readPage(send, call(`${number}`), signal);
      const known = items.size;
      keep(page);
      firstLength ??= page.elements.length;
      received += page.elements.length;
      if (items.size === known || isLast(page, received, firstLength)) return [...items.values()];
      if (number >= maxPages) {
        throw malformedResult(call(`${number}`), page.answer, `more than ${maxPages} pages`);
      }
      if (number === 1 && (page.total ?? 0) > pagesBeforeWhole * perPage) {
        const whole = await readWhole(send, call("all"), signal);
        if (whole !== undefined) {
          keep(whole);
          return [...items.values()];
        }
      }
    }
  }

  /** All scripts and connections on record, whatever their status. */
  async listSeen(
    zone: Zone,
    signal: AbortSignal,
    progress?: ReadingProgress,
  ): Promise<readonly SeenResource[]> {
    const found: Item[] = [];
    for (const kind of resourceKinds) {
      found.push(...(await this.list(zone, kind, everythingSeen(kind), signal, progress)));
    }
    return found.filter(isSeenResource);
  }

  /** All scripts on record that match the filters, whatever their status. */
  async listScripts(
    zone: Zone,
    filters: ItemFilters,
    signal: AbortSignal,
  ): Promise<readonly Script[]> {
    const items = await this.list(
      zone,
      "script",
      { ...everythingSeen("script"), ...filters },
      signal,
    );
    return items.filter((item) => item.kind === "script");
  }

  async listScriptsOn(
    zone: Zone,
    pages: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly Script[]> {
    const page_url = pages.map((page) => (page.startsWith("*") ? page : `*//${page}`));
    return this.listScripts(zone, { page_url }, signal);
  }

  async readScript(zone: Zone, id: string, signal: AbortSignal): Promise<Script> {
    const item = await this.read(zone, "script", id, signal);
    if (item.kind !== "script") throw new Error(`item ${id} is no script`);
    return item;
  }

  /** One item with all its pages and, of a script, its versions. */
  async read(zone: Zone, kind: ItemKind, id: string, signal: AbortSignal): Promise<Item> {
    const call = get(routes[kind], { zone_id: zone.id, [`${kind}_id`]: id });
    const answer = await this.#getFor(zone)(call, signal);
    const result = answer.result();
    const item = isJsonObject(result) ? itemOf(kind, result) : undefined;
    if (item === undefined) throw malformedResult(call, answer, `not a ${kind}`);
    return item;
  }
}

interface Page {
  readonly answer: Answer;
  readonly elements: readonly JsonObject[];
  /** Number of items that match the filters; `undefined` if the service does not report it. */
  readonly total: number | undefined;
}

/**
 * Without a total, a page shorter than the first is the last. The first may be shorter than
 * requested.
 */
function isLast({ elements, total }: Page, received: number, firstLength: number): boolean {
  return total === undefined ? elements.length < firstLength : received >= total;
}

async function readPage(send: Get, call: GetCall, signal: AbortSignal): Promise<Page> {
  const answer = await send(call, signal);
  const elements = answer.result();
  if (!isObjectList(elements)) throw malformedResult(call, answer, "not a list of items");
  return { answer, elements, total: numberIn(answer.resultInfo() ?? {}, "total_count") };
}

/**
 * The whole list in one answer, on a best-effort basis (SERVICE.md A.3): `undefined` if it is
 * rejected or incomplete.
 */
async function readWhole(send: Get, call: GetCall, signal: AbortSignal): Promise<Page | undefined> {
  const whole = await unlessRefused(readPage(send, call, signal));
  const isWhole = whole !== undefined && whole.elements.length >= (whole.total ?? Infinity);
  return isWhole ? whole : undefined;
}

/**
 * Parses an item; `undefined` without a valid id. Any other field may be missing, by the account's
 * plan (SERVICE.md A.4).
 */
function itemOf(kind: ItemKind, wire: JsonObject): Item | undefined {
  if (!isServiceId(textIn(wire, "id"))) return undefined;
  switch (kind) {
    case "script": {
      const versions = coerceObjects(wire["versions"]).map(versionOf);
      return { ...resourceOf(wire), kind, ...versionOf(wire), versions };
    }
    case "connection":
      return { ...resourceOf(wire), kind };
    case "cookie":
      return cookieOf(wire);
  }
}

function cookieOf(wire: JsonObject): Cookie {
  return {
    ...baseOf(wire),
    kind: "cookie",
    name: textIn(wire, "name"),
    type: textIn(wire, "type"),
    domain: textIn(wire, "domain_attribute"),
    path: textIn(wire, "path_attribute"),
    expiresAt: coerceDate(wire["expires_attribute"]),
    maxAge: numberIn(wire, "max_age_attribute"),
    httpOnly: flagIn(wire, "http_only_attribute"),
    secure: flagIn(wire, "secure_attribute"),
    sameSite: textIn(wire, "same_site_attribute"),
  };
}

function baseOf(wire: JsonObject): ItemBase {
  return {
    id: textIn(wire, "id"),
    host: textIn(wire, "host"),
    firstSeenAt: coerceDate(wire["first_seen_at"]),
    lastSeenAt: coerceDate(wire["last_seen_at"]),
    firstPageUrl: textIn(wire, "first_page_url"),
    pageUrls: textSet(wire["page_urls"]),
  };
}

function resourceOf(wire: JsonObject): ResourceBase {
  const url = textIn(wire, "url");
  return {
    ...baseOf(wire),
    url,
    addedAt: coerceDate(wire["added_at"]),
    status: textIn(wire, "status"),
    urlContainsCdnCgi: flagIn(wire, "url_contains_cdn_cgi_path") ?? url.includes("/cdn-cgi/"),
    urlReportedMalicious: flagIn(wire, "url_reported_malicious") ?? false,
    domainReportedMalicious: flagIn(wire, "domain_reported_malicious") ?? false,
    maliciousCategories: [
      ...new Set([
        ...textSet(wire["malicious_url_categories"]),
        ...textSet(wire["malicious_domain_categories"]),
      ]),
    ].toSorted(),
  };
}

function versionOf(wire: JsonObject): ScriptVersion {
  return {
    hash: textIn(wire, "hash"),
    scores: {
      integrity: numberIn(wire, "js_integrity_score"),
      malware: numberIn(wire, "malware_score"),
      cryptomining: numberIn(wire, "cryptomining_score"),
      magecart: numberIn(wire, "magecart_score"),
    },
    fetchedAt: coerceDate(wire["fetched_at"]),
  };
}
