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

/** Changes the list before it. */
type ListChange = JsonObject & {
  readonly add?: readonly Json[];
  readonly remove?: readonly Json[];
};

/** Whether a value is a map of `add` and `remove`, which have lists. */
export function isListChange(value: unknown): value is ListChange {
  if (!isJsonObject(value) || !(isJsonList(value["add"]) || isJsonList(value["remove"]))) {
    return false;
  }
  return Object.keys(value).every((key) => key === "add" || key === "remove");
}

/**
 * The list with the change. If that is impossible, what is impossible of the change and `of`, the
 * value that it was for: no schema allows such a map, and {@link impossibleChange} explains it.
 */
export function changedList(before: Json, change: ListChange): Json {
  const { add = [], remove = [] } = change;
  if (!isJsonList(before)) return { ...change, of: before };
  const missing = remove.filter((each) => !before.includes(each));
  if (missing.length > 0) return { remove: missing, of: before };
  const changed = [...new Set([...before.filter((each) => !remove.includes(each)), ...add])];
  changedLists.add(changed);
  return changed;
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
  if (!isJsonObject(merged) || merged["of"] === undefined) return undefined;
  const { add, remove, of: before } = merged;
  if (!isJsonList(before)) {
    const key = add === undefined ? "remove" : "add";
    const message = `"${key}" changes a list, and the value here is ${JSON.stringify(before)}`;
    const remedy = "write the whole list";
    return [{ code: "WRONG_TYPE", path: [...path, key], atKey: true, message, remedy }];
  }
  const known = coerceTexts(before);
  return coerceTexts(remove).map((member) => {
    const message = `"${member}" cannot be removed: the list that a profile sets does not have it`;
    const has = known.length > 0 ? `, the list has ${known.slice(0, 10).join(", ")}` : "";
    const remedy = didYouMean(member, known) || `delete it here${has}`;
    return { code: "WRONG_VALUE", path: [...path, "remove", member], message, remedy };
  });
}
