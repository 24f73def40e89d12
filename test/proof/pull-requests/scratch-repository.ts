import { spawn, spawnSync } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import path from "node:path";

import type { Ran } from "../../support/command-line.ts";
import { type Example, exampleWithEmulator } from "../../support/example.ts";

const root = path.resolve(import.meta.dirname, "../../..");

/** A Git repository with the zone files of the example: `main` is its base, and `change` is checked out. */
export interface Scratch extends Example {
  readonly directory: string;
  /** Runs Git in it; gives what it prints. */
  readonly git: (...args: readonly string[]) => string;
  /** Runs a script of bash as runners do: it ends at the first error. */
  readonly bash: (script: string, env: Readonly<Record<string, string>>) => Promise<Ran>;
  /** A directory with `zonewarden`, for PATH. */
  readonly bin: string;
}

/** Makes the repository, beside an emulator. */
export async function scratchRepository(): Promise<Scratch> {
  const example = await exampleWithEmulator();
  const { place } = example;
  const { directory } = place;
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("git", ["-C", directory, ...args], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], HOME: directory, ...author },
    });
    if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "zones", "zonewarden.yaml");
  git("commit", "--quiet", "--message", "Base");
  git("update-ref", "refs/remotes/origin/main", "main");
  git("checkout", "--quiet", "-b", "change");
  const bin = path.join(directory, ".git/bin");
  await mkdir(bin);
  await place.write(
    ".git/bin/zonewarden",
    `#!/bin/sh\nexec "${process.execPath}" "${root}/src/main.ts" "$@"\n`,
  );
  await chmod(path.join(bin, "zonewarden"), 0o755);
  return {
    ...example,
    directory,
    git,
    bin,
    bash: (script, env) => runBash(script, directory, env),
  };
}

const author = {
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@b.example",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@b.example",
};

async function runBash(
  script: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const flags = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
  const child = spawn("bash", flags, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const pieces = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (pieces.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (pieces.stderr += text));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code: code ?? 1, ...pieces };
}
