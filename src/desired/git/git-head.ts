import path from "node:path";

import type { FilePort } from "../file-system.ts";

/** The commit that is checked out, and where its objects are. */
export interface GitHead {
  /** 40 or 64 hexadecimal digits. */
  readonly commit: string;
  /** Directory of the objects of the repository. */
  readonly objects: string;
}

/** The trimmed text of a file; `undefined` if it cannot be read, for whatever reason. */
type ReadText = (file: string) => Promise<string | undefined>;

/** `packed-refs` of a large repository has a few megabytes. */
const maxSize = 16 * 1024 * 1024;

/** What Git's own files say is checked out; `undefined` where they do not say it. Nothing of it is verified. */
export async function headOf(
  dotGit: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<GitHead | undefined> {
  const read: ReadText = async (file) => {
    try {
      return new TextDecoder().decode(await files.read(file, maxSize, signal)).trim();
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };
  // In a worktree, `.git` is a file with the path of the directory.
  const target = /^gitdir: (.+)$/.exec((await read(dotGit)) ?? "")?.[1];
  const git = target === undefined ? dotGit : path.resolve(path.dirname(dotGit), target);
  const shared = path.resolve(git, (await read(path.join(git, "commondir"))) ?? "");
  const head = (await read(path.join(git, "HEAD"))) ?? "";
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  const commit = reference === undefined ? head : await resolved(shared, reference, read);
  return isObjectId(commit) ? { commit, objects: path.join(shared, "objects") } : undefined;
}

/** A branch is in a file of its own or in `packed-refs`; for a worktree, in the common directory. "": it is nowhere. */
async function resolved(shared: string, reference: string, read: ReadText): Promise<string> {
  const branch = (await read(path.join(shared, reference))) ?? "";
  if (isObjectId(branch)) return branch;
  const packed = await read(path.join(shared, "packed-refs"));
  const line = packed?.split("\n").find((entry) => entry.endsWith(` ${reference}`));
  return line?.split(" ", 1)[0] ?? "";
}

function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
