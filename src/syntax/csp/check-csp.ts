import { nearestOfMany } from "../nearest.ts";
import { type Span, type SyntaxDiagnostic, diagnostic, inTextOrder } from "../syntax-diagnostic.ts";
import { coversAmong } from "./csp-cover.ts";
import { type CspDirectiveFacts, acceptedDirectives, cspDirectives } from "./csp-directives.ts";
import { type CspHost, type CspSource, cspKeywords } from "./csp-source.ts";
import { type CspDirective, parseCsp } from "./csp.ts";

type Suggest = ReturnType<typeof nearestOfMany>;

/** Everything that is wrong with a policy, in the order of the text. */
export function checkCsp(text: string): readonly SyntaxDiagnostic[] {
  const { directives, diagnostics } = parseCsp(text);
  if (directives.length === 0) {
    const span = { offset: 0, length: text.length };
    const remedy = "write a directive, such as script-src 'self'";
    return [diagnostic("CSP_EMPTY", span, "the policy has no directive", remedy)];
  }
  const names = new Set<string>();
  const suggest = nearestOfMany([...cspDirectives.keys()]);
  const found = directives.flatMap((directive) => {
    if (names.has(directive.name)) return [repeated(directive)];
    names.add(directive.name);
    return checkDirective(directive, suggest);
  });
  return inTextOrder([...diagnostics, ...found]);
}

function checkDirective(directive: CspDirective, suggest: Suggest): readonly SyntaxDiagnostic[] {
  const facts = cspDirectives.get(directive.name);
  if (facts === undefined) return [unknown(directive, suggest)];
  if (!facts.accepted) return [unsupported(directive)];
  if (facts.value === "flag") return unexpectedValue(directive);
  if (directive.sources.length > 0) return checkCspSources(directive, facts);
  const message = `${directive.name} has no source, which allows nothing`;
  return [diagnostic("CSP_EMPTY_DIRECTIVE", directive, message, "write 'none' if that is meant")];
}

function repeated(directive: CspDirective): SyntaxDiagnostic {
  const message = `${directive.name} stands here again; browsers heed the first one only`;
  return diagnostic(
    "CSP_REPEATED_DIRECTIVE",
    directive,
    message,
    "write all its sources in one place",
  );
}

function unknown(directive: CspDirective, suggest: Suggest): SyntaxDiagnostic {
  const isHeader = directive.name.startsWith("content-security-policy");
  const near = isHeader ? undefined : suggest(directive.name);
  const remedy = isHeader
    ? "write the directives alone, without the name of the header"
    : near === undefined
      ? `the service accepts ${acceptedDirectives.join(", ")}`
      : `did you mean "${near}"?`;
  const message = `there is no directive called ${shortened(directive.name)}`;
  return diagnostic("CSP_UNKNOWN_DIRECTIVE", directive, message, remedy);
}

function unsupported(directive: CspDirective): SyntaxDiagnostic {
  const message = `the service does not accept ${directive.name}`;
  const base = directive.name.replace(/-(?:elem|attr)$/, "");
  const remedy =
    base !== directive.name
      ? `write ${base}`
      : directive.name.startsWith("report-")
        ? "take it out: the service adds its own reporting"
        : "take it out";
  return diagnostic("CSP_UNSUPPORTED_DIRECTIVE", directive, message, remedy);
}

