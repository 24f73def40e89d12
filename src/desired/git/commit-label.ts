import path from "node:path";

import type { FilePort } from "../file-system.ts";
import { type GitHead, headOf } from "./git-head.ts";
import { GitObjects, objectId } from "./git-objects.ts";

/** A zone file as it was read, with its name relative to the directory. */
export interface LabelledFile {
  readonly file: string;
  /** `undefined`: it could not be read. */
  readonly bytes: Uint8Array | undefined;
}

/** The files of which a commit is claimed. */
export interface LabelledFiles {
  /** The directory with links resolved. */
  readonly root: string;
  readonly files: readonly LabelledFile[];
  /** Whether the path names one file: then others in its directory do not count. */
  readonly isFile: boolean;
}

/**
 * Git's name for the files that were read. A label for people, never an identity:
 *
 * - the commit that is checked out, where its tree holds exactly these files;
 * - the commit with `-dirty`, where its tree holds other files;
 * - `unknown`, where the repository does not prove either, for example because its objects are not readable;
 * - `undefined` where there is no repository.
 *
 * Nothing that a repository claims is believed: the commit's tree is followed by hash down to the files.
 */
export class CommitLabel {
  #last: { readonly basis: string; readonly label: string } | undefined;

  /** @param hash of the files: while it and the commit stay the same, so does a label that was proved. */
  async of(
    read: LabelledFiles,
    hash: string,
    port: FilePort,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const home = await repositoryOf(read.root, port, signal);
    if (home === undefined) return undefined;
    const head = await headOf(path.join(home, ".git"), port, signal);
    if (head === undefined) return unknown;
    const basis = [home, head.commit, read.root, hash].join("\0");
    if (this.#last?.basis === basis) return this.#last.label;
    const label = await provenLabel(head, path.relative(home, read.root), read, port, signal);
    this.#last = label === unknown ? undefined : { basis, label };
    return label;
  }
}

const unknown = "unknown";

async function provenLabel(
  { commit: id, objects: directory }: GitHead,
  below: string,
  read: LabelledFiles,
  port: FilePort,
  signal: AbortSignal,
): Promise<string> {
  const objects = new GitObjects(directory, port, signal);
  const commit = await objects.read("commit", id);
  const tree = /^tree ([0-9a-f]+)\n/.exec(commit?.toString("latin1") ?? "")?.[1];
  if (tree === undefined) return unknown;
  const committed = new CommittedFiles(objects);
  if (!(await committed.addBelow(tree, below))) return unknown;
  if (read.files.some(({ file }) => committed.isOpaque(file))) return unknown;
  return isSame(committed.files, read, id.length) ? id : `${id}-dirty`;
}

/** The closest directory with a `.git`, valid or not: a repository around it does not count its files. */
async function repositoryOf(
  root: string,
  port: FilePort,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let directory = root; ; directory = path.dirname(directory)) {
    try {
      await port.facts(await port.realpath(path.join(directory, ".git")));
      return directory;
    } catch {
      signal.throwIfAborted();
      if (directory === path.dirname(directory)) return undefined;
    }
  }
}

function isSame(
  committed: ReadonlyMap<string, string>,
  { files, isFile }: LabelledFiles,
  idLength: number,
): boolean {
  if (!isFile && committed.size !== files.length) return false;
  return files.every(
    ({ file, bytes }) =>
      bytes !== undefined &&
      committed.get(file) === objectId({ type: "blob", content: bytes }, idLength),
  );
}

interface TreeEntry {
  readonly mode: string;
  readonly name: string;
  readonly id: string;
}

/** More directories than this are not followed. */
const maxTrees = 10_000;

/** The zone files below one directory of a commit, found as the files themselves are found. */
class CommittedFiles {
  /** The id of each file's content, by its name relative to the directory. */
  readonly files = new Map<string, string>();
  /** Links and submodules: the commit does not hold the bytes of what is below them. */
  readonly #opaque: string[] = [];
  readonly #objects: GitObjects;
  #trees = 0;

  constructor(objects: GitObjects) {
    this.#objects = objects;
  }

  /** Whether a file is, or lies below, something whose bytes the commit does not hold. */
  isOpaque(file: string): boolean {
    return this.#opaque.some((name) => file === name || file.startsWith(`${name}/`));
  }

  /** Adds the files of a directory of the tree; `false` where the repository does not tell them. */
  async addBelow(tree: string, directory: string): Promise<boolean> {
    const [name = "", ...rest] = directory.split(path.sep);
    if (name === "") return this.#addAll(tree, "");
    const entries = await this.#entriesOf(tree);
    if (entries === undefined) return false;
    const found = entries.find((entry) => entry.name === name);
    // A directory that is not in the commit has no committed files.
    if (found === undefined) return true;
    return found.mode === directoryMode && this.addBelow(found.id, rest.join(path.sep));
  }

  async #addAll(tree: string, prefix: string): Promise<boolean> {
    const entries = await this.#entriesOf(tree);
    if (entries === undefined) return false;
    for (const { mode, name, id } of entries) {
      if (name.startsWith(".")) continue;
      if (mode === directoryMode) {
        if (!(await this.#addAll(id, `${prefix}${name}/`))) return false;
      } else if (!mode.startsWith(fileMode)) this.#opaque.push(prefix + name);
      else if (/\.ya?ml$/i.test(name)) this.files.set(prefix + name, id);
    }
    return true;
  }

  async #entriesOf(tree: string): Promise<readonly TreeEntry[] | undefined> {
    this.#trees += 1;
    if (this.#trees > maxTrees) return undefined;
    const content = await this.#objects.read("tree", tree);
    return content === undefined ? undefined : entriesIn(content, tree.length / 2);
  }
}

const directoryMode = "40000";
/** Of a file, executable or not. */
const fileMode = "100";

/**
 * The entries of a tree; `undefined` where it is malformed.
 *
 * @param width of an id in bytes.
 */
function entriesIn(tree: Buffer, width: number): readonly TreeEntry[] | undefined {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(" ", at);
    const end = tree.indexOf(0, at);
    if (space < 0 || end < space || end + width >= tree.length) return undefined;
    entries.push({
      mode: tree.toString("latin1", at, space),
      name: tree.toString("utf8", space + 1, end),
      id: tree.toString("hex", end + 1, end + 1 + width),
    });
    at = end + 1 + width;
  }
  return entries;
}
