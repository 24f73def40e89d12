import {
  coerceList,
  coerceTexts,
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../syntax/json.ts";
import { didYouMean } from "../../syntax/nearest.ts";
import type { UnplacedDiagnostic } from "../diagnostics.ts";
import type { Path } from "../location.ts";
import { placeholderAlone } from "../template/template.ts";

/** Changes the list before it. */
type ListChange = JsonObject & {
  readonly add?: readonly Json[];
  readonly remove?: readonly Json[];
};

/** Whether a value is a map of `add` or `remove` or both, and nothing but lists in them. */
export function isListChange(value: unknown): value is ListChange {
  if (!isJsonObject(value)) return false;
  const parts = Object.entries(value);
  return (
    parts.length > 0 &&
    parts.every(([key, part]) => (key === "add" || key === "remove") && isJsonList(part))
  );
}

/**
 * The list with the change. If that is impossible, the change and `of`, the value that it is for: no
 * schema allows such a map, and {@link impossibleChange} explains it. Placeholders may make it
 * possible, see {@link settledChange}.
 */
export function changedList(before: Json, change: ListChange): JsonObject | readonly Json[] {
  const { add = [], remove = [] } = change;
  const isAlone = typeof before === "string" && placeholderAlone(before) !== undefined;
  const list = isAlone ? [before] : before;
  if (!isJsonList(list) || remove.some((each) => !list.includes(each))) {
    return { ...change, of: list };
  }
  const changed = [...new Set([...list.filter((each) => !remove.includes(each)), ...add])];
  changedLists.add(changed);
  return changed;
}

/** Whether a merged value is what is left of an impossible change. */
export function isLeftOver(value: Json): value is JsonObject {
  return isJsonObject(value) && value["of"] !== undefined;
}

/** A value whose placeholders are filled, with the change that was impossible before. */
export function settledChange(value: Json): Json {
  if (!isLeftOver(value)) return value;
  const { of: before = [], ...change } = value;
  return isListChange(change) ? changedList(before, change) : value;
}

const changedLists = new WeakSet<object>();

/** Whether a list is the result of a change, and no file has it as a whole. */
export function isChangedList(value: unknown): value is readonly string[] {
  return isJsonList(value) && changedLists.has(value);
}

/** The members of a list that a file has, or of the `add` of a change, with their paths. */
export function writtenMembers(value: unknown): readonly (readonly [Path, Json])[] {
  return isListChange(value)
    ? (value.add ?? []).map((each, index) => [["add", index], each] as const)
    : coerceList(value).map((each, index) => [[index], each] as const);
}

/** What is impossible of a change at `path`; `undefined` if `merged` is not what is left of one. */
export function impossibleChange(
  merged: Json,
  path: Path,
): readonly UnplacedDiagnostic[] | undefined {
  if (!isLeftOver(merged)) return undefined;
  const { add, remove, of: before = [] } = merged;
  if (isLeftOver(before)) return impossibleChange(before, path);
  if (!isJsonList(before)) {
    const key = add === undefined ? "remove" : "add";
    const message = `"${key}" changes a list, and the value here is ${JSON.stringify(before)}`;
    const remedy = "write the whole list";
    return [{ code: "WRONG_TYPE", path: [...path, key], atKey: true, message, remedy }];
  }
  const known = coerceTexts(before);
  const missing = coerceTexts(remove).filter((member) => !known.includes(member));
  return missing.map((member) => {
    const message = `"${member}" cannot be removed: the list that a profile sets does not have it`;
    const has = known.length > 0 ? `, the list has ${known.slice(0, 10).join(", ")}` : "";
    const remedy = didYouMean(member, known) || `delete it here${has}`;
    return { code: "WRONG_VALUE", path: [...path, "remove", member], message, remedy };
  });
}
