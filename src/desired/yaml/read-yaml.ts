import { Composer, Lexer, Parser } from "yaml";
import type { CST, Document } from "yaml";

import type { Diagnostic } from "../../zone/diagnostic.ts";
import { maxProblems, problemOf } from "../diagnostics.ts";
import { sourceOf } from "./source.ts";
import type { Source } from "./source.ts";
import { syntaxProblem } from "./yaml-errors.ts";
import { YamlReader } from "./yaml-reader.ts";
import type { Offsets } from "./yaml-reader.ts";

/** A document of a file as plain data; `undefined` where its syntax is broken or it says nothing. */
export interface YamlText {
  readonly source: Source;
  /** Plain data of each document that says something. */
  readonly documents: readonly unknown[];
  /** Where the keys and values of each map and list stand. */
  readonly offsets: Offsets;
  readonly diagnostics: readonly Diagnostic[];
}

/** Deeper nesting is no configuration: nothing in the language goes beyond a dozen levels. */
const maxDepth = 64;

/** Reads the documents of one file. Positions are kept, the syntax trees are not. */
export function readYaml(file: string, text: string): YamlText {
  const source = sourceOf(file, text);
  const { documents, tooDeepAt } = compose(text);
  if (tooDeepAt !== undefined) {
    return {
      source,
      documents: [],
      offsets: new Map(),
      diagnostics: [
        problemOf(source, "YAML_TOO_DEEP", tooDeepAt, [], {
          message: `this is nested more than ${maxDepth} levels deep`,
          remedy: "look for a bracket that is never closed",
        }),
      ],
    };
  }
  const reader = new YamlReader(source);
  const values: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of documents) {
    const broken = syntaxProblems(source, document);
    diagnostics.push(...broken);
    if (broken.length > 0) continue;
    const before = reader.diagnostics.length;
    const value = reader.read(document.contents);
    // Where an alias gave nothing, the schema would complain of what nobody wrote.
    const isWhole = reader.diagnostics.slice(before).every(({ code }) => code !== "YAML_ALIAS");
    if (value !== null && isWhole) values.push(value);
  }
  return {
    source,
    documents: values,
    offsets: reader.offsets,
    diagnostics: [...diagnostics, ...reader.diagnostics],
  };
}

interface Composed {
  readonly documents: readonly Document.Parsed[];
  readonly tooDeepAt: number | undefined;
}

/** As `parseAllDocuments` does it, but stops where the nesting has no end: its own way there takes seconds. */
function compose(text: string): Composed {
  const parser = new Parser();
  const composer = new Composer({
    prettyErrors: false,
    stringKeys: true,
    // The package's own check compares each key with each other one.
    uniqueKeys: false,
  });
  const documents = withoutStacks(() => [...composer.compose(tokensOf(parser, text))]);
  return parser.stack.length > maxDepth
    ? { documents: [], tooDeepAt: parser.offset }
    : { documents, tooDeepAt: undefined };
}

/** `yaml` makes an error of each mistake. Where there are thousands, nearly all the time goes into their stacks. */
function withoutStacks<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function* tokensOf(parser: Parser, text: string): Generator<CST.Token> {
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > maxDepth) return;
  }
  yield* parser.end();
}

function syntaxProblems(source: Source, document: Document.Parsed): Diagnostic[] {
  const found = [...document.errors, ...document.warnings]
    .slice(0, maxProblems + 1)
    .map((error) => syntaxProblem(source, error));
  // A directive can turn `yes` into true, whatever version of YAML was asked for.
  const { yaml, tags } = document.directives;
  if (yaml.explicit === true || Object.keys(tags).length > 1) {
    found.push(
      problemOf(source, "YAML_DIRECTIVE", 0, [], {
        message: "the file has a `%` directive",
        remedy: "delete the line that begins with `%`: files are YAML 1.2 as it comes",
      }),
    );
  }
  return found;
}
