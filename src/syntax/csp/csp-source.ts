import { asciiLower } from "../by-text.ts";
import type { Span } from "../syntax-diagnostic.ts";

/** Keywords of CSP Level 3 beside `'none'` and `'self'`; the first two are the ones the service documents (SERVICE.md E.1). */
export const cspKeywords = [
  "unsafe-inline",
  "unsafe-eval",
  "unsafe-hashes",
  "strict-dynamic",
  "wasm-unsafe-eval",
  "report-sample",
  "unsafe-allow-redirects",
  "inline-speculation-rules",
  "trusted-types-eval",
  "report-sha256",
  "report-sha384",
  "report-sha512",
] as const;

/** One of {@link cspKeywords}. */
type CspKeyword = (typeof cspKeywords)[number];

/** A host as source: `https://*.example.com:8443/path`. `host` is `*` or may begin with `*.`. */
export interface CspHost {
  readonly kind: "host";
  readonly scheme: string | undefined;
  readonly host: string;
  /** Digits or `*`. */
  readonly port: string | undefined;
  /** "" or from the slash on, its case kept. */
  readonly path: string;
}

/** What a source means; `other` is what no grammar knows and browsers ignore. */
type CspSourceMeaning =
  | { readonly kind: "none" }
  | { readonly kind: "self" }
  | { readonly kind: "star" }
  | { readonly kind: "keyword"; readonly keyword: CspKeyword }
  | { readonly kind: "hash"; readonly algorithm: string; readonly digest: string }
  | { readonly kind: "nonce"; readonly nonce: string }
  | { readonly kind: "scheme"; readonly scheme: string }
  | CspHost
  | { readonly kind: "other" };

/** A source of a directive: what it means, its text in canonical form, and where it stands. */
export type CspSource = CspSourceMeaning & Span & { readonly text: string };

/** Reads one token of a source list. Every token is a source of some kind. */
export function parseCspSource(token: string, offset: number): CspSource {
  const meaning = meaningOf(token);
  return { ...meaning, text: textOf(meaning, token), offset, length: token.length };
}

/** A token of a directive whose value is no source list: kept as it is. */
export function opaqueCspSource(token: string, offset: number): CspSource {
  return { kind: "other", text: token, offset, length: token.length };
}

function meaningOf(token: string): CspSourceMeaning {
  if (token === "*") return { kind: "star" };
  if (token.startsWith("'")) return quotedMeaning(token);
  const scheme = schemePattern.exec(token)?.groups?.["scheme"];
  if (scheme !== undefined) return { kind: "scheme", scheme: asciiLower(scheme) };
  return hostMeaning(token);
}

const schemePattern = /^(?<scheme>[a-z][a-z0-9+.-]*):$/i;

const hostPattern =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?<host>\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?)(?::(?<port>[0-9]+|\*))?(?<path>\/.*)?$/is;

const hashPattern = /^'(?<algorithm>sha256|sha384|sha512)-(?<digest>[a-z0-9+/_-]+={0,2})'$/i;

const noncePattern = /^'nonce-(?<nonce>.*)'$/is;

function quotedMeaning(token: string): CspSourceMeaning {
  if (token.length < 2 || !token.endsWith("'")) return { kind: "other" };
  const word = asciiLower(token.slice(1, -1));
  if (word === "none" || word === "self") return { kind: word };
  const keyword = cspKeywords.find((candidate) => candidate === word);
  if (keyword !== undefined) return { kind: "keyword", keyword };
  const nonce = noncePattern.exec(token)?.groups?.["nonce"];
  return nonce === undefined ? hashMeaning(token) : { kind: "nonce", nonce };
}

function hashMeaning(token: string): CspSourceMeaning {
  const { algorithm, digest } = hashPattern.exec(token)?.groups ?? {};
  if (algorithm === undefined || digest === undefined) return { kind: "other" };
  return { kind: "hash", algorithm: asciiLower(algorithm), digest };
}

function hostMeaning(token: string): CspSourceMeaning {
  const groups = hostPattern.exec(token)?.groups;
  if (groups === undefined) return { kind: "other" };
  const { scheme, host = "", port, path = "" } = groups;
  return {
    kind: "host",
    scheme: scheme === undefined ? undefined : asciiLower(scheme),
    host: asciiLower(host),
    port,
    path,
  };
}

function textOf(meaning: CspSourceMeaning, token: string): string {
  switch (meaning.kind) {
    case "none":
    case "self":
      return `'${meaning.kind}'`;
    case "star":
      return "*";
    case "keyword":
      return `'${meaning.keyword}'`;
    case "hash":
      return `'${meaning.algorithm}-${meaning.digest}'`;
    case "nonce":
      return `'nonce-${meaning.nonce}'`;
    case "scheme":
      return `${meaning.scheme}:`;
    case "host":
      return hostText(meaning);
    case "other":
      return token;
  }
}

function hostText({ scheme, host, port, path }: CspHost): string {
  return `${scheme === undefined ? "" : `${scheme}://`}${host}${port === undefined ? "" : `:${port}`}${path}`;
}
