import { isJsonObject } from "../syntax/json.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { fileDiagnostic } from "./diagnostics.ts";
import type { YamlText } from "./yaml/read-yaml.ts";

// A path that points to the wrong file, such as a token, must not leak the file's content into a
// terminal or log: a file without any expected key is never quoted, and other files are quoted
// without values that may be secret.

/** A kind of YAML file, and the keys that can stand at its top level. */
export interface FileKind {
  readonly name: string;
  readonly keys: readonly string[];
  /** The kind of file that is given in its place by mistake, and what to do then. */
  readonly other: {
    readonly name: string;
    readonly keys: readonly string[];
    readonly remedy: string;
  };
}

/**
 * Says what to do with a file of the other kind, in place of one diagnostic for each of its keys.
 */
function otherKind(
  file: string,
  documents: YamlText["documents"],
  kind: FileKind,
): Diagnostic | undefined {
  const keys = documents.flatMap(({ value }) => (isJsonObject(value) ? Object.keys(value) : []));
  const isOther = keys.some((key) => kind.other.keys.includes(key));
  if (!isOther || keys.some((key) => kind.keys.includes(key))) return undefined;
  const { name, remedy } = kind.other;
  return fileDiagnostic(file, "FILE_FOREIGN", `this is ${name}, not ${kind.name}`, remedy);
}

/** A diagnostic if a file is of another kind; `undefined` if it is of this kind, however broken. */
export function foreignFile(
  file: string,
  text: string,
  { diagnostics, documents }: Pick<YamlText, "diagnostics" | "documents">,
  kind: FileKind,
): Diagnostic | undefined {
  const isPlainData =
    diagnostics.length === 0 && documents.every(({ value }) => isJsonObject(value));
  const other = otherKind(file, documents, kind);
  if (other !== undefined) return other;
  if (isPlainData || hasKeyOf(text, kind)) return undefined;
  return fileDiagnostic(
    file,
    "FILE_FOREIGN",
    `this is not ${kind.name}: it has none of its keys`,
    `check the path; the keys of ${kind.name} are ${kind.keys.join(", ")}`,
  );
}

/** The text of a file for display, without secrets; "" if the file is of another kind. */
export function redactedText(text: string, kind: FileKind): string {
  if (!hasKeyOf(text, kind)) return "";
  const redacted = text.replaceAll(secretValue, (_, key: string, value: string) =>
    value.includes("\n") ? `${key}\n…` : `${key}…`,
  );
  return withoutSecrets(redacted.replaceAll(userInfo, "://…@"));
}

/**
 * The value of a key that names a secret, on its line or on the next. URLs can contain secrets too.
 */
const secretValue =
  /((?:token|secret|password|\b(?:base_)?url)\w*["']?[ \t]*:[ \t]*)((?:[>|][-+\d]*[ \t]*)?\r?\n[ \t]+[^\n]*|[^\n]*)/gi;

const userInfo = /:\/\/[^/\s"']*@/g;

function hasKeyOf(text: string, { keys }: FileKind): boolean {
  const names = keys.map((key) => RegExp.escape(key)).join("|");
  // A key in capitals or in the singular is a typing error in a file of this kind.
  const near = keys.map((key) => RegExp.escape(key.replace(/s$/, ""))).join("|");
  return new RegExp(`(?:^|[{,])[ \\t]*["']?(?:${names}|${near})["']?[ \\t]*:`, "im").test(text);
}
