import { type Json, type JsonObject, coerceObject, coerceTexts } from "../syntax/json.ts";

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

/** A number; `undefined` for any other value. */
export function numberIn(object: JsonObject, name: string): number | undefined {
  const value = object[name];
  return typeof value === "number" ? value : undefined;
}

/**
 * The cursor of the next page, in either place of a `result_info`; "" on the last one
 * (SERVICE.md B.1 and C.7).
 */
export function cursorIn(info: JsonObject | undefined): string {
  const after = textIn(coerceObject(info?.["cursors"]), "after");
  return after === "" ? textIn(info ?? {}, "cursor") : after;
}

/** The texts of a list, sorted and without repetitions. */
export function textSet(value: Json | undefined): readonly string[] {
  return [...new Set(coerceTexts(value))].toSorted();
}
