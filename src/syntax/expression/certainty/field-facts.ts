import type { NumberSpan } from "../ip-address.ts";
import {
  anyByte,
  byteRange,
  capitals,
  type Language,
  type Languages,
  smallLetters,
} from "./languages.ts";
import type { TextLanguages } from "./text-languages.ts";

/** Fields of which the service gives the values in lower case: `lower` does not change them. */
export const lowerCaseFields: ReadonlySet<string> = new Set([
  "http.host",
  "http.request.uri.path.extension",
]);

/**
 * Every text that the value of a field can be, and perhaps others. `zone`: the zone whose requests
 * are meant.
 */
export function textsOfField(
  field: string,
  zone: string | undefined,
  languages: Languages,
  texts: TextLanguages,
): Language {
  // Whether this one is in lower case is not documented.
  if (field === "raw.http.request.uri.path.extension") return languages.all;
  const maker = { languages, zone, of: (text: string) => texts.oneOf([text]) };
  return textsOf[field.replace(/^raw\./, "")]?.(maker) ?? languages.all;
}

/** Control characters and the space: no URL has them. */
const blanks = byteRange(0, 0x20);
const digits = byteRange(0x30, 0x39);

const signs: Readonly<Record<"slash" | "question" | "host" | "dot", bigint>> = {
  slash: setOf("/"),
  question: setOf("?"),
  host: setOf("/?#*"),
  dot: setOf("./"),
};

function setOf(text: string): bigint {
  return Array.from(text).reduce((all, sign) => all | (1n << BigInt(sign.charCodeAt(0))), 0n);
}

/** What the texts of a field are made with. */
interface Maker {
  readonly languages: Languages;
  readonly zone: string | undefined;
  readonly of: (text: string) => Language;
}

/** Texts without some bytes. */
function without({ languages }: Maker, bytes: bigint): Language {
  return languages.repeat(languages.bytes(anyByte & ~bytes));
}

/** Texts of one byte or more, without some bytes. */
function someWithout(maker: Maker, bytes: bigint): Language {
  const { languages } = maker;
  return languages.join(languages.bytes(anyByte & ~bytes), without(maker, bytes));
}

function optional({ languages }: Maker, language: Language): Language {
  return languages.some([languages.empty, language]);
}

/** The hosts of requests, with or without a port; only those of the zone if it is known. */
function hosts(maker: Maker): Language {
  const { languages, zone, of } = maker;
  const any = someWithout(maker, capitals | blanks | signs.host);
  if (zone === undefined) return any;
  const port = languages.join(of(":"), languages.repeat(languages.bytes(digits)));
  return languages.join(
    optional(maker, languages.join(any, of("."))),
    of(zone.toLowerCase()),
    optional(maker, of(".")),
    optional(maker, port),
  );
}

function fullUri(maker: Maker): Language {
  const { languages, of } = maker;
  const rest = languages.join(
    languages.bytes(signs.slash | signs.question),
    without(maker, blanks),
  );
  const schemes = languages.some([of("http://"), of("https://")]);
  return languages.join(schemes, hosts(maker), optional(maker, rest));
}

/** A code such as DE or T1. */
function place(maker: Maker): Language {
  const { languages } = maker;
  const code = languages.join(languages.bytes(capitals), languages.bytes(capitals | digits));
  return optional(maker, code);
}

/** The value of a header. */
function header(maker: Maker): Language {
  return without(maker, setOf("\0\r\n"));
}

/** A text that starts with a slash, without some bytes. */
function afterSlash(maker: Maker, bytes: bigint): Language {
  return maker.languages.join(maker.of("/"), without(maker, bytes));
}

/** By the name of the field, without `raw.` before it. */
const textsOf: Readonly<Record<string, (maker: Maker) => Language>> = {
  "http.host": hosts,
  "http.request.uri": (maker) => afterSlash(maker, blanks),
  "http.request.uri.path": (maker) => afterSlash(maker, blanks | signs.question),
  "http.request.full_uri": fullUri,
  "http.request.uri.path.extension": (maker) => without(maker, signs.dot | capitals),
  "http.request.uri.query": (maker) => without(maker, blanks),
  "http.request.method": (maker) => someWithout(maker, smallLetters | blanks),
  "http.user_agent": header,
  "http.referer": header,
  "http.cookie": header,
  "http.x_forwarded_for": header,
  "ip.src.country": place,
  "ip.src.continent": place,
  "ip.geoip.country": place,
  "ip.geoip.continent": place,
  "cf.zone.name": ({ languages, zone, of }) => (zone === undefined ? languages.all : of(zone)),
};

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
