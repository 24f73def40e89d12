import { nearestOfMany } from "../nearest.ts";
import { diagnostic, inTextOrder, type SyntaxDiagnostic } from "../syntax-diagnostic.ts";
import { coversAmong } from "./csp-cover.ts";
import { acceptedDirectives, type CspDirectiveFacts, cspDirectives } from "./csp-directives.ts";
import { type CspHost, type CspSource, cspKeywords } from "./csp-source.ts";
import { type CspDirective, parseCsp } from "./csp.ts";

type Suggest = ReturnType<typeof nearestOfMany>;

const nameHosts = "name the hosts that are needed";
const directiveNames = [...cspDirectives.keys()];

/** What is a source in quotes only. */
const quotedWords: readonly string[] = ["self", "none", ...cspKeywords];

/** All errors and warnings of a policy, in the order of the text. */
export function checkCsp(text: string, directives = parseCsp(text)): readonly SyntaxDiagnostic[] {
  if (directives.length === 0) {
    const span = { offset: 0, length: text.length };
    const remedy = "write a directive, such as script-src 'self'";
    return [diagnostic("CSP_EMPTY", span, "the policy has no directive", remedy)];
  }
  const names = new Set<string>();
  const suggest = nearestOfMany(directiveNames);
  const found = directives.flatMap((directive) => {
    if (names.has(directive.name)) return [repeated(directive)];
    names.add(directive.name);
    return checkDirective(directive, suggest);
  });
  return inTextOrder([...badCharacters(text), ...lineBreaks(text), ...found]);
}

function checkDirective(directive: CspDirective, suggest: Suggest): readonly SyntaxDiagnostic[] {
  const facts = cspDirectives.get(directive.name);
  if (facts === undefined) return [unknownDirective(directive, suggest)];
  if (!facts.accepted) return [unsupportedDirective(directive)];
  if (facts.value === "flag") return unexpectedValue(directive);
  if (directive.sources.length > 0) return checkSources(directive, facts);
  const message = `${directive.name} has no source and therefore allows nothing`;
  const remedy = "write 'none' if that is intended";
  return [diagnostic("CSP_EMPTY_DIRECTIVE", directive, message, remedy)];
}

function repeated(directive: CspDirective): SyntaxDiagnostic {
  const message = `${directive.name} is repeated; browsers use the first one only`;
  const remedy = "write all its sources in one place";
  return diagnostic("CSP_REPEATED_DIRECTIVE", directive, message, remedy);
}

function unknownDirective(directive: CspDirective, suggest: Suggest): SyntaxDiagnostic {
  const { name } = directive;
  const isHeader = name.startsWith("content-security-policy");
  const near = suggest(name);
  const remedy = isHeader
    ? "write the directives only, without the name of the header"
    : near === undefined
      ? `the service accepts ${acceptedDirectives.join(", ")}`
      : `did you mean "${near}"?`;
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  const message = `there is no directive called ${shown}`;
  return diagnostic("CSP_UNKNOWN_DIRECTIVE", directive, message, remedy);
}

function unsupportedDirective(directive: CspDirective): SyntaxDiagnostic {
  const message = `the service does not accept ${directive.name}`;
  const base = directive.name.replace(/-(?:elem|attr)$/, "");
  const remedy =
    base !== directive.name
      ? `write ${base}`
      : directive.name.startsWith("report-")
        ? "remove it: the service adds its own reporting"
        : "remove it";
  return diagnostic("CSP_UNSUPPORTED_DIRECTIVE", directive, message, remedy);
}

function unexpectedValue({ name, sources }: CspDirective): readonly SyntaxDiagnostic[] {
  const [first] = sources;
  if (first === undefined) return [];
  const { offset } = first;
  const end = Math.max(...sources.map((source) => source.offset + source.length));
  const span = { offset, length: end - offset };
  const message = `${name} takes no value`;
  return [diagnostic("CSP_UNEXPECTED_VALUE", span, message, "write its name only")];
}

function checkSources(
  directive: CspDirective,
  facts: CspDirectiveFacts,
): readonly SyntaxDiagnostic[] {
  const { name, sources } = directive;
  const suggest = nearestOfMany(quotedWords);
  return [
    ...sources.flatMap((source) => checkSource(source, name, suggest, sources.length > 1)),
    ...redundantSources(sources),
    ...(facts.needsSelf ? missingSelf(directive) : []),
  ];
}

function checkSource(
  source: CspSource,
  directive: string,
  suggest: Suggest,
  hasOthers: boolean,
): readonly SyntaxDiagnostic[] {
  switch (source.kind) {
    case "nonce": {
      const remedy = "write the host of the script, or its hash: 'sha256-…'";
      return [diagnostic("CSP_NONCE", source, "the service does not support nonces", remedy)];
    }
    case "keyword":
      return [checkKeyword(source, source.keyword)];
    case "scheme":
      return checkScheme(source, source.scheme, directive);
    case "star":
      return [diagnostic("CSP_ANY_HOST", source, "* allows every host", nameHosts)];
    case "host":
      return checkHost(source);
    case "other":
      // Characters that no policy can contain have their own diagnostic.
      return /,|[^ -~]/.test(source.text) ? [] : [invalidSource(source, suggest)];
    case "none": {
      if (!hasOthers) return [];
      const message = "browsers ignore 'none' beside other sources";
      const remedy = "remove 'none', or all other sources";
      return [diagnostic("CSP_NONE_NOT_ALONE", source, message, remedy)];
    }
    case "self":
      return [];
    case "hash":
      return checkHash(source, source.isValid);
  }
}

