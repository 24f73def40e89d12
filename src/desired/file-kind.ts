import { coerceObject, isJsonObject } from "../syntax/json.ts";
import { withoutSecrets } from "../syntax/without-secrets.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";
import { diagnosticIn, fileDiagnostic } from "./diagnostics.ts";
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
 * The version of the form of zone files and of the configuration, which `version` at their top
 * level names.
 */
export const fileVersion = 1;

/**
 * The one diagnostic of a file that is of another kind, or of a newer form, in place of one for each
 * of its keys; `undefined` if it is of this kind and form, however broken.
 */
export function wrongFile(
  file: string,
  text: string,
  yaml: YamlText,
  kind: FileKind,
): Diagnostic | undefined {
  const foreign = (message: string, remedy: string): Diagnostic =>
    fileDiagnostic(file, "FILE_FOREIGN", message, remedy);
  const { diagnostics, documents } = yaml;
  const keys = documents.flatMap(({ value }) => Object.keys(coerceObject(value)));
  const isOther = keys.some((key) => kind.other.keys.includes(key));
  if (isOther && !keys.some((key) => kind.keys.includes(key))) {
    return foreign(`this is ${kind.other.name}, not ${kind.name}`, kind.other.remedy);
  }
  const isPlainData =
    diagnostics.length === 0 && documents.every(({ value }) => isJsonObject(value));
  if (!isPlainData && !hasKeyOf(text, kind)) {
    return foreign(
      `this is not ${kind.name}: it has none of its keys`,
      `check the path; the keys of ${kind.name} are ${kind.keys.join(", ")}`,
    );
  }
  const newer = documents.find(({ value }) => (versionIn(value) ?? 0) > fileVersion);
  return (
    newer &&
    diagnosticIn(
      { ...yaml, ...newer },
      {
        code: "FILE_NEWER",
        path: ["version"],
        message: `the file has version ${versionIn(newer.value)}, and this program reads version ${fileVersion}`,
        remedy: "install a newer zonewarden, or write the file in the older form",
      },
    )
  );
}

/** Only a whole number is a version. */
function versionIn(value: unknown): number | undefined {
  const { version } = coerceObject(value);
  return typeof version === "number" && Number.isInteger(version) ? version : undefined;
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
