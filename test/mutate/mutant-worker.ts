import { readFileSync } from "node:fs";
import path from "node:path";

import { createVitest, type TestSpecification } from "vitest/node";

import { mutated, mutationsOf } from "./mutations.ts";

/** A mutant to try: which mutation of which file, and the tests that should notice, the nearest first. */
export interface Order {
  /** Relative to the root. */
  readonly file: string;
  readonly nth: number;
  readonly tests: readonly string[];
}

/** Whether the tests noticed the mutant. */
export interface Verdict {
  readonly isKilled: boolean;
}

const root = path.resolve(import.meta.dirname, "../..");

/**
 * A process that keeps vitest warm and tries one mutant after the other. Nothing on the disk is changed: the text is
 * mutated when it is loaded. Programs that tests start as processes of their own are not mutated.
 */
async function work(): Promise<void> {
  let active: { readonly file: string; readonly text: string } | undefined;
  const vitest = await createVitest(
    "test",
    // With its cache of modules, vitest would never load the mutated text.
    { root, watch: false, bail: 1, reporters: [{}], fsModuleCache: false },
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
  const isKilledBy = async (specifications: TestSpecification[]): Promise<boolean> => {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    return unhandledErrors.length > 0 || testModules.some((each) => !each.ok());
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
      let isKilled = false;
      for (const filter of tests) {
        const specifications = await vitest.globTestSpecifications([filter]);
        isKilled = specifications.length > 0 && (await isKilledBy(specifications));
        if (isKilled) break;
      }
      active = undefined;
      vitest.invalidateFile(full);
      process.send?.({ isKilled } satisfies Verdict);
    })();
  });
}

await work();