function checkHash(source: CspSource, isValid: boolean): readonly SyntaxDiagnostic[] {
  if (isValid) return [];
  const message = `${source.text} does not have the length of a hash: browsers may ignore it`;
  const remedy = "copy the hash from the browser's console: base64 of 32, 48 or 64 bytes";
  return [diagnostic("CSP_MALFORMED_HASH", source, message, remedy)];
}

function checkKeyword(source: CspSource, keyword: string): SyntaxDiagnostic {
  if (keyword === "unsafe-inline") {
    const message = "'unsafe-inline' allows injected code, which the policy should prevent";
    const remedy = "allow single scripts by their hash: 'sha256-…'";
    return diagnostic("CSP_UNSAFE_INLINE", source, message, remedy);
  }
  if (keyword === "unsafe-eval") {
    const message = "'unsafe-eval' lets scripts run strings as code";
    return diagnostic("CSP_UNSAFE_EVAL", source, message, "remove it unless a library needs it");
  }
  const message = `the service's documentation does not list ${source.text}`;
  const remedy = "check that the service accepts it";
  return diagnostic("CSP_UNDOCUMENTED_KEYWORD", source, message, remedy);
}

/** Schemes that any host can use, and those whose URLs contain their content. */
const networkSchemes = ["http", "https", "ws", "wss", "ftp"];
const inlineSchemes = ["data", "blob", "filesystem"];
const codeDirectives = ["default-src", "script-src", "object-src"];

function checkScheme(
  source: CspSource,
  scheme: string,
  directive: string,
): readonly SyntaxDiagnostic[] {
  if (inlineSchemes.includes(scheme) && codeDirectives.includes(directive)) {
    const message = `${source.text} allows any code in a URL`;
    return [diagnostic("CSP_BARE_SCHEME", source, message, nameHosts)];
  }
  if (!networkSchemes.includes(scheme)) return [];
  return [
    diagnostic("CSP_BARE_SCHEME", source, `${source.text} allows every host`, nameHosts),
    ...checkEncryption(source, scheme, `write ${scheme}s:`),
  ];
}

function checkEncryption(
  source: CspSource,
  scheme: string | undefined,
  remedy: string,
): readonly SyntaxDiagnostic[] {
  if (scheme !== "http" && scheme !== "ws") return [];
  const message = `${scheme}: allows content that anybody on the network path can change`;
  return [diagnostic("CSP_INSECURE_SOURCE", source, message, remedy)];
}

/** Top-level domains in which nobody can register a host (RFC 2606 and RFC 6761). */
const reservedNames = /\.(?:example|internal|invalid|local|localhost|test)\.?$/;

