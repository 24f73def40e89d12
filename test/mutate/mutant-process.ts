import { type ChildProcess, fork } from "node:child_process";
import path from "node:path";

import type { Order, Progress } from "./mutant-worker.ts";

/** A process that tries mutants. One that hangs is ended with all that it started, and another takes its place. */
export class MutantProcess implements Disposable {
  #child: ChildProcess | undefined;

  /** The tests that notice a mutant. If no file of tests ends for some seconds, they do: it may loop for ever. */
  async try(order: Order, seconds: number): Promise<readonly string[]> {
    const child = (this.#child ??= this.#start());
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    const limit = setTimeout(() => resolve(["the time limit"]), seconds * 1_000);
    const hear = (progress: Progress): void => {
      limit.refresh();
      if ("killers" in progress) resolve(progress.killers);
    };
    const fail = (): void => reject(new Error("the process that tries mutants has ended"));
    child.on("message", hear).once("exit", fail);
    child.send(order);
    const killers = await promise;
    clearTimeout(limit);
    child.off("message", hear).off("exit", fail);
    if (killers.includes("the time limit")) this[Symbol.dispose]();
    return killers;
  }

  [Symbol.dispose](): void {
    const { pid } = this.#child ?? {};
    this.#child = undefined;
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  }

  #start(): ChildProcess {
    return fork(path.join(import.meta.dirname, "mutant-worker.ts"), [], {
      // Its own process group: vitest starts processes that may not listen any more.
      detached: true,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
  }
}
