import { nearest } from "../../nearest.ts";
import { expressionFields } from "../expression-fields.ts";
import { expressionFunctions } from "../expression-functions.ts";
import { type Operator, connectives, operators } from "../expression-tree.ts";
import { badSpace, unexpected } from "./read-failure.ts";
import type { TextReader } from "./text-reader.ts";

const signs: Readonly<Record<string, Operator>> = {
  "==": "eq",
  "!=": "ne",
  "<=": "le",
  ">=": "ge",
  "<": "lt",
  ">": "gt",
  "~": "matches",
  "&": "bitwise_and",
};

const operatorPattern =
  /[ \r\n]*(?:eq|ne|ge|le|gt|lt|in|contains|matches|strict wildcard|wildcard|bitwise_and|[=!<>]=(?!=)|[<>~](?![=<>~])|&(?!&))/y;

/** Reads a comparison operator, if there is one. */
export function readOperator(reader: TextReader): Operator | undefined {
  const found = reader.peek(operatorPattern);
  if (found === undefined) return undefined;
  const written = found.trimStart();
  const operator = signs[written] ?? operators.find((name) => name === written);
  // The service accepts `eq"a"`, `eqfe80::1` and `eqlower(…)`, but not `equals`.
  const isGlued = /^[a-z]/.test(written);
  reader.position += found.length;
  if (!isGlued || reader.peek(/(?!r#*"|[0-9a-f]*[:.])[a-z_]/iy) === undefined) return operator;
  const name = reader.peek(/\w+(?:\.\w+)*/y) ?? "";
  if (expressionFields.has(name) || expressionFunctions.has(name)) return operator;
  reader.position -= found.length;
  return undefined;
}

/** Whether a condition can end here: before the end, a bracket, a comma or a connective. */
export function isBoundary(reader: TextReader): boolean {
  return reader.peek(/[ \r\n]*(?:$|[),]|and|or|xor|&&|\|\||\^\^)/y) !== undefined;
}

/** Fails because neither an operator nor a connective follows an operand. */
export function noOperator(reader: TextReader): undefined {
  reader.skipSpace();
  const start = reader.position;
  const word = reader.take(/[a-z_]+|[=<>~!&|^]+/iy);
  if (word === undefined) {
    return unexpected(reader, "an operator", "write an operator such as eq, ne, in or contains");
  }
  return notAnOperator(reader, word, start);
}

/** Fails because `word`, which starts at `start`, is not an operator. */
export function notAnOperator(reader: TextReader, word: string, start: number): undefined {
  const message = `${word} is not an operator`;
  return reader.fail("EXPR_UNKNOWN_OPERATOR", start, message, operatorRemedy(word));
}

/** Fails because no connective follows a condition. */
export function noConnective(reader: TextReader): undefined {
  reader.skipSpace();
  const word = reader.peek(/[a-z]+/iy) ?? "";
  if (connectives.some((name) => name === word.toLowerCase())) return noOperator(reader);
  return trailing(reader);
}

function trailing(reader: TextReader): undefined {
  if (reader.peek(/[^\S \r\n]/y) !== undefined) return badSpace(reader);
  const start = reader.position;
  reader.take(/[^ \r\n]+/y);
  const message = "unexpected text after the condition";
  const remedy = "join conditions with and, or or xor";
  return reader.fail("EXPR_TRAILING", start, message, remedy);
}

const words: readonly string[] = [...operators, ...connectives, "not"];

/** Remedies for operators of other languages. */
const remedies: Readonly<Record<string, string>> = {
  "=": "write eq or ==",
  "===": "write eq or ==",
  "=~": "write matches or ~",
  "!~": "write not … matches",
  "<>": "write ne or !=",
  "|": "write or or ||",
  not: "write not before the field: not http.host in {…}",
  is: "write eq",
  equals: "write eq",
  regex: "write matches",
  like: "write wildcard or contains",
  starts_with: 'starts_with is a function: starts_with(http.host, "www.")',
  ends_with: 'ends_with is a function: ends_with(http.host, ".example.com")',
};

function operatorRemedy(word: string): string {
  const lower = word.toLowerCase();
  if (lower !== word && words.includes(lower)) return `write ${lower} in lower case`;
  const known = Object.hasOwn(remedies, lower) ? remedies[lower] : undefined;
  if (known !== undefined) return known;
  const near = nearest(word, words);
  return near === undefined ? `the operators are ${operators.join(", ")}` : `did you mean ${near}?`;
}
