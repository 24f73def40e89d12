import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "../support/processes.ts";

/** A control group with a limit of memory: what Kubernetes makes of `limits.memory`. */
export interface MemoryGroup extends AsyncDisposable {
  /** The file into which a process writes its id to enter. */
  readonly procs: string;
  /** How many processes were killed for want of memory. */
  readonly kills: () => number;
}

const version1 = "/sys/fs/cgroup/memory";
const version2 = "/sys/fs/cgroup";

/** Makes a group with a limit in MiB; gives why where this machine allows none. */
export function memoryGroup(mebibytes: number): MemoryGroup | string {
  const isFirst = existsSync(path.join(version1, "memory.limit_in_bytes"));
  const parent = isFirst ? version1 : version2;
  const directory = path.join(parent, `zonewarden-proof-${process.pid}`);
  try {
    if (!isFirst) writeFileSync(path.join(parent, "cgroup.subtree_control"), "+memory");
    mkdirSync(directory);
    const limit = isFirst ? "memory.limit_in_bytes" : "memory.max";
    writeFileSync(path.join(directory, limit), String(mebibytes * 2 ** 20));
  } catch (error) {
    return `no control group with a limit of memory can be made here: ${String(error)}`;
  }
  const events = path.join(directory, isFirst ? "memory.oom_control" : "memory.events");
  return {
    procs: path.join(directory, "cgroup.procs"),
    kills: () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(events, "utf8"))?.[1]),
    [Symbol.asyncDispose]: async () => {
      // A process that was just killed is in it for a moment longer.
      await eventually("the group is empty", () => {
        try {
          rmdirSync(directory);
          return true;
        } catch {
          return undefined;
        }
      });
    },
  };
}
