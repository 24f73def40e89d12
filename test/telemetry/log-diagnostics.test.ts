import { expect, it } from "vitest";

import { logDiagnostics } from "../../src/telemetry/log/log-reports.ts";
import type { Diagnostic } from "../../src/zone/diagnostic.ts";
import { book } from "../support/log-book.ts";
import { diagnostic } from "../support/reports.ts";

function linesOf(diagnostics: readonly Diagnostic[]): readonly unknown[] {
  const { logger, lines } = book();
  logDiagnostics(logger, diagnostics);
  return lines();
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
