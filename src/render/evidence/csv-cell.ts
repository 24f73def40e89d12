import { canonicalJson, type Json } from "../../syntax/json.ts";

/**
 * A cell of CSV (RFC 4180), lists joined by spaces. The text is untrusted: what a spreadsheet would read as a formula
 * begins with `'`.
 */
export function csvCell(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  const parts = Array.isArray(value) ? value : [value];
  const text = parts
    .map((part: Json) => (typeof part === "string" ? part : canonicalJson(part)))
    .join(" ");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
