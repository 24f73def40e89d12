import { describe, it } from "vitest";

import { loadConfig } from "../../src/desired/config/load-config.ts";
import { cronError } from "../../src/reconcile/schedule/schedule.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { problemLine } from "../support/problem-line.ts";

async function load(text: string, signal: AbortSignal) {
  const disk = memoryFiles({ "/zonewarden.yaml": `mode: observe\n${text}\n` });
  return loadConfig("/zonewarden.yaml", { files: disk.port, cronError }, signal);
}

describe("the configuration of measurements", () => {
  it.for([
    { line: "", maxAgeMs: undefined },
    { line: "store: { path: state }\nmeasurements: {}", maxAgeMs: 35 * 24 * 3_600_000 },
    {
      line: "store: { postgres: { url_env: A } }\nmeasurements: { max_age: 240h }",
      maxAgeMs: 10 * 24 * 3_600_000,
    },
  ])("$line keeps counts for $maxAgeMs ms", async ({ line, maxAgeMs }, { expect, signal }) => {
    const { config } = await load(line, signal);
    expect(config?.measurements?.maxAgeMs).toBe(maxAgeMs);
  });

  it.for([
    { line: "measurements: {}", says: "set store.path or store.postgres" },
    { line: "measurements: { max_age: 1h }", says: "write a duration of at least 48h" },
    { line: "store: { path: a }\nmeasurements: { max_age: 24h }", says: "at least 48h" },
    { line: "store: { path: a }\nmeasurements: true", says: "expected a map, found true" },
  ])("rejects $line", async ({ line, says }, { expect, signal }) => {
    const { config, diagnostics } = await load(line, signal);
    expect(config).toBe(undefined);
    const texts = diagnostics.map((diagnostic) => problemLine(diagnostic, ""));
    expect(texts.join("\n")).toContain(says);
  });
});
