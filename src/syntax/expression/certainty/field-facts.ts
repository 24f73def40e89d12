import {
  anyByte,
  byteRange,
  capitals,
  type Language,
  type Languages,
  smallLetters,
} from "./languages.ts";
import type { NumberSpan } from "./number-sets.ts";
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
  return (
    textsOf[field.replace(/^raw\./, "")]?.(new FieldTexts(languages, zone, texts)) ?? languages.all
  );
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

class FieldTexts {
  readonly zone: string | undefined;
  readonly languages: Languages;

  readonly #texts: TextLanguages;

  constructor(languages: Languages, zone: string | undefined, texts: TextLanguages) {
    this.languages = languages;
    this.zone = zone;
    this.#texts = texts;
  }

  of(text: string): Language {
    return this.#texts.oneOf([text]);
  }

  /** Texts without some bytes. */
  without(bytes: bigint): Language {
    return this.languages.repeat(this.languages.bytes(anyByte & ~bytes));
  }

  optional(language: Language): Language {
    return this.languages.some([this.languages.empty, language]);
  }

  /** The hosts of requests, with or without a port; only those of the zone if it is known. */
  hosts(): Language {
    const any = this.#some(capitals | blanks | signs.host);
    if (this.zone === undefined) return any;
    const port = this.languages.join(
      this.of(":"),
      this.languages.repeat(this.languages.bytes(digits)),
    );
    return this.languages.join(
      this.optional(this.languages.join(any, this.of("."))),
      this.of(this.zone.toLowerCase()),
      this.optional(this.of(".")),
      this.optional(port),
    );
  }

  path(): Language {
    return this.languages.join(this.of("/"), this.without(blanks | signs.question));
  }

  uri(): Language {
    return this.languages.join(this.of("/"), this.without(blanks));
  }

  fullUri(): Language {
    const { slash, question } = signs;
    const rest = this.languages.join(this.languages.bytes(slash | question), this.without(blanks));
    return this.languages.join(
      this.languages.some([this.of("http://"), this.of("https://")]),
      this.hosts(),
      this.optional(rest),
    );
  }

  method(): Language {
    return this.#some(smallLetters | blanks);
  }

  /** A code such as DE or T1. */
  place(): Language {
    const letter = this.languages.bytes(capitals);
    return this.optional(this.languages.join(letter, this.languages.bytes(capitals | digits)));
  }

  /** The value of a header. */
  header(): Language {
    return this.without(setOf("\0\r\n"));
  }

  /** Texts of one byte or more, without some bytes. */
  #some(without: bigint): Language {
    return this.languages.join(this.languages.bytes(anyByte & ~without), this.without(without));
  }
}

const place = (texts: FieldTexts): Language => texts.place();
const header = (texts: FieldTexts): Language => texts.header();

/** By the name of the field, without `raw.` before it. */
const textsOf: Readonly<Record<string, (texts: FieldTexts) => Language>> = {
  "http.host": (texts) => texts.hosts(),
  "http.request.uri": (texts) => texts.uri(),
  "http.request.uri.path": (texts) => texts.path(),
  "http.request.full_uri": (texts) => texts.fullUri(),
  "http.request.uri.path.extension": (texts) => texts.without(signs.dot | capitals),
  "http.request.uri.query": (texts) => texts.without(blanks),
  "http.request.method": (texts) => texts.method(),
  "http.user_agent": header,
  "http.referer": header,
  "http.cookie": header,
  "http.x_forwarded_for": header,
  "ip.src.country": place,
  "ip.src.continent": place,
  "ip.geoip.country": place,
  "ip.geoip.continent": place,
  "cf.zone.name": (texts) =>
    texts.zone === undefined ? texts.languages.all : texts.of(texts.zone),
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
