import { asciiLower } from "../by-text.ts";
import type { Span } from "../syntax-diagnostic.ts";

/**
 * Keywords of CSP Level 3 except `'none'` and `'self'`; the service documents the first two
 * (SERVICE.md E.1).
 */
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

type CspKeyword = (typeof cspKeywords)[number];

/**
 * A host source such as `https://*.example.com:8443/path`; `host` is `*` or can start with `*.`.
 */
export interface CspHost {
  readonly kind: "host";
  readonly scheme: string | undefined;
  readonly host: string;
  /** Digits or `*`. */
  readonly port: string | undefined;
  /** "", or from the slash on, in the original case. */
  readonly path: string;
}

/**
 * The meaning of a source; `other` is not valid, and browsers ignore it. They may also ignore a
 * hash whose digest does not have the length of its algorithm, and ignore a nonce that is not
 * base64: `isValid` is false.
 */
type CspSourceMeaning =
  | { readonly kind: "none" }
  | { readonly kind: "self" }
  | { readonly kind: "star" }
  | { readonly kind: "keyword"; readonly keyword: CspKeyword }
  | { readonly kind: "hash" | "nonce"; readonly isValid: boolean }
  | { readonly kind: "scheme"; readonly scheme: string }
  | CspHost
  | { readonly kind: "other" };

/** A source of a directive, with its text in canonical form. */
export type CspSource = CspSourceMeaning & Span & { readonly text: string };

/** Parses one token of a source list, which can be alone. Every token is a source. */
export function parseCspSource(token: string, offset = 0): CspSource {
  return { ...meaningOf(token), offset, length: token.length };
}

/** A token of a directive whose value is not a source list. */
export function opaqueCspSource(token: string, offset: number): CspSource {
  return { kind: "other", text: token, offset, length: token.length };
}

/** A source with its text in canonical form. */
type TextualSource = CspSourceMeaning & { readonly text: string };

function meaningOf(token: string): TextualSource {
  if (token === "*") return { kind: "star", text: token };
  if (token.startsWith("'")) return quotedMeaning(token);
  const scheme = schemePattern.exec(token)?.groups?.["scheme"];
  if (scheme === undefined) return hostMeaning(token);
  return { kind: "scheme", scheme: asciiLower(scheme), text: asciiLower(token) };
}

const schemePattern = /^(?<scheme>[a-z][a-z0-9+.-]*):$/i;

const hostPattern =
  /^(?<origin>(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?<host>\*|(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?)(?::(?<port>[0-9]+|\*))?)(?<path>\/.*)?$/is;

const hashPattern = /^'(?<algorithm>sha256|sha384|sha512)-(?<digest>[a-z0-9+/_-]+={0,2})'$/i;

/** Base64 of as many bytes as the algorithm yields; the padding is optional. */
const digestPatterns: Readonly<Record<string, RegExp>> = {
  sha256: /^[^=]{43}=?$/,
  sha384: /^[^=]{64}$/,
  sha512: /^[^=]{86}(?:==)?$/,
};

const noncePattern = /^'nonce-(?<nonce>.*)'$/is;

function quotedMeaning(token: string): TextualSource {
  if (!token.endsWith("'")) return { kind: "other", text: token };
  const word = asciiLower(token.slice(1, -1));
  if (word === "none" || word === "self") return { kind: word, text: `'${word}'` };
  const keyword = cspKeywords.find((candidate) => candidate === word);
  if (keyword !== undefined) return { kind: "keyword", keyword, text: `'${keyword}'` };
  const nonce = noncePattern.exec(token)?.groups?.["nonce"];
  if (nonce === undefined) return hashMeaning(token);
  const isValid = /^[a-z0-9+/_-]+={0,2}$/i.test(nonce);
  return { kind: "nonce", isValid, text: `'nonce-${nonce}'` };
}

function hashMeaning(token: string): TextualSource {
  const { algorithm, digest } = hashPattern.exec(token)?.groups ?? {};
  if (algorithm === undefined || digest === undefined) return { kind: "other", text: token };
  const name = asciiLower(algorithm);
  const isValid = digestPatterns[name]?.test(digest) === true;
  return { kind: "hash", isValid, text: `'${name}-${digest}'` };
}

function hostMeaning(token: string): TextualSource {
  const groups = hostPattern.exec(token)?.groups;
  if (groups === undefined) return { kind: "other", text: token };
  const { origin = "", scheme, host = "", port, path = "" } = groups;
  return {
    kind: "host",
    scheme: scheme === undefined ? undefined : asciiLower(scheme),
    host: asciiLower(host),
    port,
    path,
    text: asciiLower(origin) + path,
  };
}
