import { canonicalJson, type Json } from "../syntax/json.ts";
import { withoutControls } from "./terminal-safe.ts";

/** What a spreadsheet begins a formula with; the wide forms count in some languages. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * A cell of CSV (RFC 4180), lists joined by spaces. The text is untrusted: what a spreadsheet would read as a formula
 * begins with `'`, what it may take for a separator is quoted, and what would steer a terminal is escaped.
 */
function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const parts = Array.isArray(value) ? value : [value];
  const text = parts
    .map((part: Json) => (typeof part === "string" ? part : canonicalJson(part)))
    .join(" ");
  const safe = withoutControls(formula.test(text) ? `'${text}` : text);
  return /[",;\t\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvText(rows: readonly (readonly (Json | undefined)[])[]): string {
  return rows.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}
