import { execFile } from "node:child_process";
import path from "node:path";

import { errorCode } from "../syntax/error-code.ts";

/** Files of a Git revision, by their paths relative to a directory. */
export interface RevisionFiles {
  /** The commit that the reference names. */
  readonly commit: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Why the files of a revision cannot be read, for people. */
export class GitError extends Error {}

/**
 * Reads the YAML files below a directory, or the one file, as a revision has them. Starts `git`, which neither writes nor runs
 * hooks. Throws a {@link GitError} where there is no Git, no repository or no such revision.
 */
export async function filesOfRevision(
  place: string,
  isFile: boolean,
  reference: string,
  signal: AbortSignal,
): Promise<RevisionFiles> {
  const directory = isFile ? path.dirname(place) : place;
  const git = (args: readonly string[], input = ""): Promise<Buffer> =>
    run(directory, args, input, signal);
  if (reference === "" || reference.startsWith("-")) {
    throw new GitError(`"${reference}" is not a Git revision`);
  }
  await git(["rev-parse", "--is-inside-work-tree"]);
  const wanted = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${reference}^{commit}`];
  const commit = await git(wanted).then(
    (output) => output.toString().trim(),
    (error: unknown) => {
      if (error instanceof GitError && error.message === "") {
        throw new GitError(`the repository has no revision "${reference}": fetch it first`);
      }
      throw error;
    },
  );
  // Without --full-tree, names are relative to the directory, and others are left out.
  const listing = await git(["ls-tree", "-r", "-z", commit, ...(isFile ? [place] : [])]);
  const blobs = listing.toString().split("\0").flatMap(blobIn);
  const contents = await git(["cat-file", "--batch"], blobs.map(({ id }) => `${id}\n`).join(""));
  return { commit, files: contentsOf(blobs, contents) };
}

interface Blob {
  readonly file: string;
  readonly id: string;
}

/** A regular file that ends in .yaml or .yml: a link or a submodule has another mode. */
function blobIn(line: string): readonly Blob[] {
  const groups = /^100\d{3} blob (?<id>[0-9a-f]+)\t(?<file>.+\.ya?ml)$/is.exec(line)?.groups;
  return groups === undefined ? [] : [{ file: groups["file"] ?? "", id: groups["id"] ?? "" }];
}

/** The output of `cat-file --batch`: for each blob a line with its size, its bytes and a line end. */
function contentsOf(blobs: readonly Blob[], output: Buffer): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let at = 0;
  for (const { file } of blobs) {
    const lineEnd = output.indexOf("\n", at);
    const size = Number(output.toString("latin1", at, lineEnd).split(" ").at(-1));
    files.set(file, output.subarray(lineEnd + 1, lineEnd + 1 + size));
    at = lineEnd + 1 + size + 1;
  }
  return files;
}

const maxOutput = 512 * 1024 * 1024;

function run(
  directory: string,
  args: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const safe = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-C", directory, ...args];
  return new Promise((resolve, reject) => {
    const env = withoutRepository(process.env);
    const options = { encoding: "buffer", maxBuffer: maxOutput, signal, env } as const;
    const child = execFile("git", safe, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (signal.aborted) reject(error);
      else reject(new GitError(reasonOf(error, stderr)));
    });
    child.stdin?.on("error", () => undefined).end(input);
  });
}

/**
 * In a hook, Git may name its repository and not where its files begin: it would then take any directory for their root. From
 * the directory alone it finds both.
 */
function withoutRepository(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env["GIT_WORK_TREE"] === undefined ? { ...env, GIT_DIR: undefined } : env;
}

/** "" where `git` says nothing. */
function reasonOf(error: Error, stderr: Buffer): string {
  if (errorCode(error) === "ENOENT") return "the program `git` is not there";
  return stderr.toString().trim().split("\n")[0] ?? "";
}
