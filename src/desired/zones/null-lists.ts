import { coerceObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticInPart, type Layer } from "./layer.ts";
import { zoneLists } from "./zone-lists.ts";

/**
 * Maps and lists that mean one thing where they are empty, and another if they are not declared:
 * the lists of a zone, and what contains them.
 */
const paths = new Map(
  [...zoneLists, ["page_shield", "settings"]].flatMap((list) =>
    list.map((_, index) => {
      const path = list.slice(0, index + 1);
      return [path.join("."), path] as const;
    }),
  ),
);

/**
 * `null` removes what a layer before sets. Where none does, its author may have meant an empty
 * list.
 */
export function nullsWithoutEffect(layers: readonly Layer[]): readonly Diagnostic[] {
  return layers.flatMap((layer, index) =>
    [...paths.values()]
      .filter((path) => valueAt(layer, path) === null)
      .filter(
        (path) => !layers.slice(0, index).some((below) => (valueAt(below, path) ?? null) !== null),
      )
      .map((path) =>
        diagnosticInPart(layer, {
          code: "EMPTY_VALUE",
          path,
          atKey: true,
          message: "null removes nothing: no profile sets a value here",
          remedy:
            "write [] for an empty list, which deletes what zonewarden owns, or delete the key, to stop managing it",
        }),
      ),
  );
}

function valueAt({ content }: Layer, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, step) => coerceObject(value)[step], content);
}
