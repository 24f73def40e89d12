import { expect, it } from "vitest";

import { logDiagnostics } from "../../src/telemetry/log/log-reports.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { diagnostic, start } from "../support/reports.ts";

function linesOf(diagnostics: readonly Diagnostic[]): readonly unknown[] {
  const written: string[] = [];
  const logger = createLogger({
    level: "debug",
    format: "json",
    color: false,
    destination: { write: (text) => written.push(text) },
    clock: { now: () => start },
    scrub: (line) => line,
  });
  logDiagnostics(logger, diagnostics);
  return written.map((line): unknown => JSON.parse(line));
}

it("logs a line for each error, and then one for each code of the warnings", () => {
  const warnings = ["a", "b", "c", "d", "e", "f", "g", "h", "a"].map((file) =>
    diagnostic({ severity: "warning", place: { file, line: 1, column: 1 } }),
  );
  expect(linesOf([...warnings, diagnostic()])).toMatchObject([
    {
      level: "error",
      msg: "file diagnostic",
      at: "shops.yaml:12:15",
      code: "SCHEMA_ENUM",
      diagnostic: '"blok" is no action of a policy.',
      remedy: 'Did you mean "log"?',
    },
    {
      level: "warn",
      msg: "file warnings",
      code: "SCHEMA_ENUM",
      count: 9,
      files: ["a", "b", "c", "d", "e"],
      more_files: 3,
    },
  ]);
});
