import { isJsonObject, type Json, type JsonObject } from "../syntax/json.ts";

/** A text, or `otherwise` where the service gave none. */
export function textIn(object: JsonObject, name: string, otherwise = ""): string {
  const value = object[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : otherwise;
}

/** A boolean, which the service also writes as a string (SERVICE.md A.6); `undefined` where it is neither. */
export function flagIn(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  if (value === "true") return true;
  if (value === "false") return false;
  return typeof value === "boolean" ? value : undefined;
}

/** An object; empty where the service gave none. */
export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; a missing list and an empty one are the same. */
export function objectsIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  return isList(value) ? value.filter(isJsonObject) : [];
}

/** The texts of a list, sorted and without repetitions. */
export function textSet(value: Json | undefined): readonly string[] {
  if (!isList(value)) return [];
  return [...new Set(value.filter((each) => typeof each === "string"))].toSorted();
}

/** Whether every element is an object: a list of anything else is not of the documented kind. */
export function isObjectList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
