import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/node-version.ts", "test/support/walk.ts"],
    testTimeout: 20_000,
  },
});
