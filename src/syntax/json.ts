import { byEntryName } from "./by-text.ts";

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; a key that is not there reads as `undefined`. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether `value` is an object in JSON's sense: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether `value` is an array. */
export function isJsonList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

/** Whether `value` is a list of objects and nothing else. */
export function isObjectList(value: unknown): value is readonly JsonObject[] {
  return isJsonList(value) && value.every(isJsonObject);
}

/** One text for equal JSON values: keys sorted, no white space. Fingerprints and comparisons stand on it. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).toSorted(byEntryName)) : part,
  );
}

/** The text that `json` is; "" where it is none. */
export function coerceText(json: unknown): string {
  return typeof json === "string" ? json : "";
}

/** The object that `json` is; an empty one where it is none. */
export function coerceObject(json: unknown): JsonObject {
  return isJsonObject(json) ? json : {};
}

/** The list that `json` is; an empty one where it is none. */
export function coerceList(json: unknown): readonly Json[] {
  return isJsonList(json) ? json : [];
}

/** The objects in the list that `json` is, without what else stands there. */
export function coerceObjects(json: unknown): readonly JsonObject[] {
  return coerceList(json).filter(isJsonObject);
}

/** The texts in the list that `json` is, without what else stands there. */
export function coerceTexts(json: unknown): readonly string[] {
  return coerceList(json).filter((each) => typeof each === "string");
}

/** The moment that `json` names as a text; `undefined` where it names none. */
export function coerceDate(json: unknown): Date | undefined {
  const date = new Date(coerceText(json));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The one of `names` that `json` is; `undefined` where it is none of them. */
export function parseName<T extends string>(names: readonly T[], json: unknown): T | undefined {
  return names.find((name) => name === json);
}

/** The one of `names` that `json` is; the first where it is none of them. */
export function coerceName<T extends string>(names: readonly [T, ...T[]], json: unknown): T {
  return parseName(names, json) ?? names[0];
}

/** An object of the members that are not `undefined`. */
export function definedMembers(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const defined: Record<string, Json> = {};
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) defined[name] = value;
  }
  return defined;
}
