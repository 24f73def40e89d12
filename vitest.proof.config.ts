import { globSync, readFileSync } from "node:fs";

import { defineConfig } from "vitest/config";

import { startingWith } from "./test/support/longest-first.ts";

/** `npm test` tries these with fewer cases (test/support/properties.ts). */
const properties = globSync("test/**/*.test.ts").filter((file) =>
  readFileSync(file, "utf8").includes("support/properties.ts"),
);

/** What these measure would be wrong beside another test: ratios of processor time. */
const measured = ["mass-mistakes", "speed", "twice-as-large"].map(
  (name) => `test/proof/${name}.proof.ts`,
);

const shared = {
  env: { PROPERTY_CASES_FACTOR: "1" },
  setupFiles: ["test/support/node-version.ts", "test/support/properties.ts"],
  testTimeout: 600_000,
  hookTimeout: 240_000,
};

/** What takes long or needs programs of the system: real processes, a real Prometheus, a real browser, many cases. */
export default defineConfig({
  test: {
    // One more than the cores of CI: some proofs wait for most of their time, for a Lease or a database that is stopped.
    maxWorkers: 3,
    sequence: {
      // The first two compile programs in Go.
      sequencer: startingWith([
        "apiserver",
        "release",
        "cluster",
        "two-replicas",
        "first-hour",
        "imported-fleets",
        "csp-browser",
        "quick-start",
      ]),
    },
    projects: [
      {
        test: {
          ...shared,
          name: "proof",
          include: ["test/**/*.proof.ts"],
          exclude: measured,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "properties",
          include: properties,
          // As in vitest.config.ts.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "measured",
          include: measured,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
