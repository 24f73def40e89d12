import { hash } from "node:crypto";

import { shortDigest } from "../../syntax/digest.ts";
import { canonicalJson, type Json } from "../../syntax/json.ts";
import {
  isRuleKind,
  type Kind,
  kinds,
  type ListedKind,
  type PolicyBehavior,
  type ResourceKey,
  rulesetIn,
  settingNames,
} from "../../zone/resource.ts";
import { factsOfPhase, phaseOfKind } from "../../zone/rule-phase.ts";

/** The digest of each field of a resource that has a value; {@link uncertain} if it is not known. */
export type AppliedFields = ReadonlyMap<string, string>;

/**
 * What was last applied to a zone, or last seen in sync: digests of the declared values, by the name of the resource
 * ({@link appliedName}) and field. Rules have the order that they had.
 */
export type AppliedZone = ReadonlyMap<string, AppliedFields>;

/** The digest of a field of which it is not known what was last applied. */
export const uncertain = "?";

/** Of a resource of which nothing is known but that it was there. */
export const uncertainResource: AppliedFields = new Map([["", uncertain]]);

/** Of a resource whose list is no longer declared: anybody may have changed it since. */
export const leftLive: AppliedFields = new Map();

/** The digest of a missing value. */
export const noValue = "";

/** Characters of a digest: 18 bits. A digest tells causes apart; what is written follows from the values themselves. */
const digestLength = 3;

export function digestOfValue(value: Json | undefined): string {
  if (value === undefined) return noValue;
  const text = canonicalJson(value);
  return hash("sha256", text, "base64url").slice(0, digestLength);
}

/** Stands for a kind. A letter never gets another meaning. */
function codeOf(kind: Kind): string {
  if (isRuleKind(kind)) return factsOfPhase(phaseOfKind(kind)).code;
  return codes[kind];
}

const codes = { setting: "s", policy: "p", custom_ruleset: "t" } as const;

/** Stands for the rules of custom rulesets. */
const ruleOfRuleset = "i";

/** A name of a resource that consists of a few plain characters, whatever text is in its key. */
export function appliedName(key: ResourceKey): string {
  const at = key.indexOf("/");
  const name = key.slice(at + 1);
  for (const kind of kinds) {
    if (!key.startsWith(`${kind}/`)) continue;
    const code = rulesetIn(key) === undefined ? codeOf(kind) : ruleOfRuleset;
    if (kind === "setting") return `${code}/${settingNames.findIndex((each) => each === name)}`;
    return `${code}/${/^[\w.-]{1,64}$/.test(name) ? name : `~${shortDigest(name)}`}`;
  }
  return key;
}

/** The names under which a resource may be stored: that of its key, and that of its former key. */
export function appliedNames(key: ResourceKey, was: ResourceKey | undefined): readonly string[] {
  return was === undefined ? [appliedName(key)] : [appliedName(key), appliedName(was)];
}

/** Whether a stored name is that of a resource of a list that is declared under a kind. */
export function isInListOf(kind: ListedKind, name: string): boolean {
  const [code = ""] = name.split("/");
  if (name === wholeName(kind)) return false;
  return code === codeOf(kind) || (kind === "custom_ruleset" && code === ruleOfRuleset);
}

/** What is stored of the rules or policies as a whole, beside the fields of each. */
export function wholeName(kind: ListedKind): string {
  return `${codeOf(kind)}/*`;
}

/**
 * A letter for each field, so that the text is short: a state of 10,000 zones has millions of fields. A letter never gets
 * another meaning; a field whose values are compared in another way gets another letter.
 */
const fieldCodes: Readonly<Record<keyof PolicyBehavior, string> & Record<string, string>> = {
  "": "_",
  value: "v",
  description: "d",
  action: "a",
  expression: "e",
  enabled: "n",
  deploy: "D",
  paranoia_level: "p",
  score_threshold: "t",
  "overrides.enabled": "N",
  "overrides.action": "A",
  "overrides.sensitivity_level": "S",
  "overrides.categories": "C",
  "overrides.rules": "R",
  overrides: "o",
  "skip.ruleset": "r",
  "skip.phase": "h",
  "skip.rulesets": "s",
  "skip.rules": "u",
  "skip.phases": "H",
  "skip.products": "P",
  logging: "l",
  "response.status_code": "x",
  "response.content_type": "y",
  "response.content": "b",
  "ratelimit.characteristics": "c",
  "ratelimit.period": "i",
  "ratelimit.requests_per_period": "q",
  "ratelimit.mitigation_timeout": "T",
  "ratelimit.counting_expression": "E",
  "ratelimit.requests_to_origin": "g",
  "ratelimit.score_per_period": "k",
  "ratelimit.score_response_header_name": "K",
  position: "O",
  unmanaged: "m",
};

const fieldOfCode = new Map(Object.entries(fieldCodes).map(([field, code]) => [code, field]));

export function isStoredField(field: string): boolean {
  return field in fieldCodes;
}

/** First part of the text: another version has another meaning. */
const version = "1";

/**
 * What was applied as a short text: `1 x8Qz s/0=vkZ8 p/checkout=dQ2xa7Tf…`, with a checksum. Equal values give an equal
 * text.
 */
export function appliedText(applied: AppliedZone): string {
  const resources = applied
    .entries()
    .map(([name, fields]) => `${name}=${[...fields].map(fieldText).join("")}`);
  const text = [...resources].join(" ");
  return `${version} ${checksumOf(text)} ${text}`;
}

function checksumOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 4);
}

/** A field without a letter is left out: it then counts as never applied, and the rest of the zone stays known. */
function fieldText([field, digest]: readonly [string, string]): string {
  const code = fieldCodes[field];
  return code === undefined ? "" : `${code}${digest}`;
}

const fieldPattern = new RegExp(`([\\w])(\\?|[\\w-]{${digestLength}})`, "gy");
const resourcePattern = /^([spclrti]\/[\w.~*-]{1,64})=((?:[\w?-])*)$/;

/** What a text says that {@link appliedText} gave; `undefined` for any other text. */
export function appliedZoneIn(text: string): AppliedZone | undefined {
  const [first, checksum, ...parts] = text.split(" ");
  if (first !== version || checksum !== checksumOf(parts.join(" "))) return undefined;
  const applied = new Map<string, AppliedFields>();
  for (const part of parts.filter((each) => each !== "")) {
    const [, name, fieldsText = ""] = resourcePattern.exec(part) ?? [];
    const fields = fieldsIn(fieldsText);
    if (name === undefined || fields === undefined || applied.has(name)) return undefined;
    applied.set(name, fields);
  }
  return applied;
}

/** Whether a text that {@link appliedText} gave says anything of a kind. */
export function mentions(text: string, kind: Kind): boolean {
  return text.includes(` ${codeOf(kind)}/`);
}

/** Whether a text says of everything in a zone what was applied: its declaration was live once, as a whole. */
export function isFullyKnown(text: string): boolean {
  const applied = appliedZoneIn(text);
  return applied?.values().every((fields) => !fields.values().some(isUncertain)) === true;
}

function isUncertain(digest: string): boolean {
  return digest === uncertain;
}

function fieldsIn(text: string): AppliedFields | undefined {
  const fields = new Map<string, string>();
  let end = 0;
  for (const [match, code = "", digest = ""] of text.matchAll(fieldPattern)) {
    const field = fieldOfCode.get(code);
    if (field === undefined || fields.has(field)) return undefined;
    fields.set(field, digest);
    end += match.length;
  }
  return end === text.length ? fields : undefined;
}
