import { Worker } from "node:worker_threads";

import { describe, it } from "vitest";

import type { Caught } from "../simulation/bugs/bug-worker.ts";
import { plantedBugs } from "../simulation/bugs/planted-bugs.ts";
import { simulate } from "../simulation/simulation.ts";

/** Plants each bug in turn. A thread of its own loads the program, since it is loaded with other texts. */
async function catchAll(): Promise<readonly Caught[]> {
  const caught: Caught[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const worker = new Worker(new URL("../simulation/bugs/bug-worker.ts", import.meta.url));
  worker.on("message", (each: Caught) => caught.push(each));
  worker.on("error", reject);
  worker.on("exit", () => resolve());
  await promise;
  return caught;
}

describe("planted bugs", () => {
  it("are at least 25, each with a name of its own", ({ expect }) => {
    expect(new Set(plantedBugs.map(({ name }) => name)).size).toBe(plantedBugs.length);
    expect(plantedBugs.length).toBeGreaterThanOrEqual(25);
  });

  it("are caught, each by its invariant", async ({ expect }) => {
    const caught = await catchAll();
    expect(caught.map(({ name, invariant }) => ({ name, invariant }))).toEqual(
      plantedBugs.map(({ name, invariant }) => ({ name, invariant })),
    );
  });

  it("are not caught where they are not planted", async ({ expect }) => {
    for (const bug of plantedBugs) {
      const { violation } = await simulate({ store: "directory", ...bug });
      expect(violation, bug.name).toBeUndefined();
    }
  });
});
