import { isDeepStrictEqual } from "node:util";

import { Document, type YAMLSeq, isScalar, visit } from "yaml";

import type { JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { parseFile } from "../load/parse-zone-file.ts";
import { Assembler } from "../zones/assemble.ts";
import { contentEntry } from "./zone-entry.ts";

/** The text of a file with zone documents. Equal data gives equal bytes. */
export function zoneFileText(data: JsonObject, remark: string): string {
  const document = new Document(data, {
    aliasDuplicateObjects: false,
    // Other tools read `yes` and `012` otherwise than we do: such texts are quoted.
    compat: "yaml-1.1",
  });
  visit(document, {
    Seq: (_key, list) => {
      list.flow = isShort(list);
    },
  });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `# ${remark}\n\n${text}`;
}

/** Whether a list is read best in one line. */
function isShort({ items }: YAMLSeq): boolean {
  const texts = items.map((item) => (isScalar(item) ? String(item.value) : undefined));
  return texts.length > 0 && !texts.includes(undefined) && texts.join(", ").length <= 60;
}

/**
 * What the language of the files says against `content`; `undefined` where writing it down and reading it back gives
 * it again.
 */
export function objectionTo(content: ZoneContent): string | undefined {
  const entry = { name: "any.example", ...contentEntry(content) };
  const text = zoneFileText({ zones: [entry] }, "");
  const { zones, diagnostics } = parseFile("", "", new TextEncoder().encode(text));
  const [layer] = zones;
  const assembled = layer && new Assembler().assemble(layer, [layer]);
  const diagnostic = [...diagnostics, ...(assembled?.diagnostics ?? [])].find(
    ({ severity }) => severity === "error",
  );
  if (diagnostic !== undefined) return `cannot be said in a file: ${placed(diagnostic)}`;
  const isSame = isDeepStrictEqual(assembled?.document?.content, content);
  return isSame ? undefined : "cannot be said in a file: read back, it would not be the same";
}

/** What is wrong, and in which field of the thing. */
function placed({ path, message }: Diagnostic): string {
  const field = path.replace(/^zones\[0\]\.\w+\.(policies\.items|rules)\[\d+\]\.?/, "");
  return field === "" ? message : `${field}: ${message}`;
}
