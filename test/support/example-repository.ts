import { execFileSync } from "node:child_process";

import { type Example, exampleWithEmulator } from "./example.ts";

/** Runs Git in a directory, as somebody who may commit; returns what it prints. */
export function git(directory: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"];
  const options = { cwd: directory, stdio: "pipe", encoding: "utf8" } as const;
  return execFileSync("git", [...who, ...args], options).trim();
}

/** The example in a repository, with one commit. */
export async function exampleRepository(): Promise<Example> {
  const example = await exampleWithEmulator();
  const { directory } = example.place;
  git(directory, "init", "--initial-branch=main");
  git(directory, "add", ".");
  git(directory, "commit", "--message=base");
  return example;
}

/** How many zones were read. */
export function zonesRead({ emulator }: Example): number {
  const paths = emulator.journal().map(({ path }) => /\/zones\/([0-9a-f]{32})\//.exec(path)?.[1]);
  return new Set(paths.filter((id) => id !== undefined)).size;
}
