import path from "node:path";

import { type DeprecatedKey, type FixedText, fixedText } from "../../desired/deprecated-keys.ts";
import { maxFileSize, reasonOf, textOf } from "../../desired/yaml/decode-text.ts";
import type { Host } from "../../host/host.ts";
import { plural } from "../../render/format.ts";
import { errorCode } from "../../syntax/error-code.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";

/** Diagnostics, and the directory to which their files are relative; "": they are of the configuration. */
interface Checked {
  readonly directory: string;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Replaces the deprecated keys in all files that have a warning of one, each file atomically, and says what it did. A file
 * that was fixed has none left, so that a second time nothing is written.
 */
export async function fixFiles(
  checked: readonly Checked[],
  host: Host,
): Promise<"unchanged" | "changed" | "failed"> {
  let result: "unchanged" | "changed" = "unchanged";
  for (const [file, kind] of filesToFix(checked)) {
    const shown = path.relative(host.directory, file);
    try {
      const { text, count, kept } = await fixedFile(file, kind, host);
      for (const { line, column, reason } of kept) {
        host.stderr.write(`${shown}:${line}:${column}: not replaced: ${reason}\n`);
      }
      if (count === 0) continue;
      await host.namedFiles.save(file, text);
      host.stderr.write(`${shown}: replaced ${plural(count, "deprecated key")}\n`);
      result = "changed";
    } catch (error) {
      if (errorCode(error) === "") throw error;
      host.stderr.write(`${shown}: cannot be fixed: ${reasonOf(error)}\n`);
      return "failed";
    }
  }
  return result;
}

type FileKind = DeprecatedKey["file"];

function filesToFix(checked: readonly Checked[]): ReadonlyMap<string, FileKind> {
  const files = checked.flatMap(({ directory, diagnostics }) =>
    diagnostics
      .filter(({ code }) => code === "DEPRECATED_KEY")
      .map(({ place }): [string, FileKind] => [
        path.resolve(directory, place.file),
        directory === "" ? "zonewarden" : "zones",
      ]),
  );
  return new Map(files);
}

/** The text of a file with the keys of today. It keeps its byte order mark. */
async function fixedFile(file: string, kind: FileKind, host: Host): Promise<FixedText> {
  const bytes = await host.namedFiles.read(file, maxFileSize + 1);
  const { text = "" } = textOf(file, bytes);
  const fixed = fixedText(text, kind, host.deprecated);
  const mark = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, 3));
  return { ...fixed, text: mark === "\ufeff" ? mark + fixed.text : fixed.text };
}
