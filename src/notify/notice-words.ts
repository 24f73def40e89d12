import type { Change } from "../plan/change.ts";
import { verbSigns } from "../render/change-text.ts";
import { valueText } from "../render/format.ts";

/** Fields that a message names; the zone's page has all of them. */
const mostFields = 10;
/** Characters of a value: whole policies and expressions do not belong into a chat. */
const longestValue = 80;

/** Changes in a line, bounded: `~ rule/owasp paranoia_level 1 → 2, + policy/site`. */
export function changesLine(changes: readonly Change[]): string {
  const parts = changes.flatMap(partsOf);
  const more = parts.length - mostFields;
  const shown = parts.slice(0, mostFields).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function partsOf({ verb, key, fields }: Change): readonly string[] {
  const name = `${verbSigns[verb]} ${key}`;
  if (verb !== "update") return [name];
  return fields.map(
    ({ field, before, after }) => `${name} ${field} ${short(before)} → ${short(after)}`,
  );
}

function short(value: Parameters<typeof valueText>[0]): string {
  const text = valueText(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}…` : text;
}
