import { findingCodes } from "./finding-codes.ts";
import type { FindingCode } from "./finding-codes.ts";

export { findingCodes };
export type { FindingCode };

/** Where in a text: UTF-16 units from its beginning, and how many of them. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** A mistake inside a CSP value or a filter expression. */
export interface Finding extends Span {
  /** Stable, a key of {@link findingCodes}. */
  readonly code: FindingCode;
  readonly severity: "error" | "warning";
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what would be right; "" where there is nothing to add. */
  readonly remedy: string;
}

/** A finding of `code` at `span`, as severe as the table of codes says. */
export function finding(code: FindingCode, span: Span, message: string, remedy: string): Finding {
  const { severity } = findingCodes[code];
  return { code, severity, message, remedy, offset: span.offset, length: span.length };
}

/** Findings in the order in which a reader meets them. */
export function inTextOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => a.offset - b.offset || a.length - b.length);
}
