import path from "node:path";

import type { Host } from "../../host/host.ts";
import { errorCode } from "../../syntax/error-code.ts";

/** A file to write; the name is relative to a directory, or absolute. */
export interface NewFile {
  readonly file: string;
  readonly text: string;
}

/** The names of those files that exist below a directory. A link counts, whatever it leads to. */
export async function existingOf(
  files: readonly string[],
  directory: string,
  { namedFiles }: Pick<Host, "namedFiles">,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    if (await namedFiles.exists(path.resolve(directory, file))) found.push(file);
  }
  return found;
}

/**
 * Writes a file, and makes the directories above it. Fails with `EEXIST` if it exists, unless it may be replaced.
 *
 * @param isPrivate only its owner may read and write it; a link that may be replaced is refused with `ELOOP`.
 */
export async function writeNew(
  { file, text }: NewFile,
  directory: string,
  { namedFiles }: Pick<Host, "namedFiles">,
  mayReplace: boolean,
  isPrivate = false,
): Promise<void> {
  const place = path.resolve(directory, file);
  await namedFiles.makeDirectory(path.dirname(place));
  if (!mayReplace) await namedFiles.create(place, text, isPrivate);
  else if (isPrivate) await namedFiles.savePrivate(place, text);
  else await namedFiles.save(place, text);
}

/** Writes a file that a command line names; prints the reason and returns `false` if it cannot be written. */
export async function isWritten(
  name: string,
  host: Host,
  write: (file: string) => Promise<void>,
): Promise<boolean> {
  try {
    await write(path.resolve(host.directory, name));
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "") throw error;
    host.stderr.write(`${name}: cannot be written (${code}); name another file\n`);
    return false;
  }
}

/** A path as the operator knows it: relative to the working directory where it is below it. */
export function shownPath(place: string, { directory }: Pick<Host, "directory">): string {
  const relative = path.relative(directory, place);
  return relative === "" || relative.startsWith("..") ? place : relative;
}
