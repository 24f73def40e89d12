import { expressionFields } from "../expression-fields.ts";
import { type NumberSpan, parseIpAddress } from "../ip-address.ts";

/** Fields of which the service gives the values in lower case: `lower` does not change them. */
export const lowerCaseFields: ReadonlySet<string> = new Set([
  "http.host",
  "http.request.uri.path.extension",
]);

/** What no URL has: control characters and the space. */
const blanks = String.raw`\x00-\x20`;

/** Of ASCII, as HTTP requires of a host (RFC 9112, 3.2), without capitals. */
const anyHost = String.raw`[!"$-)+-.0->@\[-~]+`;
const header = String.raw`^[^\x00\r\n]*$`;
const place = "^(?:[A-Z][A-Z0-9])?$";
/** `T1` is the Tor network, `XX` an unknown one. */
const continent = "^(?:A[FNS]|EU|[NS]A|OC|T1|XX)?$";

/** By the name of the field, without `raw.` before it. */
const patterns = new Map<string, string>([
  ["http.request.uri", `^/[^${blanks}]*$`],
  ["http.request.uri.path", `^/[^${blanks}?]*$`],
  ["http.request.uri.path.extension", "^[^./A-Z]*$"],
  ["http.request.uri.query", `^[^${blanks}]*$`],
  ["http.request.method", `^[^a-z${blanks}]+$`],
  ["http.request.version", "^(?:HTTP/(?:0\\.9|1\\.[0-9]|[23](?:\\.0)?)|SPDY/[0-9.]+)$"],
  ["http.user_agent", header],
  ["http.referer", header],
  ["http.cookie", header],
  ["http.x_forwarded_for", header],
  ["ip.src.country", place],
  ["ip.src.continent", continent],
  ["ip.geoip.country", place],
  ["ip.geoip.continent", continent],
]);

/**
 * A pattern of every text that the value of a field can be, and perhaps others; `undefined` if
 * nothing is known.
 *
 * @param zone the zone whose usual requests are meant; without it, all those of any zone
 */
export function patternOfField(field: string, zone: string | undefined): string | undefined {
  const name = field.replace(/^raw\./, "");
  if (name === "http.host") return `^${hostPattern(zone)}$`;
  if (name === "http.request.full_uri") {
    return `^https?://${hostPattern(zone)}(?:[/?][^${blanks}]*)?$`;
  }
  if (name === "cf.zone.name") return zone === undefined ? undefined : `^${escaped(zone)}$`;
  // Whether this one is in lower case is not documented.
  return field === "raw.http.request.uri.path.extension" ? undefined : patterns.get(name);
}

/**
 * The hosts of requests, with or without a port; of a zone, only its usual ones: clients leave out
 * a usual port, and the dot at the end.
 */
function hostPattern(zone: string | undefined): string {
  return zone === undefined ? anyHost : String.raw`(?:${anyHost}\.)?${escaped(zone.toLowerCase())}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

const year2025 = 1_735_689_600n;
const year9999 = 253_402_300_799n;

const ranges: readonly (readonly [RegExp, NumberSpan])[] = [
  [/^cf\.edge\.server_port$/, [1n, 65_535n]],
  [/^cf\.(?:threat_score|bot_management\.score|waf\.score(?:\.\w+)?)$/, [0n, 100n]],
  [/^ip\.(?:src|geoip)\.asnum$/, [0n, 2n ** 32n - 1n]],
  [/^http\.request\.timestamp\.sec$/, [year2025, year9999]],
  [/^http\.request\.timestamp\.msec$/, [year2025 * 1000n, year9999 * 1000n + 999n]],
  [/^http\.response\.code$/, [0n, 999n]],
];

/** Numbers of fields are counts, times and scores. */
const notNegative: NumberSpan = [0n, 2n ** 63n - 1n];

/** The addresses between those that nobody sends from: unspecified ones and those of groups (RFC 6890). */
const senders = [
  ["1.0.0.0", "223.255.255.255"],
  ["240.0.0.0", "255.255.255.255"],
  ["::1", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
].map(([from = "", to = ""]): NumberSpan => [parseIpAddress(from) ?? 0n, parseIpAddress(to) ?? 0n]);

/** The numbers or addresses that the value of a field can be; `undefined` if nothing is known. */
export function numbersOfField(field: string): readonly NumberSpan[] | undefined {
  if (field === "ip.src") return senders;
  if (expressionFields.get(field) !== "Integer") return undefined;
  return [ranges.find(([pattern]) => pattern.test(field))?.[1] ?? notNegative];
}
