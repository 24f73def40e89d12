import type { Json } from "../syntax/json.ts";
import { isJsonObject } from "../syntax/json.ts";

/** A value in a line: text as it is, lists with commas, nothing as a dash. What does not belong on a terminal is escaped. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "string") return value === "" ? '""' : printable(value);
  if (Array.isArray(value)) return value.map((part: Json) => valueText(part)).join(", ");
  if (isJsonObject(value)) {
    return Object.entries(value)
      .map(([name, part]) => `${printable(name)}: ${valueText(part)}`)
      .join("; ");
  }
  return JSON.stringify(value);
}

/** Text that a terminal shows as it stands: control and direction characters are written as escapes. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