function checkHost(source: CspSource & CspHost): readonly SyntaxDiagnostic[] {
  const { host, path, port, scheme, text } = source;
  const found = [
    ...checkEncryption(source, scheme, `write ${text.replace(/^(?:http|ws)/, "$&s")}`),
  ];
  if (host === "*") {
    found.push(diagnostic("CSP_ANY_HOST", source, `${text} allows every host`, nameHosts));
  }
  if (/^\*\.[^.]+\.?$/.test(host) && !reservedNames.test(host)) {
    const message = `${text} allows every host below ${host.slice(1)}, where anybody can have one`;
    found.push(diagnostic("CSP_ANY_HOST", source, message, nameHosts));
  }
  if (port !== undefined && (Number(port) > 65_535 || /^0+$/.test(port))) {
    const message = `there is no port ${port.slice(0, 20)}, so that this source allows nothing`;
    const remedy = "write a port from 1 to 65535, or none for the default port";
    found.push(diagnostic("CSP_BAD_PORT", source, message, remedy));
  }
  if (host === text) found.push(...checkWord(source, host));
  if (path.includes("*")) {
    const message = "* in a path is not a wildcard";
    const remedy = "end the path with / to allow everything below it";
    found.push(diagnostic("CSP_WILDCARD_IN_PATH", source, message, remedy));
  }
  if (/[?#]/.test(path)) {
    const message = "browsers ignore the query or fragment of a source";
    found.push(diagnostic("CSP_QUERY_IN_PATH", source, message, "write the path only"));
  }
  return found;
}

/** A host without scheme, port and path may have been meant as something else. */
function checkWord(source: CspSource, word: string): readonly SyntaxDiagnostic[] {
  if (cspDirectives.has(word)) {
    const message = `the directive ${word} is among the sources of another one`;
    return [diagnostic("CSP_MISSING_SEMICOLON", source, message, "put a semicolon before it")];
  }
  if (networkSchemes.includes(word) || inlineSchemes.includes(word)) {
    const message = `${word} without a colon is a host of that name`;
    return [diagnostic("CSP_SCHEME_WITHOUT_COLON", source, message, `write ${word}:`)];
  }
  if (!quotedWords.includes(word)) return [];
  const message = `${word} without quotes is a host of that name`;
  return [diagnostic("CSP_UNQUOTED_KEYWORD", source, message, `write '${word}'`)];
}

function invalidSource(source: CspSource, suggest: Suggest): SyntaxDiagnostic {
  const { text } = source;
  if (text.startsWith("'") || text.endsWith("'")) return unknownKeyword(source, suggest);
  if (/^[^/]*(?:\/\/[^/]*)?\*/.test(text)) {
    const message = "a wildcard is only valid as the leftmost label of a host";
    const remedy = "write *.example.com, or each host";
    return diagnostic("CSP_MISPLACED_WILDCARD", source, message, remedy);
  }
  if (/^[^/]*(?:\/\/[^/]*)?_/.test(text)) {
    const message = "browsers ignore this source: a policy cannot name a host with an underscore";
    const remedy = "write a wildcard that includes it, such as *.example.com";
    return diagnostic("CSP_INVALID_SOURCE", source, message, remedy);
  }
  const remedy = text.startsWith("//")
    ? `write https:${text}`
    : "write a host (cdn.example.com), a URL (https://cdn.example.com/js/), a scheme (data:) or a keyword ('self')";
  return diagnostic("CSP_INVALID_SOURCE", source, "browsers ignore this source", remedy);
}

function unknownKeyword(source: CspSource, suggest: Suggest): SyntaxDiagnostic {
  const word = source.text.replaceAll("'", "");
  const near = suggest(word);
  const remedy = /^sha\d/i.test(word)
    ? "a hash is 'sha256-', 'sha384-' or 'sha512-' and base64"
    : near === undefined
      ? "write hosts and schemes without quotes"
      : `did you mean '${near}'?`;
  return diagnostic("CSP_UNKNOWN_KEYWORD", source, "there is no such keyword", remedy);
}

/** Sources that add nothing: duplicates, and those that another one includes. */
function redundantSources(sources: readonly CspSource[]): readonly SyntaxDiagnostic[] {
  const findCover = coversAmong(sources);
  const seen = new Set<string>();
  return sources.flatMap((source) => {
    if (seen.has(source.text)) {
      const message = `${source.text} is a duplicate`;
      return [diagnostic("CSP_DUPLICATE_SOURCE", source, message, "remove it")];
    }
    seen.add(source.text);
    // `'self'` beside `*` is useful: it stays when the star is removed.
    const cover = source.kind === "self" ? undefined : findCover(source);
    if (cover === undefined) return [];
    const message = `${source.text} adds nothing: ${cover.text} includes it`;
    return [diagnostic("CSP_SHADOWED_SOURCE", source, message, "remove one of the two")];
  });
}

function missingSelf(directive: CspDirective): readonly SyntaxDiagnostic[] {
  const allowsSelf = directive.sources.some(
    ({ kind, text }) => ["self", "none", "star", "other"].includes(kind) || text === "https:",
  );
  if (allowsSelf) return [];
  const message = `${directive.name} does not allow the page's own origin`;
  const remedy = "add 'self' unless that is intended";
  return [diagnostic("CSP_NO_SELF", directive, message, remedy)];
}

/**
 * A policy consists of white space and visible ASCII without the comma, which ends the value of a
 * header.
 */
function badCharacters(text: string): SyntaxDiagnostic[] {
  return [...text.matchAll(/,+|[\u2018-\u201F]+|[^\t\n\f\r -~\u2018-\u201F]+/g)].map(
    ({ 0: found, index: offset }) => {
      const range = { offset, length: found.length };
      if (found.startsWith(",")) {
        const remedy = "separate sources by spaces and directives by semicolons";
        return diagnostic("CSP_COMMA", range, "a comma ends the policy", remedy);
      }
      return /^[\u2018-\u201F]/.test(found)
        ? diagnostic(
            "CSP_INVALID_CHARACTER",
            range,
            `${found} is a typographic quote, which is not valid in a policy`,
            "write keywords in straight single quotes ('self'), and hosts without quotes",
          )
        : diagnostic(
            "CSP_INVALID_CHARACTER",
            range,
            `${quoted(found)} is not valid in a policy`,
            "write international host names in their ASCII form (xn--…) and other characters percent-encoded",
          );
    },
  );
}

function quoted(characters: string): string {
  return JSON.stringify(characters.length > 20 ? `${characters.slice(0, 20)}…` : characters);
}

function lineBreaks(text: string): SyntaxDiagnostic[] {
  const index = text.trim().search(/[\n\r]/);
  if (index < 0) return [];
  const offset = text.length - text.trimStart().length + index;
  return [
    diagnostic(
      "CSP_SEVERAL_LINES",
      { offset, length: 1 },
      "the value has several lines, which the service refuses",
      "write it in one line: in YAML, as a folded text (>-) or a map",
    ),
  ];
}
