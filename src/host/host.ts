import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { createInterface } from "node:readline/promises";

import { type FilePort, nodeFiles } from "../desired/file-system.ts";
import type { ZoneFileLoaderOptions } from "../desired/load/zone-file-loader.ts";
import type { HistoryStore } from "../history/file/history-store.ts";
import { historyFile } from "../memory/directory/history-file.ts";
import { nodeStateDirectory, type StateDirectory } from "../memory/directory/state-directory.ts";
import type { LockPorts } from "../memory/directory/state-lock.ts";
import { errorCode } from "../syntax/error-code.ts";
import type { Clock } from "../zone/ports.ts";
import { sinceBootMs, systemClock } from "./clock.ts";
import { commitLabel } from "./commit-label.ts";
import { type NamedFiles, nodeNamedFiles } from "./named-files.ts";

export interface TextStream {
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY: boolean;
}

/** The process and its surroundings, without the network. A port: tests replace its parts. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly hostName: string;
  readonly nodeVersion: string;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** Aborts when nobody reads stdout any more, as after `| head`. */
  readonly outputClosed: AbortSignal;
  /** Where a command says what it is doing, and what it warns of; omitted: stderr. */
  readonly notes?: TextStream;
  readonly clock: Clock;
  /** Milliseconds since the machine started, suspensions included. */
  readonly sinceBootMs: () => number;
  readonly files: FilePort;
  /** Git's name for the zone files that were read. */
  readonly commitLabel: NonNullable<ZoneFileLoaderOptions["label"]>;
  readonly namedFiles: NamedFiles;
  readonly historyStore: (file: string) => HistoryStore;
  readonly stateDirectory: (directory: string) => StateDirectory;
  readonly process: LockPorts["process"];
  /** From 0 up to 1. */
  readonly random: () => number;
  /** A name for a run. */
  readonly uniqueId: () => string;
  /** Calls back on each of the process's signals until the result is disposed. */
  readonly onSignal: (signal: NodeJS.Signals, listener: () => void) => Disposable;
  /** Whether a person can be asked: input and messages are on a terminal. */
  readonly isInteractive: boolean;
  /** Asks a yes-or-no question on the terminal; `false` if there is no terminal. */
  readonly confirm: (question: string, signal: AbortSignal) => Promise<boolean>;
  /**
   * Asks on the terminal for a line; `undefined` if there is no terminal, or the person ends the
   * input.
   */
  readonly ask: (question: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** Where a command says what it is doing: its results and errors go elsewhere. */
export function notesOf({ stderr, notes = stderr }: Pick<Host, "stderr" | "notes">): TextStream {
  return notes;
}

/** The host of a command: with `--quiet`, one without notes. */
export function quietHost(host: Host, { quiet = false }: { readonly quiet?: boolean }): Host {
  return quiet ? { ...host, notes: { isTTY: false, write: () => true } } : host;
}

/** The exit codes of what is done or in sync, has changes, or is held. */
const notFailed: readonly number[] = [0, 2, 4];

/** The real process. */
export function thisHost(): Host {
  const closed = new AbortController();
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !closed.signal.aborted) {
      process.stderr.write(`zonewarden: the output is lost: ${error.message}\n`);
      process.on("exit", (code) => {
        process.exitCode = notFailed.includes(code) ? 1 : code;
      });
    }
    closed.abort();
  });
  process.stderr.on("error", () => undefined);
  return {
    env: process.env,
    directory: process.cwd(),
    hostName: hostname(),
    nodeVersion: process.versions.node,
    stdout: process.stdout,
    stderr: process.stderr,
    outputClosed: closed.signal,
    clock: systemClock,
    sinceBootMs,
    files: nodeFiles,
    commitLabel,
    namedFiles: nodeNamedFiles,
    historyStore: historyFile,
    stateDirectory: nodeStateDirectory,
    process: { pid: process.pid, hostName: hostname(), isRunning },
    random: () => Math.random(),
    // A UUID string costs 700 bytes per zone: V8 keeps the twenty pieces that it is joined from.
    uniqueId: () => randomBytes(8).toString("hex"),
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return { [Symbol.dispose]: () => process.off(signal, listener) };
    },
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    confirm: confirmOnTerminal,
    ask: askOnTerminal,
    exit: (code) => process.exit(code),
  };
}

/** Whether a process of this machine runs; one of another user counts too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  const answer = await askOnTerminal(`${question} [y/N] `, signal);
  return /^y(es)?$/i.test(answer?.trim() ?? "");
}

async function askOnTerminal(question: string, signal: AbortSignal): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question, { signal });
  } catch (error) {
    signal.throwIfAborted();
    // Ctrl-C and Ctrl-D reach the terminal as keys.
    if (error instanceof Error && error.name === "AbortError") return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

/** Whether to colour output: `NO_COLOR` and `FORCE_COLOR` take precedence over the terminal. */
export function hasColor(host: Pick<Host, "env">, stream: TextStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = host.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0") return true;
  return stream.isTTY && host.env["TERM"] !== "dumb";
}
