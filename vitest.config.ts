import { defineConfig } from "vitest/config";

import { startingWith } from "./test/support/longest-first.ts";

/** The slowest files. */
const slowest = ["commit-label", "adopt", "import", "watch-zone-files"];

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/node-version.ts", "test/support/properties.ts"],
    // No module is mocked, so the test files of one worker share what they import. To load it again for each file takes
    // 40 % of the processor time.
    isolate: false,
    // By default vitest leaves one core idle.
    maxWorkers: "100%",
    // A test makes much that it soon drops: collecting that less often takes a tenth less processor time.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: startingWith(slowest) },
    // Ends a test that hangs. It is far more than any test takes, also on a slow machine.
    testTimeout: 240_000,
  },
});
