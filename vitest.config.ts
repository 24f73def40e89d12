import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, longest first: begun last, one of them would keep a single core busy at the end. */
const longest = [
  "plan/laws.test.ts",
  "plan/laws-over-sockets.test.ts",
  "desired/import-law.test.ts",
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
    setupFiles: ["test/support/node-version.ts", "test/support/walk.ts"],
    // Two cores, two workers: by default one of them would be left idle.
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    testTimeout: 20_000,
  },
});
