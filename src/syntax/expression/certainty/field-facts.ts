import type { NumberSpan } from "../ip-address.ts";

/** Fields of which the service gives the values in lower case: `lower` does not change them. */
export const lowerCaseFields: ReadonlySet<string> = new Set([
  "http.host",
  "http.request.uri.path.extension",
]);

/** What no URL has: control characters and the space. */
const blanks = String.raw`\x00-\x20`;

const anyHost = `[^A-Z${blanks}/?#*]+`;
const header = String.raw`^[^\x00\r\n]*$`;
const place = "^(?:[A-Z][A-Z0-9])?$";

/** By the name of the field, without `raw.` before it. */
const patterns: Readonly<Record<string, string>> = {
  "http.request.uri": `^/[^${blanks}]*$`,
  "http.request.uri.path": `^/[^${blanks}?]*$`,
  "http.request.uri.path.extension": "^[^./A-Z]*$",
  "http.request.uri.query": `^[^${blanks}]*$`,
  "http.request.method": `^[^a-z${blanks}]+$`,
  "http.user_agent": header,
  "http.referer": header,
  "http.cookie": header,
  "http.x_forwarded_for": header,
  "ip.src.country": place,
  "ip.src.continent": place,
  "ip.geoip.country": place,
  "ip.geoip.continent": place,
};

/**
 * A pattern of every text that the value of a field can be, and perhaps others; `undefined` if
 * nothing is known.
 *
 * @param zone the zone whose requests are meant; without it, those of any zone
 */
export function patternOfField(field: string, zone: string | undefined): string | undefined {
  const name = field.replace(/^raw\./, "");
  if (name === "http.host") return `^${hostPattern(zone)}$`;
  if (name === "http.request.full_uri") {
    return `^https?://${hostPattern(zone)}(?:[/?][^${blanks}]*)?$`;
  }
  if (name === "cf.zone.name") return zone === undefined ? undefined : `^${escaped(zone)}$`;
  // Whether this one is in lower case is not documented.
  return field === "raw.http.request.uri.path.extension" ? undefined : patterns[name];
}

/** The hosts of requests, with or without a port; only those of the zone if it is known. */
function hostPattern(zone: string | undefined): string {
  if (zone === undefined) return anyHost;
  return String.raw`(?:${anyHost}\.)?${escaped(zone.toLowerCase())}\.?(?::[0-9]*)?`;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

const notNegative: NumberSpan = [0n, 2n ** 63n - 1n];

const ranges: readonly (readonly [RegExp, NumberSpan])[] = [
  [/^cf\.edge\.server_port$/, [1n, 65_535n]],
  [/^cf\.(?:threat_score|bot_management\.score|waf\.score(?:\.\w+)?)$/, [0n, 100n]],
  [/^ip\.(?:src|geoip)\.asnum$/, [0n, 2n ** 32n - 1n]],
  [/^http\.(?:request\.(?:body\.size|timestamp\.m?sec)|response\.code)$/, notNegative],
  [/^cf\.(?:waf\.content_scan\.num_\w+|llm\.prompt\.token_count)$/, notNegative],
];

/** The range of the numbers that the value of a field can be; `undefined` if it is not known. */
export function numbersOfField(field: string): NumberSpan | undefined {
  return ranges.find(([pattern]) => pattern.test(field))?.[1];
}
