import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { codeBlocksOf } from "./code-blocks.ts";

/** What a walk along the quick start left behind. */
export interface Walk extends AsyncDisposable {
  readonly code: number;
  /** What all commands printed, in order. */
  readonly shown: string;
  /** The directory in which it began. */
  readonly directory: string;
}

/** What a test runs in the place of a line of the document. */
export type Instead = Readonly<Record<string, string>>;

/**
 * Runs every script of the quick start, or of another document, as one script of bash, with real processes, in an empty directory. Only the address of the
 * emulator differs from the document, and the lines that the test replaces, each of which the document must have.
 */
export function walkQuickStart(
  port: number,
  instead: Instead,
  searchPath: string,
  document = "docs/quick-start.md",
): Promise<Walk> {
  return walk(linesOf(document, instead), port, searchPath);
}

/** The lines of all scripts of a document, with some replaced. Throws if the document does not have one of those. */
export function linesOf(document: string, instead: Instead = {}): readonly string[] {
  const blocks = codeBlocksOf(document).filter(({ language }) => language === "sh");
  const lines = blocks.flatMap(({ text }) => text.split("\n"));
  const missing = Object.keys(instead).filter((line) => !lines.includes(line));
  if (missing.length > 0) throw new Error(`${document} has no line ${missing.join(", ")}`);
  return lines.map((line) => instead[line] ?? line);
}

/** The line of a document that begins so. */
export function lineOf(document: string, beginning: string): string {
  const line = linesOf(document).find((each) => each.startsWith(beginning));
  if (line === undefined) throw new Error(`${document} has no line ${beginning}`);
  return line;
}

/** Runs lines of documents as one script of bash, in an empty directory. Only the address of the emulator is another. */
export async function walk(
  lines: readonly string[],
  port: number,
  searchPath: string,
): Promise<Walk> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-"));
  const commands = lines.map((line) => scriptLine(line, port));
  // `zonewarden` is an alias, as in the shell of a person.
  const script = ["shopt -s expand_aliases", ...commands].join("\n");
  const child = spawn("bash", ["--noprofile", "--norc", "-ec", script], {
    cwd: directory,
    env: {
      PATH: searchPath,
      HOME: directory,
      GIT_AUTHOR_NAME: "A",
      GIT_AUTHOR_EMAIL: "a@b.example",
      GIT_COMMITTER_NAME: "A",
      GIT_COMMITTER_EMAIL: "a@b.example",
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that nothing of it outlives the test.
    detached: true,
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
  }
  const code = await new Promise<number>((resolve) => child.on("exit", (end) => resolve(end ?? 1)));
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  } catch {
    // All of it has ended.
  }
  const dispose = (): Promise<void> => rm(directory, { recursive: true, force: true });
  return { code, shown, directory, [Symbol.asyncDispose]: dispose };
}

/** A line as the script has it: the exit code that its comment promises is the only one that it may end with. */
function scriptLine(line: string, port: number): string {
  const address = `127.0.0.1:${port}`;
  const [, promised] = /# exits with (\d)/.exec(line) ?? [];
  const command = line
    .replaceAll("127.0.0.1:8787", address)
    .replace(/--emulator(?= |$)/, `--emulator ${address}`)
    .replace(
      "zonewarden emulate &",
      `zonewarden emulate --listen ${address} &\n${untilItListens(address)}`,
    );
  if (promised === undefined) return command;
  return `code=0; ${command.replace(/#.*/, "")} || code=$?; [ "$code" -eq ${promised} ]`;
}

/** A person reads the next step meanwhile. */
function untilItListens(address: string): string {
  return `until curl --silent --output /dev/null http://${address}/_emulator/; do sleep 0.1; done`;
}
