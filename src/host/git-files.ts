import { execFile } from "node:child_process";
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";

import { errorCode, ifExists } from "../syntax/error-code.ts";

/** What a path of a revision is. */
interface RevisionEntry {
  /** Relative to the directory. */
  readonly file: string;
  /** 100644 or 100755: a file; 120000: a link; 160000: a submodule. */
  readonly mode: string;
  /** Of the content: the hash of a Git object. */
  readonly id: string;
}

/** The paths of a Git revision, below a directory or the one file. */
export interface RevisionListing {
  /** The commit that the reference names. */
  readonly commit: string;
  readonly entries: readonly RevisionEntry[];
  readonly git: Git;
}

/** Runs `git` in the checkout, and returns its output. */
type Git = (args: readonly string[], input?: string) => Promise<Buffer>;

/** Why the files of a revision cannot be read, for people. */
export class GitError extends Error {}

/** No directory around the files has a `.git`. */
export class NoCheckoutError extends GitError {}

/**
 * Reads the YAML files below a directory, or the one file, as a revision has them: by their paths
 * relative to the directory. Throws as {@link listRevision}.
 */
export async function filesOfRevision(
  place: string,
  isFile: boolean,
  reference: string,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly files: ReadonlyMap<string, Uint8Array> }> {
  const { git, commit, entries } = await listRevision(place, isFile, reference, signal);
  const blobs = entries.filter(isZoneFile);
  const contents = await git(["cat-file", "--batch"], blobs.map(({ id }) => `${id}\n`).join(""));
  return { commit, files: new Map(contentsOf(blobs, contents)) };
}

/** Whether it is a regular file that ends in .yaml or .yml. */
export function isZoneFile({ mode, file }: RevisionEntry): boolean {
  return mode.startsWith("100") && /\.ya?ml$/i.test(file);
}

/**
 * Lists what a revision has below a directory, or the one file. Starts `git` in the checkout around
 * the files, in a way that no file below the directory configures it, and that it starts no program
 * and fetches nothing. Throws a {@link GitError} if there is no Git, no such checkout or no such
 * revision.
 */
export async function listRevision(
  place: string,
  isFile: boolean,
  reference: string,
  signal: AbortSignal,
): Promise<RevisionListing> {
  if (reference === "" || reference.startsWith("-")) {
    throw new GitError(`"${reference}" is not a Git revision`);
  }
  const real = await realpath(place);
  const top = await checkoutAround(real, isFile);
  const git: Git = (args, input = "") => run(top, args, input, signal);
  const found = (await git(["rev-parse", "--show-toplevel"])).toString().replace(/\n$/, "");
  if (found !== top) {
    const what = `Git takes ${found} for the top of the checkout, and ${top} has its .git`;
    throw new GitError(`${what}: unset core.worktree in the configuration of the repository`);
  }
  const wanted = ["rev-parse", "--verify", "--end-of-options", `${reference}^{commit}`];
  const commit = await git(wanted).then(
    (output) => output.toString().trim(),
    (error: unknown) => {
      if (error instanceof GitError && error.message === "fatal: Needed a single revision") {
        throw new GitError(`the repository has no revision "${reference}": fetch it first`);
      }
      throw error;
    },
  );
  const below = path.relative(top, real).split(path.sep).join("/");
  const prefix = isFile ? below.slice(0, below.lastIndexOf("/") + 1) : `${below}/`;
  const listing = await git(["ls-tree", "-r", "-z", commit, "--", isFile ? below : prefix]);
  const entries = listing.toString().split("\0").flatMap(entryIn);
  const relative = (file: string): string =>
    isFile ? path.basename(place) : file.slice(prefix.length);
  return { git, commit, entries: entries.map((it) => ({ ...it, file: relative(it.file) })) };
}

/**
 * The closest directory with a `.git` around a file or a directory. Whoever may write zone files
 * can make a repository of their directory, with a configuration and a history of their choice: it
 * is not one to ask.
 */
