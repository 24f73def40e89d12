import path from "node:path";

import type { FilePort } from "../file-system.ts";

/** The trimmed text of a file; `undefined` if it cannot be read, for whatever reason. */
type ReadText = (file: string) => Promise<string | undefined>;

/** `packed-refs` of a large repository has a few megabytes. */
const maxSize = 16 * 1024 * 1024;

/**
 * The Git commit of a directory, read from Git's own files; `undefined` where there is none.
 *
 * git-sync names its checkouts after their commit, so the resolved path also tells it if Git's files are missing.
 */
export async function commitOf(
  root: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read: ReadText = async (file) => {
    try {
      return new TextDecoder().decode(await files.read(file, maxSize, signal)).trim();
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  };
  for (let directory = root; ; directory = path.dirname(directory)) {
    const commit = await commitAt(path.join(directory, ".git"), read);
    if (commit !== undefined) return commit;
    if (isCommit(path.basename(directory))) return path.basename(directory);
    if (directory === path.dirname(directory)) return undefined;
  }
}

async function commitAt(dotGit: string, read: ReadText): Promise<string | undefined> {
  // In a worktree, `.git` is a file with the path of the directory.
  const target = /^gitdir: (.+)$/.exec((await read(dotGit)) ?? "")?.[1];
  const git = target === undefined ? dotGit : path.resolve(path.dirname(dotGit), target);
  const head = (await read(path.join(git, "HEAD"))) ?? "";
  if (isCommit(head)) return head;
  const reference = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  return reference === undefined ? undefined : resolved(git, reference, read);
}

/** A branch is in a file of its own or in `packed-refs`; for a worktree, in the common directory. */
async function resolved(
  git: string,
  reference: string,
  read: ReadText,
): Promise<string | undefined> {
  const shared = path.resolve(git, (await read(path.join(git, "commondir"))) ?? "");
  const branch = (await read(path.join(shared, reference))) ?? "";
  if (isCommit(branch)) return branch;
  const packed = await read(path.join(shared, "packed-refs"));
  const line = packed?.split("\n").find((entry) => entry.endsWith(` ${reference}`));
  const commit = line?.split(" ", 1)[0] ?? "";
  return isCommit(commit) ? commit : undefined;
}

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
