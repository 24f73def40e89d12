import type { FieldChange } from "../plan/change.ts";

/** Longer values are cut: expressions end at 4,096 characters, and a line must stay a line. */
const longestValue = 4_096;

/** What differs in a field, short enough for a line of a log or of a history. */
export function clipped({ field, before, after }: FieldChange): FieldChange {
  return { field, before: clippedValue(before), after: clippedValue(after) };
}

function clippedValue(value: FieldChange["before"]): FieldChange["before"] {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= longestValue) return value;
  return `${text.slice(0, longestValue)}… (${text.length} characters)`;
}
