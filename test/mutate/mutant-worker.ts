import { readFileSync } from "node:fs";
import path from "node:path";

import { BaseSequencer, createVitest, type TestSpecification } from "vitest/node";

import { mutated, mutationsOf } from "./mutations.ts";
import { filesOfTests } from "./region-map.ts";

/** A mutant to try: which mutation of which file, and the files of tests that run it, in the order of their turns. */
export interface Order {
  /** Relative to the root. */
  readonly file: string;
  readonly nth: number;
  readonly tests: readonly string[];
}

/** A file of tests has ended; or all have, and these noticed the mutant. */
export type Progress = { readonly ended: string } | { readonly killers: readonly string[] };

const root = path.resolve(import.meta.dirname, "../..");

class InTheOrderGiven extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files);
  }
}

/**
 * A process that keeps vitest warm and tries one mutant after the other. Nothing on the disk is changed: the text is
 * mutated when it is loaded. Programs that tests start as processes of their own are not mutated.
 */
async function work(): Promise<void> {
  let active: { readonly file: string; readonly text: string } | undefined;
  // Of this run: the result of a run also holds files that failed with an earlier mutant and did not run again.
  let failed: string[] = [];
  const vitest = await createVitest(
    "test",
    {
      root,
      include: [filesOfTests],
      watch: false,
      // The first failing test is enough. With one worker nothing else has begun then.
      bail: 1,
      maxWorkers: 1,
      sequence: { sequencer: InTheOrderGiven },
      reporters: [
        {
          onTestModuleEnd: (each) => {
            if (!each.ok()) failed.push(each.relativeModuleId);
            process.send?.({ ended: each.relativeModuleId } satisfies Progress);
          },
        },
      ],
      testTimeout: 60_000,
      // With its cache of modules, vitest would never load the mutated text.
      fsModuleCache: false,
    },
    {
      plugins: [
        {
          name: "mutant",
          enforce: "pre",
          load: (id) => (id === active?.file ? active.text : undefined),
        },
      ],
    },
  );
  const killersAmong = async (tests: readonly string[]): Promise<readonly string[]> => {
    const project = vitest.getRootProject();
    const specifications = tests.map((test) => project.createSpecification(path.join(root, test)));
    failed = [];
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    return unhandledErrors.length > 0 ? [...failed, "an error outside of the tests"] : failed;
  };
  // The process that sends orders was ended.
  process.on("disconnect", () => process.exit());
  process.on("message", ({ file, nth, tests }: Order) => {
    const full = path.join(root, file);
    const text = readFileSync(full, "utf8");
    const mutation = mutationsOf(text)[nth];
    active = mutation && { file: full, text: mutated(text, mutation) };
    vitest.invalidateFile(full);
    void (async () => {
      const killers = await killersAmong(tests);
      active = undefined;
      vitest.invalidateFile(full);
      process.send?.({ killers } satisfies Progress);
    })();
  });
}

await work();
