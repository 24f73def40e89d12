import {
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  Lexer,
  Parser,
  type YAMLError,
} from "yaml";

import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { diagnosticAt, type DiagnosticText, grouped, maxDiagnostics } from "../diagnostics.ts";
import { type Offsets, placeAt, type Source, sourceOf } from "../location.ts";
import { misplacedLine } from "./indentation.ts";
import { type YamlDocument, YamlReader } from "./yaml-reader.ts";

/** The documents of a file as plain data, with the offsets of their parts. */
export interface YamlText {
  readonly source: Source;
  /** Without empty documents and those whose syntax is broken. */
  readonly documents: readonly YamlDocument[];
  readonly offsets: Offsets;
  readonly diagnostics: readonly Diagnostic[];
}

/** Our files need about a dozen levels of nesting. */
const maxDepth = 64;

/** A key with its value has about seven tokens. Reading this many takes seconds. */
const maxTokens = 3_000_000;

/** Reads the documents of one file. Keeps the positions, but not the syntax trees. */
export function readYaml(file: string, text: string): YamlText {
  const source = sourceOf(file, text);
  const documents = compose(text);
  if ("stoppedAt" in documents) {
    const stopped = diagnosticAt(placeAt(source, documents.stoppedAt), documents.reason);
    return { source, documents: [], offsets: new Uint32Array(), diagnostics: [stopped] };
  }
  const reader = new YamlReader(source);
  const whole: YamlDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) {
    const syntaxErrors = syntaxErrorsOf(source, document, text);
    diagnostics.push(...syntaxErrors);
    if (syntaxErrors.length > 0) continue;
    const before = reader.diagnostics.length;
    const read = reader.read(document.contents);
    // A broken alias or a list that is too long became `null`: the schema would report a value that
    // nobody wrote.
    const isWhole = !reader.diagnostics.slice(before).some(({ code }) => nullified.has(code));
    if (read.value !== null && isWhole) whole.push(read);
  }
  return {
    source,
    documents: whole,
    offsets: reader.offsets(),
    diagnostics: [...diagnostics, ...reader.diagnostics],
  };
}

const nullified: ReadonlySet<string> = new Set<DiagnosticCode>(["YAML_ALIAS", "YAML_TOO_LARGE"]);

/** Where and why a text was not read to its end. */
interface Stopped {
  readonly stoppedAt: number;
  readonly reason: DiagnosticText;
}

const tooDeep: DiagnosticText = {
  code: "YAML_TOO_DEEP",
  message: `this is nested more than ${maxDepth} levels deep`,
  remedy: "look for a bracket that is never closed",
};

const tooLarge: DiagnosticText = {
  code: "YAML_TOO_LARGE",
  message: `the file has more than ${grouped(maxTokens)} YAML tokens; a key with its value has about seven`,
  remedy: "split it into several files",
};

/**
 * Like `parseAllDocuments`, but stops when a text is too deep or has too many tokens, on which that
 * spends seconds.
 */
function compose(text: string): readonly Document.Parsed[] | Stopped {
  const parser = new Parser();
  const count = { tokens: 0 };
  const composer = new Composer({
    prettyErrors: false,
    stringKeys: true,
    // The package's own check is quadratic; `YamlReader` checks instead.
    uniqueKeys: false,
    // Without this, `!!omap`, `!!set` and others become values that are not plain data.
    resolveKnownTags: false,
  });
  const documents = withoutTraces(() => [...composer.compose(tokensOf(parser, text, count))]);
  if (parser.stack.length > maxDepth) return { stoppedAt: parser.offset, reason: tooDeep };
  return count.tokens > maxTokens ? { stoppedAt: parser.offset, reason: tooLarge } : documents;
}

/**
 * `yaml` creates an Error for each syntax error: with thousands of them, stack traces take most of
 * the time. And before each token it asks the environment whether to print the token, which takes an
 * eighth of the time.
 */
function withoutTraces<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  const { env } = process;
  Error.stackTraceLimit = 0;
  process.env = noVariables;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    process.env = env;
  }
}

const noVariables = {};

/**
 * The documents of a text as tokens. It returns them together: a generator would be resumed for
 * each lexeme.
 */
