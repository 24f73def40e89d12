import { execFileSync } from "node:child_process";

import { type Example, exampleWithEmulator } from "./example.ts";

const settings = [
  "user.name=a",
  "user.email=a@a.example",
  "commit.gpgsign=false",
  "maintenance.auto=false",
].flatMap((setting) => ["-c", setting]);

/** Runs Git in a directory, as somebody who may commit; returns what it prints. */
export function git(directory: string, ...args: readonly string[]): string {
  const options = { cwd: directory, stdio: "pipe", encoding: "utf8" } as const;
  return execFileSync("git", [...settings, ...args], options).trim();
}

/** Commits these files, and makes the repository before where there is none. */
export function commitFiles(directory: string, files = "."): void {
  // One shell for all: a process of tests is large, and a child of it is dear.
  const script = `test -e .git || git init --template= --initial-branch=main
git add ${files}
git ${settings.join(" ")} commit --allow-empty --message=base`;
  execFileSync("sh", ["-ec", script], { cwd: directory, stdio: "pipe" });
}

/** The example in a repository, with one commit. */
export async function exampleRepository(): Promise<Example> {
  const example = await exampleWithEmulator();
  commitFiles(example.place.directory);
  return example;
}

/** How many zones were read. */
export function zonesRead({ emulator }: Example): number {
  const paths = emulator.journal().map(({ path }) => /\/zones\/([0-9a-f]{32})\//.exec(path)?.[1]);
  return new Set(paths.filter((id) => id !== undefined)).size;
}
