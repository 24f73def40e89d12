import { defineConfig } from "vitest/config";

/** What takes long or needs programs of the system: real processes, a real Prometheus, a real browser, many cases. */
export default defineConfig({
  test: {
    include: [
      "test/proof/**/*.proof.ts",
      // Properties: `npm test` tries them with a tenth of the cases.
      "test/plan/laws*.test.ts",
      "test/desired/{import-law,fuzz,extract-profile,watch-zone-files}.test.ts",
      "test/syntax/*-{fuzz,meaning}.test.ts",
      "test/{syntax/glob,impact/ruleset-impact,emulator/any-input,cli/import}.test.ts",
    ],
    env: { PROPERTY_CASES_FACTOR: "10" },
    setupFiles: ["test/support/node-version.ts", "test/support/properties.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
