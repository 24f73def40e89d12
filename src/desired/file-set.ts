import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Diagnostic } from "../zone/diagnostic.ts";
import { problemOfFile } from "./diagnostics.ts";
import type { FilePort } from "./file-system.ts";
import { collectFiles } from "./load/read-zone-files.ts";
import type { HeldFiles, FileSighting } from "./load/read-zone-files.ts";
import { maxFileSize, reasonOf } from "./yaml/decode-text.ts";

/** A file as it was found. Its name is relative to the directory; a directory that cannot be read ends in a slash. */
export type FoundFile =
  | { readonly file: string; readonly bytes: Uint8Array }
  | { readonly file: string; readonly diagnostic: Diagnostic };

/** What stands at the desired path. */
export type FileSet =
  | {
      readonly state: "read";
      /** The directory as it was named, and with links followed. */
      readonly directory: string;
      readonly root: string;
      /** In the order of their names. */
      readonly files: readonly FoundFile[];
    }
  /** Nothing could be read at all. */
  | { readonly state: "unreadable"; readonly diagnostic: Diagnostic };

/** How often a set that changes while it is read is read again. */
const maxRounds = 5;

/**
 * Reads all zone files below `directory` as they were at one moment: when something moves meanwhile, as with a
 * checkout or a link that is swapped, everything is read again.
 */
export async function readFileSet(
  directory: string,
  files: FilePort,
  heldFiles: HeldFiles,
  signal: AbortSignal,
): Promise<FileSet> {
  for (let round = 0; round < maxRounds; round += 1) {
    signal.throwIfAborted();
    const set = await readOnce(directory, files, heldFiles, signal);
    if (set !== "moved") return set;
  }
  const diagnostic = problemOfFile(".", "DIRECTORY_UNSETTLED", {
    message: `the files changed each of the ${maxRounds} times that they were read`,
    remedy: "nothing has to be done if this passes: they are read again after the next change",
  });
  return { state: "unreadable", diagnostic };
}

async function readOnce(
  directory: string,
  port: FilePort,
  heldFiles: HeldFiles,
  signal: AbortSignal,
): Promise<FileSet | "moved"> {
  const before = await collectFiles(directory, port, heldFiles, signal);
  if ("reason" in before) return { state: "unreadable", diagnostic: unreadable(before.reason) };
  const found: FoundFile[] = [];
  for (const sighting of before.sightings) {
    found.push(await readSighted(sighting, port, signal));
  }
  const after = await collectFiles(directory, port, heldFiles, signal);
  if (!isDeepStrictEqual(before, after)) return "moved";
  const { root, single } = before;
  const named = single ? path.dirname(directory) : directory;
  return { state: "read", directory: named, root, files: found };
}

async function readSighted(
  sighting: FileSighting,
  port: FilePort,
  signal: AbortSignal,
): Promise<FoundFile> {
  const { file, real } = sighting;
  if ("diagnostic" in sighting) return { file, diagnostic: sighting.diagnostic };
  if (sighting.size > maxFileSize) {
    const words = {
      message: "the file is larger than 8 MB",
      remedy: "split it into several files",
    };
    return { file, diagnostic: problemOfFile(file, "FILE_TOO_LARGE", words) };
  }
  try {
    return { file, bytes: await port.read(real, maxFileSize + 1, signal) };
  } catch (error) {
    signal.throwIfAborted();
    const message = `the file cannot be read: ${reasonOf(error)}`;
    const remedy = "let the program read it, or delete it";
    return { file, diagnostic: problemOfFile(file, "FILE_UNREADABLE", { message, remedy }) };
  }
}

function unreadable(reason: string): Diagnostic {
  return problemOfFile(".", "DIRECTORY_UNREADABLE", {
    message: `the zone files cannot be read: ${reason}`,
    remedy:
      "check the path, `desired.path` where the command line names none; a directory that is away is no empty state",
  });
}
