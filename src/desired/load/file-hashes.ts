import { byText } from "../../syntax/by-text.ts";
import { sha256 } from "../../syntax/digest.ts";

/**
 * A file, and what tells its content from others; of one that could not be read, the code of its
 * diagnostic.
 */
export interface HashedFile {
  readonly file: string;
  readonly hash: string;
}

/**
 * Depends on names relative to the directory and on contents alone: not on their order, their times
 * or their place.
 */
export function hashOfFiles(files: readonly HashedFile[]): string {
  const inOrder = files.toSorted(byText(({ file }) => file));
  return sha256(inOrder.map(({ file, hash }) => `${file}\0${hash}\n`).join(""));
}

/** The files that could be read, with the hash of their bytes. */
export function contentsOf(files: readonly HashedFile[]): readonly HashedFile[] {
  return files
    .filter(({ hash }) => /^[0-9a-f]{64}$/.test(hash))
    .map(({ file, hash }) => ({ file, hash }));
}
