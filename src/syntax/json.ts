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
