import {
  type SyntaxDiagnosticFacts,
  error,
  expressionCodes,
  warning,
} from "./expression/expression-codes.ts";

/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

/** An error or warning about a CSP value or a filter expression. */
export interface SyntaxDiagnostic extends Span {
  /** Stable, a key of {@link syntaxDiagnosticCodes}. */
  readonly code: SyntaxDiagnosticCode;
  readonly severity: "error" | "warning";
  /** One sentence: what is wrong. */
  readonly message: string;
  /** One sentence: what to write instead; "" if there is nothing to add. */
  readonly remedy: string;
}

/** A diagnostic at `span`; the table of codes has its severity. */
export function diagnostic(
  code: SyntaxDiagnosticCode,
  span: Span,
  message: string,
  remedy: string,
): SyntaxDiagnostic {
  const { severity } = syntaxDiagnosticCodes[code];
  return { code, severity, message, remedy, offset: span.offset, length: span.length };
}

/** Whether the service is expected to refuse a text with this warning: a newer one may not. */
export function isRefused({ code }: Pick<SyntaxDiagnostic, "code">): boolean {
  return "refused" in syntaxDiagnosticCodes[code];
}

export function inTextOrder(diagnostics: readonly SyntaxDiagnostic[]): readonly SyntaxDiagnostic[] {
  return diagnostics.toSorted((a, b) => a.offset - b.offset || a.length - b.length);
}

export type SyntaxDiagnosticCode = keyof typeof syntaxDiagnosticCodes;

/** The codes of this module. They are stable, their texts may change. */
export const syntaxDiagnosticCodes = {
  CSP_EMPTY: error("the value has no directive", ";"),
  CSP_BAD_ENTRY: error("an entry of a map is empty or contains a semicolon", "'self'; style-src *"),
  CSP_COMMA: error(
    "a comma separates whole policies, not sources",
    "script-src a.example, b.example",
  ),
  CSP_INVALID_CHARACTER: error("an invalid character", "img-src bücher.example"),
  CSP_UNKNOWN_DIRECTIVE: error("a directive that does not exist", "scrip-src 'self'"),
  CSP_UNSUPPORTED_DIRECTIVE: error("a directive that the service rejects", "report-uri /csp"),
  CSP_REPEATED_DIRECTIVE: error(
    "a directive is repeated; browsers use the first only",
    "img-src 'self'; img-src data:",
  ),
  CSP_EMPTY_DIRECTIVE: error("a source list without a source", "script-src"),
  CSP_UNEXPECTED_VALUE: error("a directive without a value has one", "upgrade-insecure-requests 1"),
  CSP_NONCE: error(
    "nonces are not supported by the service",
    "script-src 'nonce-4AEemGb0xJptoIGFP3Nd'",
  ),
  CSP_NONE_NOT_ALONE: error("browsers ignore 'none' beside other sources", "img-src 'none' data:"),
  CSP_MISPLACED_WILDCARD: error("a wildcard inside a host", "script-src cdn.*.example.com"),
  CSP_UNKNOWN_KEYWORD: error("a quoted word that is not a keyword", "script-src 'sefl'"),
  CSP_INVALID_SOURCE: error("a source that browsers ignore", "script-src //cdn.example.com"),
  CSP_MISSING_SEMICOLON: error("a directive among sources", "script-src 'self' style-src 'self'"),
  CSP_SEVERAL_LINES: warning(
    "the value is folded to one line",
    "default-src 'self';\nimg-src data: 'self'",
  ),
  CSP_UNQUOTED_KEYWORD: warning("a keyword without quotes is a host", "script-src self 'self'"),
  CSP_SCHEME_WITHOUT_COLON: warning(
    "a scheme without its colon is a host",
    "script-src 'self' https",
  ),
  CSP_BAD_PORT: warning("a port that does not exist", "script-src 'self' a.example:99999"),
  CSP_UNDOCUMENTED_KEYWORD: warning(
    "an undocumented keyword",
    "script-src 'self' 'strict-dynamic'",
  ),
  CSP_MALFORMED_HASH: warning(
    "a hash that does not have the length of its algorithm",
    "script-src 'self' 'sha256-x'",
  ),
  CSP_UNSAFE_INLINE: warning("inline code is allowed", "script-src 'self' 'unsafe-inline'"),
  CSP_UNSAFE_EVAL: warning("code from strings is allowed", "script-src 'self' 'unsafe-eval'"),
  CSP_BARE_SCHEME: warning("every host is allowed by its scheme", "script-src 'self' https:"),
  CSP_ANY_HOST: warning("every host is allowed", "script-src 'self' *"),
  CSP_INSECURE_SOURCE: warning("an unencrypted source", "img-src 'self' http://img.example.com"),
  CSP_NO_SELF: warning("the page's own origin is not allowed", "script-src cdn.example.com"),
  CSP_SHADOWED_SOURCE: warning(
    "a redundant source",
    "script-src 'self' *.example.com cdn.example.com",
  ),
  CSP_DUPLICATE_SOURCE: warning("a source is repeated", "script-src 'self' a.example A.example"),
  CSP_WILDCARD_IN_PATH: warning("a * in a path", "script-src 'self' https://a.example/js/*"),
  CSP_QUERY_IN_PATH: warning(
    "a query or fragment in a source, which browsers ignore",
    "script-src 'self' https://a.example/x.js?v=1",
  ),
  ...expressionCodes,
} as const satisfies Readonly<Record<string, SyntaxDiagnosticFacts>>;
