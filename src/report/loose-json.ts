import { isJsonObject, type Json, type JsonObject } from "../syntax/json.ts";

/** The text that `json` is; "" where it is none. */
export function looseText(json: Json | undefined): string {
  return typeof json === "string" ? json : "";
}

/** The object that `json` is; an empty one where it is none. */
export function looseObject(json: Json | undefined): JsonObject {
  return isJsonObject(json) ? json : {};
}

/** The list that `json` is; an empty one where it is none. */
export function looseList(json: Json | undefined): readonly Json[] {
  const list: readonly Json[] = Array.isArray(json) ? json : [];
  return list;
}

/** The one of `names` that `json` is; the first where it is none of them. */
export function looseName<T extends string>(
  names: readonly [T, ...T[]],
  json: Json | undefined,
): T {
  return names.find((name) => name === json) ?? names[0];
}
