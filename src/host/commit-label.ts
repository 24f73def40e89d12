import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";

import type { LabelledFiles } from "../desired/load/zone-file-loader.ts";
import { isZoneFile, listRevision, NoCheckoutError, type RevisionListing } from "./git-files.ts";

const unknown = "unknown";

/**
 * Git's name for the files that were read. A label for people, never an identity:
 *
 * - the commit that is checked out, if it has exactly these files;
 * - the commit with `-dirty`, if it has other files;
 * - if Git cannot be asked, the commit after which git-sync named the directory of its checkout. It
 *   is not compared with the files;
 * - `unknown`, if nothing tells the commit;
 * - `undefined`, if no directory around the files has a `.git`.
 */
export async function commitLabel(
  { place, isFile, files }: LabelledFiles,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const head = await listRevision(place, isFile, "HEAD", signal);
    const committed = head.entries.filter(({ file }) => !/(?:^|\/)\./.test(file));
    return labelOf({ ...head, entries: committed }, files);
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof NoCheckoutError ? undefined : nameByGitSync(await realpath(place));
  }
}

function labelOf({ commit, entries }: RevisionListing, files: LabelledFiles["files"]): string {
  const ids = new Map(entries.filter(isZoneFile).map(({ file, id }) => [file, id]));
  // The commit does not have the bytes of what a link or a submodule contains.
  const opaque = entries.filter(({ mode }) => !mode.startsWith("100")).map(({ file }) => file);
  const isOpaque = (file: string): boolean =>
    opaque.some((name) => file === name || file.startsWith(`${name}/`));
  if (files.some(({ file }) => isOpaque(file))) return unknown;
  const isSame =
    ids.size === files.length &&
    files.every(({ file, bytes }) => bytes && ids.get(file) === objectId(bytes, commit.length));
  return isSame ? commit : `${commit}-dirty`;
}

/** git-sync checks out each commit in a directory that is named after it. */
function nameByGitSync(place: string): string {
  return (
    place.split(path.sep).findLast((name) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)) ??
    unknown
  );
}

/** @param length of the ids of the repository: 40 for SHA-1, 64 for SHA-256. */
function objectId(content: Uint8Array, length: number): string {
  return createHash(length === 40 ? "sha1" : "sha256")
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest("hex");
}
