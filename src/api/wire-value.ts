import { type Json, type JsonObject, coerceTexts } from "../syntax/json.ts";

/** A text, or `otherwise` if the service gave none. */
export function textIn(object: JsonObject, name: string, otherwise = ""): string {
  const value = object[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : otherwise;
}

/**
 * A boolean, which the service also writes as a string (SERVICE.md A.6); `undefined` if it is
 * neither.
 */
export function flagIn(object: JsonObject, name: string): boolean | undefined {
  const value = object[name];
  if (value === "true") return true;
  if (value === "false") return false;
  return typeof value === "boolean" ? value : undefined;
}

/** The texts of a list, sorted and without repetitions. */
export function textSet(value: Json | undefined): readonly string[] {
  return [...new Set(coerceTexts(value))].toSorted();
}
