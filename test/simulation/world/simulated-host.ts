import type { Host } from "../../../src/host/host.ts";
import type { MemoryDisk } from "../../support/memory-files.ts";
import { token } from "../stories.ts";
import type { ProcessFiles, Life } from "./process-files.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** What the surroundings of all processes are. */
export interface Surroundings {
  readonly time: SimulatedTime;
  readonly disk: MemoryDisk;
  readonly random: () => number;
  /** Whether a process of this id runs now. */
  readonly isRunning: (pid: number) => boolean;
}

/** A process as its host sees it. */
export interface HostedProcess extends Life {
  readonly pid: number;
  readonly files: ProcessFiles;
}

export const baseUrl = "http://service.test/client/v4";

const ignore = (): void => undefined;

/**
 * The host of one process: its clock, its files, its signals.
 *
 * @param terminated is called with what SIGTERM calls.
 */
export function simulatedHost(
  { time, disk, random, isRunning }: Surroundings,
  process: HostedProcess,
  terminated: (listener: () => void) => void = ignore,
): Host {
  const silent = { write: ignore, isTTY: false };
  let ids = 0;
  return {
    env: { ZONEWARDEN_API_TOKEN: token },
    directory: "/",
    hostName: "here",
    nodeVersion: "v24.0.0",
    stdout: silent,
    stderr: silent,
    clock: time.clockOf(process),
    sinceBootMs: () => time.elapsed,
    files: disk.port,
    commitLabel: () => Promise.resolve(undefined),
    namedFiles: {
      read: refuse,
      save: refuse,
      savePrivate: refuse,
      create: refuse,
      exists: refuse,
      checkWritable: refuse,
      makeDirectory: refuse,
      readPrivate: refuse,
      append: refuse,
      remove: refuse,
    },
    historyStore: () => process.files.historyFor(process),
    stateDirectory: () => process.files.stateFor(process),
    process: { pid: process.pid, hostName: "here", isRunning },
    random,
    uniqueId: () => `${process.pid}-${(ids += 1)}`,
    outputClosed: new AbortController().signal,
    onSignal: (signal, listener) => {
      if (signal === "SIGTERM") terminated(listener);
      return { [Symbol.dispose]: ignore };
    },
    isInteractive: false,
    confirm: () => Promise.resolve(false),
    ask: () => Promise.resolve(undefined),
    exit: (code) => {
      throw new Error(`exit ${code}`);
    },
  };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error("a simulated process has no such file"));
}
