import { isDeepStrictEqual } from "node:util";

import type { Json } from "../syntax/json.ts";
import type { FieldChange } from "./change.ts";

/** One side of a comparison: the fields in the order in which people read them. */
export type Fields = Readonly<Record<string, Json | undefined>>;

/** The fields that differ between two sides; a side that is not there has none. */
export function differingFields(before: Fields, after: Fields): readonly FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}
