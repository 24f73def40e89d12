import type { TermWork } from "../../src/daemon/leadership.ts";

/** The work of a term that leaves nothing behind. */
export function termWork(run: TermWork["run"]): TermWork {
  return { run, [Symbol.asyncDispose]: () => Promise.resolve() };
}
