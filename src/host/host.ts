import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { createInterface } from "node:readline/promises";

import type { FilePort } from "../desired/file-system.ts";
import { nodeFiles } from "../desired/file-system.ts";
import { type HistoryStore, nodeHistoryStore } from "../telemetry/history/history-store.ts";
import type { Clock } from "../zone/ports.ts";
import { type NamedFiles, nodeNamedFiles } from "./named-files.ts";
import { systemClock } from "./system-clock.ts";

/** A stream that text is written to. */
export interface TextStream {
  write(text: string): unknown;
  /** Whether a person looks at it. */
  readonly isTTY: boolean;
}

/** Everything that the program takes from the machine it runs on, beside the network and what it was installed with. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly hostName: string;
  readonly nodeVersion: string;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly clock: Clock;
  readonly files: FilePort;
  readonly namedFiles: NamedFiles;
  readonly historyStore: (file: string) => HistoryStore;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** A name that no other run has. */
  readonly uniqueId: () => string;
  /** Calls back on each of the process's signals until the result is disposed. */
  readonly onSignal: (signal: NodeJS.Signals, listener: () => void) => Disposable;
  /** Asks a person; no, where nobody can answer. */
  readonly confirm: (question: string, signal: AbortSignal) => Promise<boolean>;
  /** Ends the process at once. */
  readonly exit: (code: number) => never;
}

/** The real thing. */
export function thisHost(): Host {
  process.stdout.on("error", endWithReader);
  return {
    env: process.env,
    directory: process.cwd(),
    hostName: hostname(),
    nodeVersion: process.versions.node,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    files: nodeFiles,
    namedFiles: nodeNamedFiles,
    historyStore: nodeHistoryStore,
    random: () => Math.random(),
    // A UUID is longer than its column, and put together of twenty pieces that stay with it: 700 bytes for every zone.
    uniqueId: () => randomBytes(8).toString("hex"),
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return { [Symbol.dispose]: () => process.off(signal, listener) };
    },
    confirm: confirmOnTerminal,
    exit: (code) => process.exit(code),
  };
}

/** Who reads only the beginning (`| head`) has seen enough: no fault, and nothing more to say. */
function endWithReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
  process.exit();
}

async function confirmOnTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** Whether to colour what goes to a stream: `NO_COLOR` and `FORCE_COLOR` decide before the terminal does. */
export function hasColor(host: Host, stream: TextStream): boolean {
  const { NO_COLOR, FORCE_COLOR } = host.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0") return true;
  return stream.isTTY && host.env["TERM"] !== "dumb";
}
