import path from "node:path";

import type { FilePort } from "../file-system.ts";

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
  for (let directory = root; ; directory = path.dirname(directory)) {
    const commit = await commitAt(directory, files, signal);
    if (commit !== undefined) return commit;
    if (isCommit(path.basename(directory))) return path.basename(directory);
    if (directory === path.dirname(directory)) return undefined;
  }
}

async function commitAt(
  directory: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  const git = await gitDirectory(path.join(directory, ".git"), files, signal);
  const head = git === undefined ? undefined : await textAt(path.join(git, "HEAD"), files, signal);
  if (git === undefined || head === undefined) return undefined;
  if (isCommit(head)) return head;
  const reference = /^ref: (?<name>refs\/[^\s]+)$/.exec(head)?.groups?.["name"];
  return reference === undefined ? undefined : resolved(git, reference, files, signal);
}

/** In a worktree, `.git` is a file with the path of the directory. */
async function gitDirectory(
  place: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  const pointer = await textAt(place, files, signal);
  if (pointer === undefined) {
    return (await isDirectory(place, files)) ? place : undefined;
  }
  const target = /^gitdir: (?<target>.+)$/.exec(pointer)?.groups?.["target"];
  return target === undefined ? undefined : path.resolve(path.dirname(place), target);
}

/** A branch is in a file of its own or in `packed-refs`; for a worktree, in the common directory. */
async function resolved(
  git: string,
  reference: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  const common = await textAt(path.join(git, "commondir"), files, signal);
  const shared = common === undefined ? git : path.resolve(git, common);
  const branch = await textAt(path.join(shared, reference), files, signal);
  if (branch !== undefined && isCommit(branch)) return branch;
  const packed = await textAt(path.join(shared, "packed-refs"), files, signal);
  const line = packed?.split("\n").find((entry) => entry.endsWith(` ${reference}`));
  const commit = line?.split(" ", 1)[0] ?? "";
  return isCommit(commit) ? commit : undefined;
}

async function isDirectory(place: string, files: FilePort): Promise<boolean> {
  try {
    return (await files.facts(place)).kind === "directory";
  } catch {
    return false;
  }
}

/** The trimmed text of a file; `undefined` if it cannot be read, for whatever reason. */
async function textAt(
  place: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(place, maxSize, signal)).trim();
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** `packed-refs` of a large repository has a few megabytes. */
const maxSize = 16 * 1024 * 1024;

function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