function tokensOf(parser: Parser, text: string, count: { tokens: number }): readonly CST.Token[] {
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    count.tokens += 1;
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > maxDepth || count.tokens > maxTokens) return tokens;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function syntaxErrorsOf(source: Source, document: Document.Parsed, text: string): Diagnostic[] {
  const errors = [...document.errors, ...document.warnings].slice(0, maxDiagnostics + 1);
  const misplaced = misplacedIn(source, errors, text);
  const found =
    misplaced === undefined
      ? errors.map((error) => syntaxError(source, text, error))
      : [misplaced, ...errors.filter(isOther).map((error) => syntaxError(source, text, error))];
  // A directive can turn `yes` into true, whatever version of YAML the parser is set to.
  const { yaml, tags } = document.directives;
  if (yaml.explicit === true || Object.keys(tags).length > 1) {
    found.push(
      diagnosticAt(placeAt(source, 0), {
        code: "YAML_DIRECTIVE",
        message: "the file has a `%` directive",
        remedy: "delete the line that begins with `%`: files are YAML 1.2 without directives",
      }),
    );
  }
  return found;
}

/** What `yaml` says where a line is indented too little or too much. */
const ofIndentation: ReadonlySet<string> = new Set<ErrorCode>([
  "BAD_INDENT",
  "BLOCK_AS_IMPLICIT_KEY",
  "MULTILINE_IMPLICIT_KEY",
  "MISSING_CHAR",
  "NON_STRING_KEY",
  "UNEXPECTED_TOKEN",
]);

function isOther({ code }: YAMLError): boolean {
  return !ofIndentation.has(code);
}

/** One diagnostic in place of several that do not name the line. */
function misplacedIn(
  source: Source,
  errors: readonly YAMLError[],
  text: string,
): Diagnostic | undefined {
  const first = errors.find((error) => !isOther(error));
  const line = first && misplacedLine(text, placeAt(source, first.pos[0]).line);
  if (line === undefined) return undefined;
  const { name, found, expected } = line;
  return diagnosticAt(placeAt(source, line.offset), {
    code: "YAML_SYNTAX",
    message: `"${name}" is indented by ${spaces(found)}, and the lines that it belongs to by ${spaces(expected)}`,
    remedy: `indent it by ${spaces(expected)}`,
  });
}

function spaces(count: number): string {
  return count === 1 ? "1 space" : `${count} spaces`;
}

function syntaxError(source: Source, text: string, error: YAMLError): Diagnostic {
  const { code, pos, message } = error;
  const [placeholder] = /^\$\{[^}\n]*\}/.exec(text.slice(Math.max(0, pos[0] - 1))) ?? [];
  return diagnosticAt(placeAt(source, pos[0]), {
    code: code === "TAG_RESOLVE_FAILED" ? "YAML_TAG" : "YAML_SYNTAX",
    message: firstLine(message),
    remedy:
      placeholder === undefined
        ? remedies[code]
        : `inside brackets, put a placeholder in quotes: "${placeholder}"`,
  });
}

function firstLine(message: string): string {
  const line = message.split("\n", 1)[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

const indentation =
  "indent with spaces, the same number for every key of a map and every dash of a list";
const quote = "put the text in quotes";

const remedies: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "delete the anchor or tag before the alias",
  BAD_ALIAS: 'put a text with a `*` in quotes: "*"',
  BAD_COLLECTION_TYPE: "delete the tag",
  BAD_DIRECTIVE: "delete the line that begins with `%`",
  BAD_DQ_ESCAPE: "use single quotes, in which a backslash means itself, or write `\\\\`",
  BAD_INDENT: indentation,
  BAD_PROP_ORDER: "write the anchor or tag directly before its value",
  BAD_SCALAR_START: quote,
  BLOCK_AS_IMPLICIT_KEY: `${indentation}; a text with \`: \` in it needs quotes`,
  BLOCK_IN_FLOW: "inside brackets, write everything in brackets",
  DUPLICATE_KEY: "keep one of the two",
  IMPOSSIBLE: "rewrite this part",
  KEY_OVER_1024_CHARS: "look for a missing quote or bracket before this place",
  MISSING_CHAR: "close the quote or bracket, and put a comma or colon where one is missing",
  MULTILINE_IMPLICIT_KEY: "keep a key on one line; look for a missing quote or colon",
  MULTIPLE_ANCHORS: "keep one anchor",
  MULTIPLE_DOCS: "separate documents with a line `---`",
  MULTIPLE_TAGS: "delete the tags",
  NON_STRING_KEY: "keys are strings: quote this one, or delete it",
  RESOURCE_EXHAUSTION: "look for a bracket that is never closed",
  TAB_AS_INDENT: "use spaces: YAML does not allow tabs for indentation",
  TAG_RESOLVE_FAILED: "delete the tag: zonewarden reads plain data only",
  UNEXPECTED_TOKEN: `look for a missing quote, bracket or comma; ${indentation}`,
};
