/** What is known of a code. */
export interface SyntaxDiagnosticFacts {
  readonly severity: "error" | "warning";
  /** One line. */
  readonly meaning: string;
  /** A text with this diagnostic; for CSP_BAD_ENTRY, the entry. */
  readonly example: string;
  /**
   * Whether the service is expected to refuse the text, though it is only a warning here: it may be
   * newer.
   */
  readonly refused?: true;
}

/** A mistake: the text cannot be used. */
export function error(meaning: string, example: string): SyntaxDiagnosticFacts {
  return { severity: "error", meaning, example };
}

/** A doubt: the text is used. */
export function warning(meaning: string, example: string): SyntaxDiagnosticFacts {
  return { severity: "warning", meaning, example };
}

/** A warning about what the service is expected to refuse; a newer one may take it. */
function refused(meaning: string, example: string): SyntaxDiagnosticFacts {
  return { ...warning(meaning, example), refused: true };
}

/** The codes of expressions. They are stable, their texts may change. */
export const expressionCodes = {
  EXPR_EMPTY: error("the expression is empty", " "),
  EXPR_TOO_LONG: error(
    "over 4096 characters",
    `http.host in {${' "shop.example.com"'.repeat(228)}}`,
  ),
  EXPR_TOO_DEEP: error("over 128 levels of nesting", `${"(".repeat(129)}ssl${")".repeat(129)}`),
  EXPR_BAD_SPACE: error("white space other than space and line end", "ssl\tand true"),
  EXPR_UNEXPECTED: error("something else was expected here", "http.host eq"),
  EXPR_TRAILING: error("text after the end of the expression", 'http.host eq "a.example" ssl'),
  EXPR_UNCLOSED: error("a bracket or brace is not closed", '(http.host eq "a.example"'),
  EXPR_UNCLOSED_STRING: error("a string is not closed", 'http.host eq "a.example'),
  EXPR_SINGLE_QUOTES: error("a string in single quotes", "http.host eq 'a.example'"),
  EXPR_BAD_ESCAPE: error("an escape that does not exist", 'http.host eq "a\\.example"'),
  EXPR_BAD_RAW_STRING: error("a raw string with an invalid opening", 'http.host eq r#a"'),
  EXPR_UNKNOWN_OPERATOR: error("an operator that does not exist", 'http.host equals "a.example"'),
  EXPR_MISSING_OPERATOR: error("a field that is not boolean without a comparison", "http.host"),
  EXPR_BAD_NUMBER: error("an invalid number", "cf.threat_score gt 089"),
  EXPR_BAD_ADDRESS: error("an invalid IP address or network", "ip.src eq 10.0.0.256"),
  EXPR_BAD_RANGE: error("a range whose end is before its start", "cf.threat_score in {9..1}"),
  EXPR_BAD_LIST_NAME: error("an invalid list name", "ip.src in $Office"),
  EXPR_SET_COMMA: error("a comma between members of a set", 'http.host in {"a", "b"}'),
  EXPR_DOUBLE_STAR: error("a wildcard pattern with **", 'http.host wildcard "**.example"'),
  EXPR_BAD_WILDCARD: error("an invalid escape in a wildcard pattern", 'http.host wildcard r"a\\b"'),
  EXPR_BAD_REGEX: error("an unsupported regular expression", 'http.host matches "^(?!www)"'),
  EXPR_MANY_REGEXES: refused(
    "more than 64 regular expressions",
    Array.from({ length: 65 }, () => 'http.host ~ "a"').join(" or "),
  ),
  EXPR_UNKNOWN_FIELD: refused("an unknown field", 'http.hots eq "a.example"'),
  EXPR_UNKNOWN_FUNCTION: refused("an unknown function", 'lowr(http.host) eq "a"'),
  EXPR_TYPE_MISMATCH: error("a field is compared with a value of another type", "http.host eq 1"),
  EXPR_UNQUOTED: error("a text without quotes", "http.host eq shop.example.com"),
  EXPR_BAD_BYTES: error("an invalid byte text", "http.host eq 61:6"),
  EXPR_HOST_BITS: error("a network that does not start with its address", "ip.src in {10.0.0.1/8}"),
  EXPR_BAD_INDEX: error("an index that the value does not have", 'http.host[0] eq "a"'),
  EXPR_LIST_CONDITION: error(
    "a condition on each element outside of any() and all()",
    'http.request.headers.names[*] eq "x-debug"',
  ),
  EXPR_JOINED_ARGUMENT: error(
    "and, or or xor directly in a call",
    'any(http.request.headers.names[*] eq "a" or http.request.headers.names[*] eq "b")',
  ),
  EXPR_BAD_ARGUMENT: refused(
    "arguments that the function does not take",
    'concat(http.host) eq "a"',
  ),
  EXPR_UNICODE_REGEX: refused(
    "a regular expression that needs Unicode",
    String.raw`http.host matches "\pL"`,
  ),
  EXPR_LARGE_REGEX: refused(
    "a regular expression that repeats too much",
    'http.host matches "(a{1000}){1000}"',
  ),
  EXPR_ONLY_DOCUMENTED: warning(
    "documented, but refused by the public engine of the service",
    "len(http.request.headers.names) gt 9",
  ),
  EXPR_SHORT_ADDRESS: warning(
    "an address in a short form, which is not documented",
    "ip.src in {192.0.2}",
  ),
  EXPR_MANY_STARS: warning(
    "a wildcard pattern with more than 10 stars",
    `http.host wildcard "${"a*".repeat(11)}"`,
  ),
  EXPR_LETTER_CASE: warning(
    "a text that differs from a value in its letter case",
    'lower(http.request.uri.path) contains "/Admin"',
  ),
  EXPR_METHOD_CASE: warning("a method in lower case", 'http.request.method eq "post"'),
  EXPR_HEADER_CASE: warning(
    "the name of a header with capitals",
    'any(http.request.headers["X-Debug"][*] eq "1")',
  ),
  EXPR_PATH_SLASH: warning("a path that does not start with /", 'http.request.uri.path eq "admin"'),
  EXPR_NOT_A_HOST: warning(
    "a URL or a pattern where a host is compared",
    'http.host eq "https://shop.example.com/"',
  ),
  EXPR_LITERAL_STAR: warning(
    "a * in a text that is no pattern",
    'http.request.uri.path eq "/admin/*"',
  ),
  EXPR_ANCHOR: warning(
    "^ or $ in a text that is no regular expression",
    'http.request.uri.path contains "^/admin"',
  ),
  EXPR_EXTENSION_DOT: warning(
    "an extension with a dot",
    'http.request.uri.path.extension in {".php" ".asp"}',
  ),
  EXPR_ENCODED: warning(
    "a percent-encoded character in a decoded value",
    'http.request.uri.path contains "%2e%2e"',
  ),
  EXPR_COUNTRY_CODE: warning(
    "a country or continent that is no code",
    'ip.src.country eq "Germany"',
  ),
  EXPR_EMPTY_SET: warning("a set without members", "http.host in {}"),
  EXPR_REPEATED_MEMBER: warning("a member of a set is repeated", "ip.src.asnum in {64496 64496}"),
  EXPR_NETWORK_OVERLAP: warning(
    "an address or network that another one contains",
    "ip.src in {192.0.2.0/24 192.0.2.7}",
  ),
  EXPR_PRIVATE_ADDRESS: warning("an address that no visitor has", "ip.src in {192.168.0.0/16}"),
  EXPR_NEVER: warning(
    "a condition that never holds, or conditions that exclude each other",
    'http.host eq "a.example" and http.host eq "b.example"',
  ),
  EXPR_ALWAYS: warning(
    "conditions of which one always holds, joined by or",
    'http.host ne "a.example" or http.host ne "b.example"',
  ),
  EXPR_HOST_PORT: warning("a host with a port", 'http.host eq "a.example:443"'),
  EXPR_DOUBLE_NOT: warning("two negations", "not not ssl"),
  EXPR_CONSTANT: warning("true or false beside other conditions", "ssl and true"),
  EXPR_MIXED_LOGIC: warning(
    "and beside or without parentheses",
    'ssl and http.host eq "a.example" or http.host eq "b.example"',
  ),
  EXPR_IDLE_PATTERN: warning(
    "a regular expression that starts or ends with .*",
    'http.request.uri.path matches ".*admin.*"',
  ),
  EXPR_DEPRECATED_FIELD: warning("an old name of a field", 'ip.geoip.country eq "DE"'),
  EXPR_RESPONSE_FIELD: warning(
    "a field of the response before there is one",
    "http.response.code eq 404",
  ),
} as const satisfies Readonly<Record<string, SyntaxDiagnosticFacts>>;
