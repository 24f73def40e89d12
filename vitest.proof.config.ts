import { globSync, readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";

/** `npm test` tries these with fewer cases (test/support/properties.ts). */
const properties = globSync("test/**/*.test.ts").filter((file) =>
  readFileSync(file, "utf8").includes("support/properties.ts"),
);

/** What takes long or needs programs of the system: real processes, a real Prometheus, a real browser, many cases. */
export default defineConfig({
  test: {
    include: ["test/proof/**/*.proof.ts", ...properties],
    env: { PROPERTY_CASES_FACTOR: "10" },
    setupFiles: ["test/support/node-version.ts", "test/support/properties.ts"],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
