import path from "node:path";

import type { Host } from "../../host/host.ts";

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
