import { syntaxDiagnosticCodes } from "./finding-codes.ts";
import type { SyntaxDiagnosticCode } from "./finding-codes.ts";

export { syntaxDiagnosticCodes };
export type { SyntaxDiagnosticCode };

/** Where in a text: UTF-16 units from its beginning, and how many of them. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A mistake inside a CSP value or a filter expression. */
export interface SyntaxDiagnostic extends Span {
  /** Stable, a key of {@link syntaxDiagnosticCodes}. */
  readonly code: SyntaxDiagnosticCode;
  readonly severity: "error" | "warning";
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what would be right; "" where there is nothing to add. */
  readonly remedy: string;
}

/** A finding of `code` at `span`, as severe as the table of codes says. */
export function finding(
  code: SyntaxDiagnosticCode,
  span: Span,
  message: string,
  remedy: string,
): SyntaxDiagnostic {
  const { severity } = syntaxDiagnosticCodes[code];
  return { code, severity, message, remedy, offset: span.offset, length: span.length };
}

/** Findings in the order in which a reader meets them. */
export function inTextOrder(findings: readonly SyntaxDiagnostic[]): readonly SyntaxDiagnostic[] {
  return findings.toSorted((a, b) => a.offset - b.offset || a.length - b.length);
}
