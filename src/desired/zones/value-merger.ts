import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../syntax/json.ts";
import { memoized } from "../../syntax/remembered.ts";
import { identityOf } from "./layer.ts";
import { changedList, isLeftOver, isListChange } from "./list-change.ts";

/**
 * Merges values of profiles and zones: maps by key, lists of keyed items by their key, and a
 * `{ add, remove }` into the list before it; of anything else, also of `promote`, the later value wins. `null` and
 * `remove: true` remove the earlier value; neither is in the result.
 *
 * A value that only one side has is returned as it is, so that zones with the same profile share
 * its values.
 */
export class ValueMerger {
  readonly #cleaned = memoized((value: JsonObject | readonly Json[]) =>
    isJsonList(value)
      ? value.filter((item) => !isRemoval(item)).map((item) => this.#clean(item))
      : this.#cleanMap(value),
  );
  /** Of the map before, and then of the map after: zones that share both share the result. */
  readonly #mergedMaps = memoized((before: JsonObject) =>
    memoized((after: JsonObject) => this.#mergeEntries(before, after)),
  );

  merge(before: Json | undefined, after: Json): Json | undefined {
    if (after === null) return undefined;
    if (before === undefined) return this.#clean(after);
    if (isListChange(after) && (!isJsonObject(before) || isLeftOver(before))) {
      return changedList(before, after);
    }
    if (isJsonObject(before) && isJsonObject(after)) return this.#mergedMaps(before)(after);
    if (isJsonList(before) && isJsonList(after) && isKeyed(before, after)) {
      return this.#mergeKeyed(before, after);
    }
    return this.#clean(after);
  }

  #mergeEntries(before: JsonObject, after: JsonObject): JsonObject {
    const merged: Record<string, Json> = { ...before };
    for (const [key, value] of Object.entries(after)) {
      const known = Object.hasOwn(before, key) && !isWhole(key, value) ? before[key] : undefined;
      const result = this.merge(known, value);
      if (result === undefined) delete merged[key];
      else merged[key] = result;
    }
    return merged;
  }

  /** Existing items keep their position, new ones follow. */
  #mergeKeyed(before: readonly Json[], after: readonly Json[]): Json {
    const merged = new Map(before.map((item) => [identityOf(item), item]));
    for (const item of after) {
      const identity = identityOf(item);
      const result = isRemoval(item) ? undefined : this.merge(merged.get(identity), item);
      if (result === undefined) merged.delete(identity);
      else merged.set(identity, result);
    }
    return [...merged.values()];
  }

  /**
   * The value without `null`, `remove` and `{ add, remove }`; most values have none of them, and
   * are returned as they are.
   */
  #clean(value: Json): Json {
    return typeof value !== "object" || value === null || isClean(value)
      ? value
      : this.#cleaned(value);
  }

  #cleanMap(map: JsonObject): JsonObject | readonly Json[] {
    if (isListChange(map)) return changedList([], map);
    return Object.fromEntries(
      Object.entries(map)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [name, this.#clean(value)]),
    );
  }
}

/** Half of the steps of one layer and half of those of another are steps that nobody wrote. */
function isWhole(key: string, value: Json): boolean {
  return key === "promote" && !isListChange(value);
}

function isClean(value: Json): boolean {
  if (value === null) return false;
  if (typeof value !== "object") return true;
  if (isJsonList(value)) return value.every((item) => !isRemoval(item) && isClean(item));
  return !isListChange(value) && Object.values(value).every(isClean);
}

function isKeyed(before: readonly Json[], after: readonly Json[]): boolean {
  return identityOf(before[0] ?? after[0]) !== undefined;
}

function isRemoval(item: Json): boolean {
  return isJsonObject(item) && item["remove"] === true;
}
