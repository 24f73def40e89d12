import { type Json, isJsonObject } from "../syntax/json.ts";

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
  return text.replaceAll(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

/** Text in which a column is pointed at: the same characters are as wide as they were, a tab as wide as a space. */
export function inColumns(text: string): string {
  return text.replaceAll(unprintable, (character) =>
    character === "\t" ? " " : "�".repeat(character.length),
  );
}

/** What moves the cursor, or changes what is read in which direction. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