async function checkoutAround(place: string, isFile: boolean): Promise<string> {
  for (let at = isFile ? path.dirname(place) : place; ; at = path.dirname(at)) {
    const [dotGit, head, objects, common] = await Promise.all(
      [".git", "HEAD", "objects", "commondir"].map((name) => ifExists(lstat(path.join(at, name)))),
    );
    if (head !== undefined && (objects ?? common) !== undefined) {
      const remedy = `remove HEAD and ${objects === undefined ? "commondir" : "objects"} from it`;
      throw new GitError(`${at} looks like a Git repository by itself: ${remedy}`);
    }
    if (dotGit !== undefined) {
      if (at !== place) return at;
      const remedy = "remove its .git, or move the zone files to a directory of a checkout";
      throw new GitError(`the directory of the zone files is a Git repository: ${remedy}`);
    }
    if (at === path.dirname(at)) {
      throw new NoCheckoutError(`not a Git repository: no directory around ${place} has a .git`);
    }
  }
}

function entryIn(line: string): readonly RevisionEntry[] {
  const groups = /^(?<mode>\d+) \w+ (?<id>[0-9a-f]+)\t(?<file>.+)$/s.exec(line)?.groups;
  const { mode = "", id = "", file = "" } = groups ?? {};
  return groups === undefined ? [] : [{ mode, id, file }];
}

/**
 * The output of `cat-file --batch`: for each blob a line with its size, its bytes and a line end.
 */
function contentsOf(
  blobs: readonly RevisionEntry[],
  output: Buffer,
): readonly (readonly [file: string, bytes: Uint8Array])[] {
  let at = 0;
  return blobs.map(({ file }) => {
    const lineEnd = output.indexOf("\n", at);
    const size = / blob (?<size>\d+)$/.exec(output.toString("latin1", at, lineEnd))?.groups?.[
      "size"
    ];
    if (size === undefined) throw new GitError(partialClone);
    const bytes = output.subarray(lineEnd + 1, lineEnd + 1 + Number(size));
    at = lineEnd + 1 + bytes.length + 1;
    return [file, bytes] as const;
  });
}

const partialClone =
  "the repository lacks files of the revision, as a clone with --filter does: clone it without --filter";

const maxOutput = 512 * 1024 * 1024;

/** What no repository may change: Git takes the command line before each file. */
const safeOptions = [
  "--no-pager",
  "-c",
  "safe.bareRepository=explicit",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.warnAmbiguousRefs=true",
  "-c",
  "protocol.allow=never",
];

const safeEnvironment = {
  GIT_NO_LAZY_FETCH: "1",
  // A version of Git without lazy fetches to switch off fetches nothing: `protocol.X.allow` of a
  // file would go before `protocol.allow`, and nothing goes before this.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
};

/**
 * Where Git is, and which settings its user trusts. Git gets nothing else: no token, no other
 * repository.
 */
const inherited = [
  "PATH",
  "HOME",
  "XDG_CONFIG_HOME",
  "SUDO_UID",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
];

function run(
  top: string,
  args: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const env = {
    ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
    ...safeEnvironment,
    GIT_CEILING_DIRECTORIES: path.dirname(top),
  };
  const options = { encoding: "buffer", maxBuffer: maxOutput, signal, env } as const;
  return new Promise((resolve, reject) => {
    const child = execFile("git", [...safeOptions, "-C", top, ...args], options, (...result) => {
      const [error, stdout, stderr] = result;
      const ambiguous = /refname '(?<name>.*)' is ambiguous/.exec(stderr.toString())?.groups?.[
        "name"
      ];
      if (ambiguous !== undefined) reject(new GitError(ambiguousText(ambiguous)));
      else if (error === null) resolve(stdout);
      else if (signal.aborted) reject(error);
      else reject(new GitError(reasonOf(error, stderr)));
    });
    child.stdin?.on("error", () => undefined).end(input);
  });
}

/**
 * Whoever may push a tag or a branch could name it as the base of a comparison, and Git would take
 * the tag.
 */
function ambiguousText(name: string): string {
  return `the name ${name} is ambiguous: give the whole name, as refs/remotes/origin/main, or remove the other tag or branch`;
}

/** "" if `git` says nothing. */
function reasonOf(error: Error, stderr: Buffer): string {
  if (errorCode(error) === "ENOENT") return "the program `git` is not there";
  const [first = "", ...more] = stderr.toString().trim().split("\n");
  const lacks = /promisor|lazy fetching disabled|transport '.*' not allowed/;
  if (lacks.test(stderr.toString())) return partialClone;
  const remedy = more.find((line) => line.startsWith("\tgit config "));
  return remedy === undefined ? first : `${first}: ${remedy.trim()}`;
}
