import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { runTool } from "./commands.ts";

/** A commit, exported: what a release is made of. Nothing else of the checkout is. */
export interface Source {
  readonly directory: string;
  readonly commit: string;
  /** Of its package.json. */
  readonly version: string;
  /** When it was committed, in seconds: the time of every file of the release. */
  readonly epoch: number;
}

/** Exports a revision of the repository that contains `root` into a directory, and installs the packages of its lock file. */
export function exportSource(root: string, revision: string, directory: string): Source {
  const git = (...args: readonly string[]): string => runTool("git", args, { cwd: root }).trim();
  const commit = git("rev-parse", `${revision}^{commit}`);
  const archive = path.join(directory, "source.tar");
  const source = path.join(directory, "source");
  mkdirSync(source);
  // Without the umask, the mode of a file would depend on the settings of git.
  git("-c", "tar.umask=0022", "archive", `--output=${archive}`, commit);
  runTool("tar", ["--extract", `--file=${archive}`, `--directory=${source}`]);
  runTool("npm", ["ci", "--prefer-offline"], { cwd: source });
  const manifest: unknown = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  return {
    directory: source,
    commit,
    version: coerceText(coerceObject(manifest)["version"]),
    epoch: Number(git("log", "-1", "--format=%ct", commit)),
  };
}
