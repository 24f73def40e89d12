import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import type { Order, Verdict } from "./mutant-worker.ts";

/** A process that tries mutants. One that hangs is ended with all that it started, and another takes its place. */
export class MutantProcess implements Disposable {
  #child: ChildProcess | undefined;

  /** The tests that notice a mutant. If they do not end in time, they do: it may loop for ever. */
  async try(order: Order, seconds: number): Promise<readonly string[]> {
    const child = (this.#child ??= this.#start());
    const limit = AbortSignal.timeout(seconds * 1_000);
    try {
      child.send(order);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the worker sends nothing else
      const [verdict] = (await once(child, "message", { signal: limit })) as [Verdict];
      return verdict.killers;
    } catch (error) {
      if (!limit.aborted) throw error;
      this[Symbol.dispose]();
      return ["the time limit"];
    }
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
