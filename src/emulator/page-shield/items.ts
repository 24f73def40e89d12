import { type Json, type JsonObject, coerceList, coerceText } from "../../syntax/json.ts";
import { badQuery, fits, queryFlag, queryList, queryOneOf, queryText } from "../http/query.ts";
import { timestamp } from "../http/time.ts";
import type { Detected } from "../state.ts";

/** What a script or connection can be (SERVICE.md A.5). */
export const statuses = ["active", "infrequent", "inactive"] as const;

/** One of {@link statuses}. */
export type Status = (typeof statuses)[number];

const day = 24 * 60 * 60 * 1_000;

/** Fewer reports than this leave an item infrequent. The documentation leaves open what exactly three are: active here. */
const enoughReports = 3;

/** The status at a moment; `undefined`: silent for so long that it is deleted. */
export function statusOf({ reports, lastSeen }: Detected, now: Date): Status | undefined {
  const silentDays = (now.getTime() - lastSeen) / day;
  if (reports < enoughReports) return silentDays < 5 ? "infrequent" : undefined;
  if (silentDays < 7) return "active";
  return silentDays < 30 ? "inactive" : undefined;
}

/** A script or connection as lists show it. */
export function itemShown({ facts, lastSeen }: Detected, status: Status): JsonObject {
  return { ...facts, last_seen_at: timestamp(new Date(lastSeen)), status };
}

/** A cookie as answers show it: it has neither a status nor a moment of addition (SERVICE.md A.4). */
export function cookieShown({ facts, detail, lastSeen }: Detected): JsonObject {
  return { ...facts, ...detail, last_seen_at: timestamp(new Date(lastSeen)) };
}

/** The item after more reports of visitors' browsers. */
export function reported(item: Detected, times: number, now: Date): Detected {
  return { ...item, reports: item.reports + times, lastSeen: now.getTime() };
}

/** An item that has not been deleted, with its status; cookies have none. */
export interface Row {
  readonly item: Detected;
  readonly status: Status | undefined;
}

/** Whether a row is wanted. */
export type Filter = (row: Row) => boolean;

/** Below this a script's integrity score means malicious (SERVICE.md A.4). */
const maliciousBelow = 10;

/** The filters that all three lists know (SERVICE.md A.3). */
function commonFilters(query: URLSearchParams): readonly Filter[] {
  const hosts = queryList(query, "hosts");
  const pages = queryList(query, "page_url");
  return [
    ...(hosts === undefined ? [] : [({ item }: Row) => fitsAny(hosts, item.facts["host"])]),
    ...(pages === undefined
      ? []
      : [({ item }: Row) => pagesOf(item).some((url) => fitsAny(pages, url))]),
  ];
}

/** The filters of scripts and connections. */
export function resourceFilters(query: URLSearchParams): readonly Filter[] {
  const wanted = queryList(query, "status") ?? ["active"];
  const strange = wanted.find((status) => !statuses.some((known) => known === status));
  if (strange !== undefined) throw badQuery("status", `must be a list of ${statuses.join(", ")}`);
  const urls = queryList(query, "urls");
  const excluded = queryList(query, "exclude_urls");
  const withoutCdnCgi = queryFlag(query, "exclude_cdn_cgi") ?? true;
  return [
    ...commonFilters(query),
    ({ status }) => status !== undefined && wanted.includes(status),
    ...(urls === undefined ? [] : [(row: Row) => holdsAny(row, urls)]),
    ...(excluded === undefined ? [] : [(row: Row) => !holdsAny(row, excluded)]),
    ...(withoutCdnCgi ? [({ item }: Row) => item.facts["url_contains_cdn_cgi_path"] !== true] : []),
  ];
}

/** The filters of cookies. */
export function cookieFilters(query: URLSearchParams): readonly Filter[] {
  const name = queryText(query, "name", 1024);
  const exact: readonly (readonly [string, Json | undefined])[] = [
    ["path_attribute", queryText(query, "path", 1024)],
    ["domain_attribute", queryText(query, "domain", 1024)],
    ["secure_attribute", queryFlag(query, "secure")],
    ["http_only_attribute", queryFlag(query, "http_only")],
    ["same_site_attribute", queryOneOf(query, "same_site", ["lax", "strict", "none"])],
    ["type", queryOneOf(query, "type", ["first_party", "unknown"])],
  ];
  return [
    ...commonFilters(query),
    ...(name === undefined ? [] : [({ item }: Row) => fitsAny([name], item.facts["name"])]),
    ...exact.flatMap(([field, value]) =>
      value === undefined ? [] : [({ item }: Row) => item.facts[field] === value],
    ),
  ];
}

/** The rows of items that are not deleted, with their status at a moment. */
export function rowsAt(items: readonly Detected[], now: Date): readonly Row[] {
  return items.flatMap((item) => {
    const status = statusOf(item, now);
    return status === undefined ? [] : [{ item, status }];
  });
}

/** Whether the service holds an item for malicious. */
export function isMalicious({ item: { facts } }: Row): boolean {
  const { js_integrity_score: score } = facts;
  return (
    facts["url_reported_malicious"] === true ||
    facts["domain_reported_malicious"] === true ||
    (typeof score === "number" && score < maliciousBelow)
  );
}

/** Of scripts with equal content, host of the URL and host of the zone, the most recent one (SERVICE.md A.3). */
export function withoutDuplicates(rows: readonly Row[]): readonly Row[] {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const key = duplicateKey(row);
    const held = newest.get(key);
    if (held === undefined || held.item.lastSeen < row.item.lastSeen) newest.set(key, row);
  }
  return rows.filter((row) => newest.get(duplicateKey(row)) === row);
}

function duplicateKey({ item: { id, facts } }: Row): string {
  const { hash, url, host } = facts;
  if (typeof hash !== "string" || typeof url !== "string") return id;
  return `${hash} ${URL.parse(url)?.host ?? url} ${coerceText(host)}`;
}

function fitsAny(patterns: readonly string[], value: Json | undefined): boolean {
  return typeof value === "string" && patterns.some((pattern) => fits(pattern, value));
}

function holdsAny({ item }: Row, parts: readonly string[]): boolean {
  const { url } = item.facts;
  return typeof url === "string" && parts.some((part) => url.includes(part));
}

function pagesOf({ detail }: Detected): readonly Json[] {
  return coerceList(detail["page_urls"]);
}
