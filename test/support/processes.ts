import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { builtMain, caches } from "./built-main.ts";
import { close, listenOnLoopback } from "./loopback.ts";

/** The entry file of the program. */
export const main: string = builtMain();

/** A process that runs until it is disposed. */
export interface Running extends AsyncDisposable {
  readonly pid: number | undefined;
  /** Its exit code, once it has ended; `null` where a signal killed it. */
  readonly exited: Promise<number | null>;
  readonly output: () => string;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Ends it with a signal and gives its exit code; `null` where the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Running {
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: options.cwd,
      // The processes share their compiled code, and write none into their directories.
      XDG_CACHE_HOME: caches,
      ...options.env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (piece: Buffer) => {
      output += piece.toString();
    });
  }
  const exited = once(child, "exit").then(() => child.exitCode);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return exited;
  };
  return {
    pid: child.pid,
    exited,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    end,
    [Symbol.asyncDispose]: async () => {
      await end("SIGKILL");
    },
  };
}

/** The daemon as a process, and its address. */
export interface Daemon extends Running {
  readonly address: string;
}

/** Starts `zonewarden run` in a directory with a configuration, and waits until it listens. */
export async function startDaemon(
  directory: string,
  env: Readonly<Record<string, string>> = {},
  program = main,
): Promise<Daemon> {
  const running = startProgram(process.execPath, [program, "run"], {
    cwd: directory,
    env: { ZONEWARDEN_API_TOKEN: "emulator-token", ...env },
  });
  return { ...running, address: await addressOf(running) };
}

/** The address of a daemon, once it listens. */
export async function addressOf({ output }: Running): Promise<string> {
  return await eventually("the daemon listens", () => {
    const [, found] = /"page":"([^"]+)\/"/.exec(output()) ?? [];
    return found;
  }).catch((cause: unknown) => {
    throw new Error(`the daemon did not start:\n${output()}`, { cause });
  });
}

const pollsPerSecond = 20;

/**
 * Polls until there is an answer. The limit only ends a test that hangs. It counts polls and no time: a machine may
 * suspend the process for longer, and what it waits for has not had its turn then.
 */
export async function eventually<T>(
  what: string,
  question: () => Promise<T | undefined> | T | undefined,
  seconds = 50,
): Promise<T> {
  for (let poll = 0; poll < seconds * pollsPerSecond; poll += 1) {
    const answer = await question();
    if (answer !== undefined) return answer;
    await sleep(1_000 / pollsPerSecond);
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

/** A free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOnLoopback(server);
  await close(server);
  return port;
}

/** Why tests that need a program are skipped, and how to install it; `undefined` where it is installed. */
export function missing(program: string, debianPackage: string): string | undefined {
  const { error } = spawnSync(program, ["--version"], { stdio: "ignore" });
  return error === undefined
    ? undefined
    : `${program} is not here: apt-get install --no-install-recommends ${debianPackage}`;
}
