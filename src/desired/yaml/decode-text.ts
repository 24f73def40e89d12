import type { Diagnostic } from "../../zone/diagnostic.ts";
import { problemOf, problemOfFile } from "../diagnostics.ts";
import { sourceOf } from "./source.ts";

/** Larger files take seconds to read, and nobody reads them. */
export const maxFileSize: number = 8 * 1024 * 1024;

/** The text of a file, or why it has none. */
export type TextResult =
  | { readonly text: string; readonly diagnostic: undefined }
  | { readonly text: undefined; readonly diagnostic: Diagnostic };

/** Takes the bytes of a file as UTF-8 text. A byte order mark is dropped. */
export function textOf(file: string, bytes: Uint8Array): TextResult {
  if (bytes.length > maxFileSize) {
    return failed(
      problemOfFile(file, "FILE_TOO_LARGE", {
        message: "the file is larger than 8 MB",
        remedy: "split it into several files",
      }),
    );
  }
  const text = decoded(bytes);
  if (text === undefined) {
    return failed(
      problemOfFile(file, "FILE_NOT_UTF8", {
        message: hasUtf16Mark(bytes) ? "the file is UTF-16" : "the file is not UTF-8 text",
        remedy: "save it as UTF-8",
      }),
    );
  }
  const nul = text.indexOf("\0");
  if (nul === -1) return { text, diagnostic: undefined };
  const words = {
    message: "there is a NUL character",
    remedy: "delete it, or save the file as UTF-8",
  };
  return failed(problemOf(sourceOf(file, text), "FILE_NOT_UTF8", nul, [], words));
}

/** Why a file or directory could not be read, from an error of `node:fs`: never its stack or path. */
export function reasonOf(error: unknown): string {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? (reasons[code] ?? code) : "unknown reason";
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its links go round in a circle",
  ENOTDIR: "a part of its path is no directory",
  EISDIR: "it is a directory",
  ESTALE: "the file system has lost it",
  EIO: "the disk reports an error",
};

function failed(diagnostic: Diagnostic): TextResult {
  return { text: undefined, diagnostic };
}

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
