import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The slowest files start first: started last, one of them would keep a single core busy at the end. */
const longest = [
  "simulation/simulation.test.ts",
  "daemon/cluster.test.ts",

  "deploy/manifests.test.ts",
  "desired/watch-zone-files.test.ts",
  "plan/laws.test.ts",
  "docs/examples.test.ts",
  "cli/hostile-repository.test.ts",
  "host/shutdown.test.ts",
  "history/history-file.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = longest.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/node-version.ts", "test/support/properties.ts"],
    // No module is mocked, so the test files of one worker share what they import. To load it again for each file takes
    // 40 % of the processor time.
    isolate: false,
    // By default vitest leaves one core idle.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    // Ends a test that hangs. It is far more than any test takes, also on a slow machine.
    testTimeout: 240_000,
  },
});