function unexpectedValue({ name, sources }: CspDirective): readonly SyntaxDiagnostic[] {
  const [first] = sources;
  const last = sources.at(-1);
  if (first === undefined || last === undefined) return [];
  const span: Span = { offset: first.offset, length: last.offset + last.length - first.offset };
  return [
    diagnostic("CSP_UNEXPECTED_VALUE", span, `${name} takes no value`, "write its name alone"),
  ];
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

/** What is wrong with the sources of one directive. */
function checkCspSources(
  directive: CspDirective,
  facts: CspDirectiveFacts,
): readonly SyntaxDiagnostic[] {
  const { name, sources } = directive;
  const suggest = nearestOfMany(["self", "none", ...cspKeywords]);
  return [
    ...sources.flatMap((source) => [
      ...checkMeaning(source, name, suggest),
      ...(source.kind === "none" && sources.length > 1 ? [noneNotAlone(source)] : []),
    ]),
    ...repetitions(sources),
    ...(facts.needsSelf ? missingSelf(directive) : []),
  ];
}

function checkMeaning(
  source: CspSource,
  directive: string,
  suggest: Suggest,
): readonly SyntaxDiagnostic[] {
  switch (source.kind) {
    case "nonce": {
      const remedy = "write the host of the script, or its hash: 'sha256-…'";
      return [diagnostic("CSP_NONCE", source, "the service does not support nonces", remedy)];
    }
    case "keyword":
      return checkKeyword(source, source.keyword);
    case "scheme":
      return checkScheme(source, source.scheme, directive);
    case "star": {
      const remedy = "name the hosts that are needed";
      return [diagnostic("CSP_ANY_HOST", source, "* allows every host", remedy)];
    }
    case "host":
      return checkHost(source);
    case "other":
      // What no policy can hold has been told of by its character.
      return /,|[^ -~]/.test(source.text) ? [] : [notUnderstood(source, suggest)];
    case "none":
    case "self":
    case "hash":
      return [];
  }
}

function checkKeyword(source: CspSource, keyword: string): readonly SyntaxDiagnostic[] {
  if (keyword === "unsafe-inline") {
    const message = "'unsafe-inline' lets injected code run, which the policy is there to stop";
    const remedy = "allow single scripts by their hash: 'sha256-…'";
    return [diagnostic("CSP_UNSAFE_INLINE", source, message, remedy)];
  }
  if (keyword === "unsafe-eval") {
    const message = "'unsafe-eval' lets scripts run texts as code";
    return [
      diagnostic("CSP_UNSAFE_EVAL", source, message, "take it out unless a library needs it"),
    ];
  }
  const message = `the service's documentation does not list ${source.text}`;
  const remedy = "see that the service accepts it before relying on it";
  return [diagnostic("CSP_UNDOCUMENTED_KEYWORD", source, message, remedy)];
}

/** Schemes of which any host can make use, and those that carry their content with them. */
const networkSchemes = ["http", "https", "ws", "wss", "ftp"];
const inlineSchemes = ["data", "blob", "filesystem"];
const codeDirectives = ["default-src", "script-src", "object-src"];

function checkScheme(
  source: CspSource,
  scheme: string,
  directive: string,
): readonly SyntaxDiagnostic[] {
  const isInline = inlineSchemes.includes(scheme) && codeDirectives.includes(directive);
  if (isInline) {
    const message = `${source.text} lets a page carry any code within a URL`;
    return [diagnostic("CSP_BARE_SCHEME", source, message, "name the hosts that are needed")];
  }
  if (!networkSchemes.includes(scheme)) return [];
  const message = `${source.text} allows every host`;
  return [
    diagnostic("CSP_BARE_SCHEME", source, message, "name the hosts that are needed"),
    ...checkEncryption(source, scheme, `write ${scheme}s:`),
  ];
}

function checkEncryption(
  source: CspSource,
  scheme: string | undefined,
  remedy: string,
): readonly SyntaxDiagnostic[] {
  if (scheme !== "http" && scheme !== "ws") return [];
  const message = `${scheme}: allows content that anybody on the way can change`;
  return [diagnostic("CSP_INSECURE_SOURCE", source, message, remedy)];
}

function checkHost(source: CspSource & CspHost): readonly SyntaxDiagnostic[] {
  const { host, path, scheme, text } = source;
  const found = [
    ...checkEncryption(source, scheme, `write ${text.replace(/^(?:http|ws)/, "$&s")}`),
  ];
  if (host === "*") {
    const message = `${text} allows every host`;
    found.push(diagnostic("CSP_ANY_HOST", source, message, "name the hosts that are needed"));
  }
  if (host === text) found.push(...checkWord(source, host));
  if (path.includes("*")) {
    const remedy = "end the path with / to allow all below it";
    found.push(diagnostic("CSP_WILDCARD_IN_PATH", source, "* in a path is no wildcard", remedy));
  }
  if (/[?#]/.test(path)) {
    const message = "browsers ignore the query or fragment: the path is matched with any";
    found.push(diagnostic("CSP_QUERY_IN_PATH", source, message, "write the path alone"));
  }
  return found;
}

/** A host without anything around it may have been meant as something else. */
function checkWord(source: CspSource, word: string): readonly SyntaxDiagnostic[] {
  if (cspDirectives.has(word)) {
    const message = `the directive ${word} stands among the sources of another one`;
    return [diagnostic("CSP_MISSING_SEMICOLON", source, message, "put a semicolon before it")];
  }
  if (!["self", "none", ...cspKeywords].includes(word)) return [];
  const message = `${word} without quotes is a host of that name`;
  return [diagnostic("CSP_UNQUOTED_KEYWORD", source, message, `write '${word}'`)];
}

function notUnderstood(source: CspSource, suggest: Suggest): SyntaxDiagnostic {
  const { text } = source;
  if (text.startsWith("'") || text.endsWith("'")) return unknownKeyword(source, suggest);
  if (/^[^/]*(?:\/\/[^/]*)?\*/.test(text)) {
    const message = "a wildcard stands only as the leftmost label of a host";
    return diagnostic(
      "CSP_MISPLACED_WILDCARD",
      source,
      message,
      "write *.example.com, or each host",
    );
  }
  if (/^[^/]*(?:\/\/[^/]*)?_/.test(text)) {
    const message = "browsers ignore this source: a policy cannot name a host with an underscore";
    const remedy = "write a wildcard that takes it in, such as *.example.com";
    return diagnostic("CSP_INVALID_SOURCE", source, message, remedy);
  }
  const remedy = text.startsWith("//")
    ? `write https:${text}`
    : "write a host (cdn.example.com), a URL (https://cdn.example.com/js/), a scheme (data:) or a keyword ('self')";
  return diagnostic("CSP_INVALID_SOURCE", source, "browsers do not understand this source", remedy);
}

function unknownKeyword(source: CspSource, suggest: Suggest): SyntaxDiagnostic {
  const word = source.text.replaceAll("'", "");
  const near = suggest(word);
  const isHash = /^sha\d/i.test(word);
  const remedy = isHash
    ? "a hash is 'sha256-', 'sha384-' or 'sha512-' and base64"
    : near === undefined
      ? "hosts and schemes stand without quotes"
      : `did you mean '${near}'?`;
  return diagnostic("CSP_UNKNOWN_KEYWORD", source, "there is no such keyword", remedy);
}

function noneNotAlone(source: CspSource): SyntaxDiagnostic {
  const message = "'none' counts only where it stands alone; here it is ignored";
  return diagnostic("CSP_NONE_NOT_ALONE", source, message, "take out 'none', or all other sources");
}

/** Sources that add nothing: the same again, or something that another one includes. */
function repetitions(sources: readonly CspSource[]): readonly SyntaxDiagnostic[] {
  const findCover = coversAmong(sources);
  const seen = new Set<string>();
  return sources.flatMap((source) => {
    if (seen.has(source.text)) {
      const message = `${source.text} stands here again`;
      return [diagnostic("CSP_DUPLICATE_SOURCE", source, message, "take it out")];
    }
    seen.add(source.text);
    // `'self'` beside `*` is kept on purpose, for the day on which the star goes.
    const cover = source.kind === "self" ? undefined : findCover(source);
    if (cover === undefined) return [];
    const message = `${source.text} adds nothing: ${cover.text} includes it`;
    return [diagnostic("CSP_SHADOWED_SOURCE", source, message, "take out one of the two")];
  });
}

function missingSelf(directive: CspDirective): readonly SyntaxDiagnostic[] {
  const ownOrigin = directive.sources.some(
    ({ kind, text }) => ["self", "none", "star", "other"].includes(kind) || text === "https:",
  );
  if (ownOrigin) return [];
  const message = `${directive.name} does not allow the page's own origin`;
  return [diagnostic("CSP_NO_SELF", directive, message, "add 'self' unless that is meant")];
}
