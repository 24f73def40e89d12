import { isDeepStrictEqual } from "node:util";

import { Document, isScalar, visit, type YAMLSeq } from "yaml";

import { sha256 } from "../../syntax/digest.ts";
import type { JsonObject } from "../../syntax/json.ts";
import type { ZoneContent } from "../../zone/desired-zone.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { parseZoneFile } from "../load/parse-zone-file.ts";
import { ZoneMerger } from "../zones/merge-zone.ts";
import { contentEntry } from "./zone-entry.ts";

/** The text of a zone file, with a comment at its top. Equal data yields equal bytes. */
export function zoneFileText(data: JsonObject, comment: string): string {
  const document = new Document(data, {
    aliasDuplicateObjects: false,
    // Quotes texts like `yes` and `012`, which YAML 1.1 tools read as other values.
    compat: "yaml-1.1",
  });
  visit(document, {
    Scalar: (_key, scalar) => {
      // Output streams escape these characters, which only double quotes allow.
      if (/[\p{Cc}\p{Cf}]/u.test(String(scalar.value).replaceAll("\n", ""))) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
    Seq: (_key, list) => {
      list.flow = isShort(list);
    },
  });
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  return `# ${comment}\n\n${text}`;
}

/** Whether a list fits on one line. */
function isShort({ items }: YAMLSeq): boolean {
  const texts = items.map((item) => (isScalar(item) ? String(item.value) : undefined));
  return texts.length > 0 && !texts.includes(undefined) && texts.join(", ").length <= 60;
}

/**
 * Why `content` cannot be written to a zone file; `undefined` if reading the written file yields
 * `content` again.
 */
function whyNotWritable(content: ZoneContent): string | undefined {
  const entry = { name: "any.example", ...contentEntry(content) };
  const text = zoneFileText({ zones: [entry] }, "");
  const { zones, diagnostics } = parseZoneFile("", "", new TextEncoder().encode(text));
  const [layer] = zones;
  const merged = layer && new ZoneMerger().merge(layer, [layer]);
  const error = [...diagnostics, ...(merged?.diagnostics ?? [])].find(isError);
  if (error !== undefined) return `cannot be written to a file: ${withField(error)}`;
  const isSame = isDeepStrictEqual(merged?.document?.content, content);
  return isSame ? undefined : "cannot be written to a file: reading it back yields another value";
}

/** What {@link whyNotWritable} says, for the zones of a fleet: what several of them have is checked once. */
export function writableCheck(): (content: ZoneContent) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (content) => {
    const digest = sha256(JSON.stringify(content));
    if (!known.has(digest)) known.set(digest, whyNotWritable(content));
    return known.get(digest);
  };
}

/** The message, after the field that it is about. */
function withField({ path, message }: Diagnostic): string {
  const field = path.replace(
    /^zones\[0\]\.(\w+\.(policies\.items|rules)|custom_rulesets)\[\d+\](\.rules\[\d+\])?\.?/,
    "",
  );
  return field === "" ? message : `${field}: ${message}`;
}
