import type { ErrorCode, YAMLError } from "yaml";

import type { Diagnostic } from "../../zone/diagnostic.ts";
import { problemOf } from "../diagnostics.ts";
import type { Source } from "./source.ts";

/** A complaint of the `yaml` package as a problem, with what to do about it. */
export function syntaxProblem(source: Source, error: YAMLError): Diagnostic {
  const code = error.code === "TAG_RESOLVE_FAILED" ? "YAML_TAG" : "YAML_SYNTAX";
  return problemOf(source, code, error.pos[0], [], {
    message: sentence(error.message),
    remedy: remedies[error.code],
  });
}

function sentence(message: string): string {
  const line = message.split("\n", 1)[0] ?? message;
  return line.charAt(0).toLowerCase() + line.slice(1);
}

const indentation =
  "indent with spaces, the same number for every key of a map and every dash of a list";
const quote = "put the text in quotes";

const remedies: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "delete the anchor or tag before the alias",
  BAD_ALIAS: "write the anchor `&name` before its alias `*name`, in the same document",
  BAD_COLLECTION_TYPE: "delete the tag",
  BAD_DIRECTIVE: "delete the line that begins with `%`",
  BAD_DQ_ESCAPE: "use single quotes, in which a backslash means itself, or write `\\\\`",
  BAD_INDENT: indentation,
  BAD_PROP_ORDER: "write the anchor or tag directly before its value",
  BAD_SCALAR_START: quote,
  BLOCK_AS_IMPLICIT_KEY: `${indentation}; a text with \`: \` in it needs quotes`,
  BLOCK_IN_FLOW: "inside brackets, write everything in brackets",
  DUPLICATE_KEY: "keep one of the two",
  IMPOSSIBLE: "write this part anew",
  KEY_OVER_1024_CHARS: "look for a missing quote or bracket before this place",
  MISSING_CHAR: "close the quote or bracket, and put a comma or colon where one is missing",
  MULTILINE_IMPLICIT_KEY: "keep a key on one line; look for a missing quote or colon",
  MULTIPLE_ANCHORS: "keep one anchor",
  MULTIPLE_DOCS: "separate documents with a line `---`",
  MULTIPLE_TAGS: "delete the tags",
  NON_STRING_KEY: "keys are words: put this one in quotes, or delete it",
  RESOURCE_EXHAUSTION: "look for a bracket that is never closed",
  TAB_AS_INDENT: "use spaces: YAML does not take tabs for indentation",
  TAG_RESOLVE_FAILED: "delete the tag: files are plain data",
  UNEXPECTED_TOKEN: `look for a missing quote, bracket or comma; ${indentation}`,
};
