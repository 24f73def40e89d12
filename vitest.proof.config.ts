import { defineConfig } from "vitest/config";

/** What takes long or needs programs of the system: real processes, a real Prometheus, a real browser. */
export default defineConfig({
  test: {
    include: ["test/proof/**/*.proof.ts"],
    setupFiles: ["test/support/node-version.ts", "test/support/walk.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
