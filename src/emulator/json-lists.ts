import { isJsonObject } from "../syntax/json.ts";
import type { Json, JsonObject } from "../syntax/json.ts";

/** Whether a JSON value is an array. */
export function isJsonList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The objects in a list; none where it is no list. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return isJsonList(value) ? value.filter(isJsonObject) : [];
}
