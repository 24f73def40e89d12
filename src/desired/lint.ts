import { globIgnoringCase } from "../syntax/glob.ts";
import type { Diagnostic } from "../zone/diagnostic.ts";

/** The level of a warning in the files that match a pattern. */
export interface LintRule {
  readonly code: string;
  /** Pattern of file names, relative to the directory of the zone files. */
  readonly files: string;
  readonly level: "off" | "warning" | "error";
}

/** Drops warnings, or makes them errors. */
export type Lint = (diagnostics: readonly Diagnostic[]) => readonly Diagnostic[];

/** Of several rules that match a diagnostic, the last one counts. Errors stay as they are. */
export function lintOf(rules: readonly LintRule[]): Lint {
  if (rules.length === 0) return (diagnostics) => diagnostics;
  const byCode = Map.groupBy(
    rules.toReversed().map((rule) => ({ ...rule, matches: globIgnoringCase(rule.files) })),
    ({ code }) => code,
  );
  return (diagnostics) =>
    diagnostics.flatMap((diagnostic) => {
      const { code, severity, place } = diagnostic;
      const rule = byCode.get(code)?.find(({ matches }) => matches(place.file));
      if (rule === undefined || severity === "error") return [diagnostic];
      return rule.level === "off" ? [] : [{ ...diagnostic, severity: rule.level }];
    });
}
