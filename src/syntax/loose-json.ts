import { isJsonList, isJsonObject, type Json, type JsonObject } from "./json.ts";

/** The text that `json` is; "" where it is none. */
export function looseText(json: unknown): string {
  return typeof json === "string" ? json : "";
}

/** The object that `json` is; an empty one where it is none. */
export function looseObject(json: unknown): JsonObject {
  return isJsonObject(json) ? json : {};
}

/** The list that `json` is; an empty one where it is none. */
export function looseList(json: unknown): readonly Json[] {
  return isJsonList(json) ? json : [];
}

/** The objects in the list that `json` is, without what else stands there. */
export function looseObjects(json: unknown): readonly JsonObject[] {
  return looseList(json).filter(isJsonObject);
}

/** The texts in the list that `json` is, without what else stands there. */
export function looseTexts(json: unknown): readonly string[] {
  return looseList(json).filter((each) => typeof each === "string");
}

/** The moment that `json` names as a text; `undefined` where it names none. */
export function looseDate(json: unknown): Date | undefined {
  const date = new Date(looseText(json));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The one of `names` that `json` is; `undefined` where it is none of them. */
export function knownName<T extends string>(names: readonly T[], json: unknown): T | undefined {
  return names.find((name) => name === json);
}

/** The one of `names` that `json` is; the first where it is none of them. */
export function looseName<T extends string>(names: readonly [T, ...T[]], json: unknown): T {
  return knownName(names, json) ?? names[0];
}
