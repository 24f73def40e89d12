import { parentPort } from "node:worker_threads";

import { plantedBugs } from "./planted-bugs.ts";
import { spoiled } from "./spoiled-program.ts";

/** What a bug led to: the invariant that does not hold, "" where all do. */
export interface Caught {
  readonly name: string;
  readonly invariant: string;
  readonly message: string;
}

for (const bug of plantedBugs) {
  const simulate = await spoiled(bug);
  const { violation } = await simulate({ store: "directory", ...bug });
  const caught: Caught = {
    name: bug.name,
    invariant: violation?.invariant ?? "",
    message: violation?.message ?? "",
  };
  parentPort?.postMessage(caught);
}
