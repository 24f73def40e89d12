import { errorCode } from "../../syntax/error-code.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt, fileDiagnostic } from "../diagnostics.ts";
import { placeAt, sourceOf } from "../location.ts";

/** Larger files take seconds to read. */
export const maxFileSize: number = 8 * 1024 * 1024;

/** Decodes the bytes of a file as UTF-8, without its byte order mark; or why it has no text. */
export function textOf(file: string, bytes: Uint8Array): string | Diagnostic {
  if (bytes.length > maxFileSize) return tooLarge(file);
  const text = decoded(bytes);
  if (text === undefined) {
    const found = hasUtf16Mark(bytes) ? "the file is UTF-16" : "the file is not UTF-8 text";
    return fileDiagnostic(file, "FILE_NOT_UTF8", found, "save it as UTF-8");
  }
  const nul = text.indexOf("\0");
  if (nul === -1) return text;
  return diagnosticAt(placeAt(sourceOf(file, text), nul), {
    code: "FILE_NOT_UTF8",
    message: "there is a NUL character",
    remedy: "delete it, or save the file as UTF-8",
  });
}

/** A file is larger than {@link maxFileSize}. */
export function tooLarge(file: string): Diagnostic {
  const message = "the file is larger than 8 MB";
  return fileDiagnostic(file, "FILE_TOO_LARGE", message, "split it into several files");
}

/**
 * Why a file or directory could not be read, from an error of `node:fs`; never its stack or path.
 */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return code === "" ? "unknown reason" : (reasons[code] ?? code);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links form a loop",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  ESTALE: "its file handle is stale",
  EIO: "the disk reports an error",
};

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function hasUtf16Mark([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}
