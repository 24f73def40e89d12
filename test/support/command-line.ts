import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import type { Command } from "commander";

import { createProgram, runProgram } from "../../src/cli/program.ts";
import { nodeFiles } from "../../src/desired/file-system.ts";
import { sinceBootMs, systemClock } from "../../src/host/clock.ts";
import { commitLabel } from "../../src/host/commit-label.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { historyFile } from "../../src/memory/directory/history-file.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";

/** The result of a command. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory with files, and commands that run in it. */
export interface Workplace extends AsyncDisposable {
  readonly directory: string;
  write(file: string, text: string): Promise<void>;
  remove(file: string): Promise<void>;
  read(file: string): Promise<string>;
  /** Replaces a part of a file. Rejects if there is none. */
  edit(file: string, part: string | RegExp, text: string): Promise<void>;
  /** Runs a command to its end. */
  run(...args: readonly string[]): Promise<Ran>;
  /** Starts a command that keeps running, `run` for example. */
  start(...args: readonly string[]): Started;
}

/** A command that runs until a signal ends it. */
export interface Started {
  readonly stdout: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<Ran>;
}

/** Makes an empty directory for one test. `ports` replaces parts of the host. */
export async function workplace(
  env: Host["env"] = {},
  ports: Partial<Host> = {},
): Promise<Workplace> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-"));
  const start = (...args: readonly string[]): Started =>
    startIn(directory, { env, ...ports }, args);
  const read = (file: string): Promise<string> => readFile(path.join(directory, file), "utf8");
  const write = async (file: string, text: string): Promise<void> => {
    const target = path.join(directory, file);
    await mkdir(path.dirname(target), { recursive: true });
    // At once, as editors and git do: on a busy machine a daemon would read a file that is half written.
    const half = path.join(directory, `.half-written-${crypto.randomUUID()}`);
    await writeFile(half, text);
    await rename(half, target);
  };
  return {
    directory,
    write,
    remove: (file) => rm(path.join(directory, file), { recursive: true }),
    read,
    edit: async (file, part, text) => {
      const before = await read(file);
      const isThere = typeof part === "string" ? before.includes(part) : part.test(before);
      if (!isThere) throw new Error(`${file} has no ${part}`);
      await write(file, before.replace(part, text));
    },
    run: async (...args) => start(...args).ended,
    start,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** A host with real files and the real clock, without terminal, signals and environment. */
export function hostIn(directory: string, ports: Partial<Host> = {}): Host {
  return {
    env: {},
    directory,
    hostName: "here",
    stateDirectory: nodeStateDirectory,
    process: { pid: process.pid, hostName: "here", isRunning: () => true },
    nodeVersion: process.versions.node,
    stdout: { isTTY: false, write: () => true },
    stderr: { isTTY: false, write: () => true },
    clock: systemClock,
    sinceBootMs,
    files: nodeFiles,
    commitLabel,
    namedFiles: nodeNamedFiles,
    historyStore: historyFile,
    // Back-off has full jitter: this is the shortest.
    random: () => 0,
    uniqueId: () => crypto.randomUUID(),
    outputClosed: new AbortController().signal,
    onSignal: () => ({ [Symbol.dispose]: () => undefined }),
    isInteractive: false,
    confirm: () => Promise.resolve(false),
    ask: () => Promise.resolve(undefined),
    exit: (code) => {
      throw new Error(`exited with ${code}`);
    },
    ...ports,
  };
}

/** The command line with all its commands defined. */
export async function wholeProgram(): Promise<Command> {
  const host = hostIn("/");
  const { commands } = await createProgram([], host, () => undefined);
  const names = commands.map((command) => command.name());
  return createProgram(names, host, () => undefined);
}

function startIn(directory: string, ports: Partial<Host>, args: readonly string[]): Started {
  const out: string[] = [];
  const err: string[] = [];
  const listeners = new Map<string, Set<() => void>>();
  const host = hostIn(directory, {
    stdout: { isTTY: false, write: (text) => out.push(text) },
    stderr: { isTTY: false, write: (text) => err.push(text) },
    onSignal: (name, listener) => {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return { [Symbol.dispose]: () => known.delete(listener) };
    },
    ...ports,
  });
  const ended = runProgram(args, host).then((code) => ({
    code,
    stdout: out.join(""),
    stderr: err.join(""),
  }));
  return {
    stdout: () => out.join(""),
    signal: (name) => {
      for (const listener of listeners.get(name) ?? []) listener();
    },
    ended,
  };
}
