import { isJsonList, isJsonObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticIn } from "../diagnostics.ts";
import type { Located, Path } from "../location.ts";
import { unfilledIn } from "./template.ts";

/** Where placeholders are filled, in a profile or a zone. */
const sections: ReadonlySet<string | number> = new Set(["page_shield", "managed_rules", "vars"]);

/**
 * Texts of a document that look like placeholders without their dollar or braces, and are used as
 * they are written.
 */
export function unfilledTexts(document: Located): readonly Diagnostic[] {
  return inValue(document.value, [], document);
}

function inValue(value: unknown, path: Path, document: Located): readonly Diagnostic[] {
  if (typeof value === "string") {
    // `zones`, the index and the section; or `profiles`, the name and the section.
    if (!sections.has(path[2] ?? "")) return [];
    return unfilledIn(value).map((found) =>
      diagnosticIn(document, { code: "UNFILLED_TEXT", path, ...found }),
    );
  }
  const parts = isJsonList(value)
    ? [...value.entries()]
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return parts.flatMap(([name, part]) => inValue(part, [...path, name], document));
}
