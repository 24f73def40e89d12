import { isJsonObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Path } from "../location.ts";
import { diagnosticInPart, type Layer } from "./layer.ts";

/**
 * Maps and lists that mean one thing where they are empty, and another if they are not declared.
 */
const paths: readonly (readonly string[])[] = [
  ["page_shield"],
  ["page_shield", "settings"],
  ["page_shield", "policies"],
  ["page_shield", "policies", "items"],
  ["page_shield", "scripts"],
  ["page_shield", "scripts", "authorised"],
  ["page_shield", "scripts", "acknowledged"],
  ["managed_rules"],
  ["managed_rules", "rules"],
];

/**
 * `null` removes what a layer before sets. Where none does, its author may have meant an empty
 * list.
 */
export function nullsWithoutEffect(layers: readonly Layer[]): readonly Diagnostic[] {
  return layers.flatMap((layer, index) =>
    paths
      .filter((path) => valueAt(layer, path) === null)
      .filter((path) => !layers.slice(0, index).some((below) => isSet(below, path)))
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

function isSet(layer: Layer, path: Path): boolean {
  const value = valueAt(layer, path);
  return value !== null && value !== undefined;
}

function valueAt({ content }: Layer, path: Path): unknown {
  let value: unknown = content;
  for (const step of path) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}
