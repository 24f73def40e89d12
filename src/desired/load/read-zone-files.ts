import path from "node:path";
import { isDeepStrictEqual } from "node:util";

import { errorCode } from "../../syntax/error-code.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { fileDiagnostic } from "../diagnostics.ts";
import type { FileFacts, FilePort } from "../file-system.ts";
import { maxFileSize, reasonOf, tooLarge } from "../yaml/decode-text.ts";

/**
 * A zone file that was read. Its name is relative to the directory; an unreadable directory ends
 * with a slash.
 */
export type ReadFile = { readonly file: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly diagnostic: Diagnostic }
);

/** All zone files at one moment. */
export interface ZoneFileSet {
  /** The directory as it was given. */
  readonly directory: string;
  /** In the order of their names. */
  readonly files: readonly ReadFile[];
}

/** Whether files were found before below a directory, whose name ends with a slash. */
export type HadFiles = (directory: string) => boolean;

/** How often the files are read if they change meanwhile. */
const maxAttempts = 5;

/**
 * Finds and reads all zone files below `directory`, which may also be one file, as they are at one
 * moment: if something changes meanwhile, as in a checkout, it reads everything again. Returns a
 * diagnostic if nothing can be read.
 */
export async function readZoneFiles(
  directory: string,
  files: FilePort,
  hadFiles: HadFiles,
  signal: AbortSignal,
): Promise<ZoneFileSet | Diagnostic> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    signal.throwIfAborted();
    const set = await readOnce(directory, files, hadFiles, signal);
    if (set !== "changed") return set;
  }
  return fileDiagnostic(
    ".",
    "DIRECTORY_UNSETTLED",
    `the files changed during each of ${maxAttempts} attempts to read them`,
    "no action is needed if this passes: the next change triggers another attempt",
  );
}

async function readOnce(
  directory: string,
  port: FilePort,
  hadFiles: HadFiles,
  signal: AbortSignal,
): Promise<ZoneFileSet | Diagnostic | "changed"> {
  const before = await findFiles(directory, port, hadFiles, signal);
  if ("code" in before) return before;
  const files: ReadFile[] = [];
  for (const found of before.files) files.push(await readFound(found, port, signal));
  const after = await findFiles(directory, port, hadFiles, signal);
  if (!isDeepStrictEqual(before, after)) return "changed";
  return { directory: before.isFile ? path.dirname(directory) : directory, files };
}

async function readFound(found: FoundFile, port: FilePort, signal: AbortSignal): Promise<ReadFile> {
  const { file, real } = found;
  if ("diagnostic" in found) return { file, diagnostic: found.diagnostic };
  if (found.size > maxFileSize) return { file, diagnostic: tooLarge(file) };
  try {
    return { file, bytes: await port.read(real, maxFileSize + 1, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { file, diagnostic: unreadable(file, error, allowReading) };
  }
}

const allowReading = "let the program read it, or delete it";

/** A file or, with a slash at the end of its name, a directory cannot be read. */
function unreadable(name: string, error: unknown, remedy: string): Diagnostic {
  const [code, what] = name.endsWith("/")
    ? (["DIRECTORY_UNREADABLE", "directory"] as const)
    : (["FILE_UNREADABLE", "file"] as const);
  return fileDiagnostic(name, code, `the ${what} cannot be read: ${reasonOf(error)}`, remedy);
}

/** A zone file before it is read. `identity` changes when the file is replaced or written. */
type FoundFile = { readonly file: string; readonly real: string } & (
  | { readonly size: number; readonly identity: string }
  | { readonly diagnostic: Diagnostic }
);

interface FoundFiles {
  readonly root: string;
  /** Whether the path is one file. */
  readonly isFile: boolean;
  readonly files: readonly FoundFile[];
}

async function findFiles(
  directory: string,
  port: FilePort,
  hadFiles: HadFiles,
  signal: AbortSignal,
): Promise<FoundFiles | Diagnostic> {
  try {
    const root = await port.realpath(directory);
    const { kind, size, identity } = await port.facts(root);
    if (kind === "file") {
      const files = [{ file: path.basename(directory), real: root, size, identity }];
      return { root: path.dirname(root), isFile: true, files };
    }
    return { root, isFile: false, files: await filesBelow(root, port, hadFiles, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return fileDiagnostic(
      ".",
      "DIRECTORY_UNREADABLE",
      `the zone files cannot be read: ${reasonOf(error)}`,
      "check the path (`desired.path`, unless given on the command line); a missing directory is not treated as empty",
    );
  }
}

/** Follows links that stay inside of a directory, and visits nothing twice. */
async function filesBelow(
  root: string,
  port: FilePort,
  hadFiles: HadFiles,
  signal: AbortSignal,
): Promise<readonly FoundFile[]> {
  const files: FoundFile[] = [];
  const seen = new Set([root]);
  const report = (real: string, diagnostic: Diagnostic): void =>
    void files.push({ file: diagnostic.place.file, real, diagnostic });

  async function visit(directory: string, names: readonly string[], prefix: string): Promise<void> {
    for (const name of names.toSorted()) {
      signal.throwIfAborted();
      // Hidden: ".git", swap files of editors, and the version directories of a ConfigMap volume
      // ("..data").
      if (!name.startsWith(".")) await visitEntry(path.join(directory, name), prefix + name);
    }
  }

  async function visitEntry(at: string, file: string): Promise<void> {
    try {
      const real = await port.realpath(at);
      await visitTarget(real, file, await port.facts(real));
    } catch (error) {
      signal.throwIfAborted();
      const hadSome = hadFiles(`${file}/`);
      // A dangling link may be anything, such as a note: it is reported only if there were files
      // below it.
      if (!hadSome && !isZoneFile(file) && errorCode(error) === "ENOENT") return;
      const name = isZoneFile(file) && !hadSome ? file : `${file}/`;
      report(at, unreadable(name, error, "fix the link, or delete it"));
    }
  }

  async function visitTarget(
    real: string,
    file: string,
    { kind, size, identity }: FileFacts,
  ): Promise<void> {
    const isDirectory = kind === "directory";
    if (!isDirectory && !isZoneFile(file)) return;
    if (real !== root && !real.startsWith(root + path.sep)) {
      const name = isDirectory ? `${file}/` : file;
      const message = "the link leads out of the directory";
      const remedy = "replace the link with its target";
      report(real, fileDiagnostic(name, "FILE_OUTSIDE", message, remedy));
    } else if (!seen.has(real)) {
      seen.add(real);
      if (isDirectory) await visitDirectory(real, `${file}/`);
      else if (kind === "file") files.push({ file, real, size, identity });
      else {
        const message = "this is neither a file nor a directory";
        const remedy = "delete it, or give it a name that does not end in .yaml";
        report(real, fileDiagnostic(file, "FILE_NOT_REGULAR", message, remedy));
      }
    }
  }

  async function visitDirectory(real: string, prefix: string): Promise<void> {
    let names: readonly string[];
    try {
      names = await port.list(real);
    } catch (error) {
      report(real, unreadable(prefix, error, allowReading));
      return;
    }
    await visit(real, names, prefix);
  }

  await visit(root, await port.list(root), "");
  return files;
}

function isZoneFile(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}
