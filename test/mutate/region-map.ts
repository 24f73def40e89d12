import { readFileSync } from "node:fs";
import path from "node:path";

import { createVitest } from "vitest/node";

import { withCounters } from "./regions.ts";

/** What stands in the folder of a room finds its mutants: tests, and proofs that `npm test` does not run. */
export const filesOfTests = "test/**/*.{test,proof}.ts";

/** A file of tests, and what it runs of the mutated module. */
export interface TestFile {
  /** Relative to the root. */
  readonly file: string;
  readonly ms: number;
  readonly regions: ReadonlySet<string>;
}

/** Runs all tests below the paths once, each file in a process of its own, and notes which regions of the sources ran. */
export async function mapRegions(
  root: string,
  sources: readonly string[],
  tests: readonly string[],
): Promise<readonly TestFile[]> {
  const counted = new Map(sources.map((file) => [path.join(root, file), file]));
  const vitest = await createVitest(
    "test",
    {
      root,
      include: [filesOfTests],
      watch: false,
      isolate: true,
      reporters: [{}],
      fsModuleCache: false,
      setupFiles: [path.join(import.meta.dirname, "count-regions.ts")],
    },
    {
      plugins: [
        {
          name: "counters",
          enforce: "pre",
          load: (id) => {
            const file = counted.get(id);
            return file === undefined ? undefined : withCounters(readFileSync(id, "utf8"), file);
          },
        },
      ],
    },
  );
  try {
    const found = await Promise.all(tests.map((filter) => vitest.globTestSpecifications([filter])));
    const specifications = [...new Map(found.flat().map((each) => [each.moduleId, each])).values()];
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const failed = testModules.filter((each) => !each.ok()).map((each) => each.relativeModuleId);
    if (failed.length > 0 || unhandledErrors.length > 0) {
      throw new Error(`these tests fail without any mutant: ${failed.join(", ")}`);
    }
    return testModules.map((each) => {
      const { collectDuration, duration } = each.diagnostic();
      const regions = new Set(each.meta().regions);
      return { file: each.relativeModuleId, ms: collectDuration + duration, regions };
    });
  } finally {
    await vitest.close();
  }
}
