import { byEntryName } from "./by-text.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; an absent key is `undefined`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether `value` is a JSON object: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObjectList(value: unknown): value is readonly JsonObject[] {
  return isJsonList(value) && value.every(isJsonObject);
}

/**
 * Levels of JSON that are read from outside: more than any documented value has, and few enough for
 * every recursion.
 */
export const maxJsonLevels = 64;

/** Whether a JSON value has more than so many levels of lists and objects. */
export function isDeeperThan(levels: number, json: unknown): boolean {
  if (typeof json !== "object" || json === null) return false;
  if (levels === 0) return true;
  const parts: readonly unknown[] = Array.isArray(json) ? json : Object.values(json);
  return parts.some((part) => isDeeperThan(levels - 1, part));
}

const [quote, backslash] = [0x22, 0x5c];

/** The step in depth of a byte of JSON outside of strings: a list or an object begins or ends. */
const depthSteps: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

/**
 * The same of a text that is not parsed yet: to parse a few megabytes of brackets takes half a
 * gigabyte.
 */
export function isTextDeeperThan(levels: number, text: Uint8Array): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === quote) isInString = !isInString;
    else if (isInString) at += byte === backslash ? 1 : 0;
    else depth += depthSteps.get(byte) ?? 0;
    if (depth > levels) return true;
  }
  return false;
}

/**
 * The same text for equal JSON values, for fingerprints and comparisons: keys sorted, no white
 * space.
 */
export function canonicalJson(value: Json | object): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(byEntryName)) : part,
  );
}

/**
 * Values of the program under their names in its JSON: `firstSeenAt` is `first_seen_at`, and `isAuthorised` is
 * `authorised`. A moment is in ISO 8601, what is missing is `null`, and the keys of a map stay as they are. Not for JSON
 * of others, whose names are theirs.
 */
export function jsonOf(values: object): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [jsonName(name), jsonValueOf(value)]),
  );
}

function jsonName(name: string): string {
  return name
    .replace(/^is(?=[A-Z])/, "")
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/^_/, "");
}

function jsonValueOf(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, part]) => [String(key), jsonValueOf(part)]));
  }
  if (Array.isArray(value)) return value.map(jsonValueOf);
  if (typeof value === "object") return jsonOf(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  return Number(value);
}

/** A text of which "" says that there is none. */
export function textOrNull(text: string): string | null {
  return text === "" ? null : text;
}

/** The value of a JSON text; `undefined` if the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `json` if it is a text, else "". */
export function coerceText(json: unknown): string {
  return typeof json === "string" ? json : "";
}

/** `json` if it is an object, else an empty one. */
export function coerceObject(json: unknown): JsonObject {
  return isJsonObject(json) ? json : {};
}

/** `json` if it is a list, else an empty one. */
export function coerceList(json: unknown): readonly Json[] {
  return isJsonList(json) ? json : [];
}

/** The objects in the list `json`, without other items. */
export function coerceObjects(json: unknown): readonly JsonObject[] {
  return coerceList(json).filter(isJsonObject);
}

/** The texts in the list `json`, without other items. */
export function coerceTexts(json: unknown): readonly string[] {
  return coerceList(json).filter((each) => typeof each === "string");
}

/** `json` if it is a whole number from 0, else 0. */
export function coerceCount(json: unknown): number {
  return typeof json === "number" && Number.isSafeInteger(json) && json >= 0 ? json : 0;
}

/** The time in the text `json`; `undefined` if it is none. */
export function coerceDate(json: unknown): Date | undefined {
  const date = new Date(coerceText(json));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** `json` if it is one of `names`, else `undefined`. */
export function parseName<T extends string>(names: readonly T[], json: unknown): T | undefined {
  return names.find((name) => name === json);
}

/** `json` if it is one of `names`, else the first of them. */
export function coerceName<T extends string>(names: readonly [T, ...T[]], json: unknown): T {
  return parseName(names, json) ?? names[0];
}

/** A list or an object with other parts; the same one if all parts stay the same. */
export function withParts(value: Json, change: (part: Json, step: string | number) => Json): Json {
  if (isJsonList(value)) {
    const list = value.map(change);
    return list.every((part, index) => part === value[index]) ? value : list;
  }
  return isJsonObject(value) ? withMembers(value, change) : value;
}

/** An object with other members; the same one if all stay the same. */
export function withMembers(
  object: JsonObject,
  change: (member: Json, name: string) => Json,
): JsonObject {
  const members = Object.entries(object).map(
    ([name, member]) => [name, change(member, name)] as const,
  );
  const isSame = members.every(([name, member]) => member === object[name]);
  return isSame ? object : Object.fromEntries(members);
}

/** An object of the members that are not `undefined`. */
export function definedMembers(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const defined: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}
