import { coerceList } from "../../syntax/json.ts";
import type { Located } from "../location.ts";
import type { Path } from "../yaml/path.ts";

/** A profile or a zone as it stands in a file; its shape need not be right. */
export interface CoercedPart {
  readonly document: Located;
  /** Where in the document it stands. */
  readonly path: Path;
  readonly content: unknown;
}

/** What stands in a value of any shape, step by step; `undefined` where it does not go on. */
export function valueAt(holder: unknown, ...steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, step)
        ? Reflect.get(value, step)
        : undefined,
    holder,
  );
}

/** The items of a list in a value of any shape; none where there is no list. */
export function itemsAt(holder: unknown, ...steps: readonly string[]): readonly unknown[] {
  return coerceList(valueAt(holder, ...steps));
}
