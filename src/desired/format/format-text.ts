import { isDeepStrictEqual } from "node:util";

import { Lexer, Parser } from "yaml";

import { isJsonObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { fileDiagnostic } from "../diagnostics.ts";
import { wrongFile } from "../file-kind.ts";
import { configFileKind, zoneFileKind } from "../json-schema.ts";
import { readYaml, type YamlText } from "../yaml/read-yaml.ts";
import { KeyOrder } from "./key-order.ts";
import { layoutOf } from "./layout.ts";
import { withSortedKeys } from "./sort-keys.ts";
import { textOfLayout } from "./write-layout.ts";

/** A text in the one form of its kind of file, or why it has none. */
export interface FormattedText {
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The files that have a form: their schema, and the keys whose entries are set apart. */
const forms = {
  zones: { kind: zoneFileKind, spaced: ["profiles", "zones"] },
  zonewarden: { kind: configFileKind, spaced: [] },
} as const;

/**
 * Writes a zone file or a configuration in its one form: keys in the order of the schema, quotes
 * where they are needed, an indentation of two. It has the same values and comments.
 */
export function formattedText(file: string, text: string): FormattedText {
  const yaml = readYaml(file, text);
  const broken = yaml.diagnostics.filter(({ code }) => code !== "EMPTY_VALUE");
  const [forZones, forConfig] = [zoneFileKind, configFileKind].map((kind) =>
    wrongFile(file, text, yaml, kind),
  );
  if (forZones !== undefined && forConfig !== undefined) {
    return { text: undefined, diagnostics: [forZones] };
  }
  if (broken.length > 0) return { text: undefined, diagnostics: broken };
  const form = formOf(yaml);
  if (form === undefined) return { text: undefined, diagnostics: [foreign(file)] };
  const order = KeyOrder.of(form);
  const documents = layoutOf(new Parser().parse(text)).map((each) => withSortedKeys(each, order));
  const written = textOfLayout(documents, forms[form].spaced);
  // What YAML can write is more than what anybody has tried.
  const isSame =
    isDeepStrictEqual(valuesOf(readYaml(file, written)), valuesOf(yaml)) &&
    isDeepStrictEqual(commentsIn(written), commentsIn(text));
  if (isSame) return { text: written, diagnostics: [] };
  return { text: undefined, diagnostics: [notFormatted(file)] };
}

/** The form whose schema has all keys of the top level. */
function formOf({ documents }: YamlText): keyof typeof forms | undefined {
  const names = (["zones", "zonewarden"] as const).filter((name) => {
    const keys = new Set([...forms[name].kind.keys, "$schema", "version"]);
    return documents.every(
      ({ value }) => isJsonObject(value) && Object.keys(value).every((key) => keys.has(key)),
    );
  });
  return names[0];
}

function foreign(file: string): Diagnostic {
  const message =
    "this is neither a zone file nor a configuration: other keys stand at its top level";
  const remedy = "check the path, or correct the keys: zonewarden validate names them";
  return fileDiagnostic(file, "FILE_FOREIGN", message, remedy);
}

/** The one form would not say the same. */
export function notFormatted(file: string): Diagnostic {
  const message = "the file stays as it is: in its one form it would not mean the same";
  const remedy = "write it in a simpler way, and report it as a bug of zonewarden";
  return fileDiagnostic(file, "FILE_NOT_FORMATTED", message, remedy);
}

function valuesOf({ documents, diagnostics }: YamlText): readonly unknown[] {
  const empty = diagnostics.map(({ code, path }) => `${code} ${path}`).toSorted();
  return [documents.map(({ value }) => value), empty];
}

function commentsIn(text: string): readonly string[] {
  const lexemes = [...new Lexer().lex(text)];
  return lexemes
    .filter((lexeme, index) => lexeme.startsWith("#") && lexemes[index - 1] !== scalarMark)
    .map((comment) => comment.trimEnd())
    .toSorted();
}

/** Before the text of a scalar. */
const scalarMark = "\u001F";
