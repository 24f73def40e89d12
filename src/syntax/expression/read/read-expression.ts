import {
  type Argument,
  type Connective,
  type IndexMeaning,
  type Expression,
  type Index,
  type Operand,
  type Operator,
  type Value,
  connectives,
} from "../expression-tree.ts";
import { typeOfOperand } from "../operand-type.ts";
import { unexpected } from "./read-failure.ts";
import { notQuoted, readArgumentLiteral, readInteger } from "./read-literal.ts";
import {
  isBoundary,
  noConnective,
  noOperator,
  notAnOperator,
  readOperator,
} from "./read-operator.ts";
import { bytesOf, readRegex, readText, textStart } from "./read-string-literal.ts";
import { readMembers, readValue, startsOperand } from "./read-value.ts";
import type { TextReader } from "./text-reader.ts";

/** Maximum nesting of parentheses, negations and calls (SERVICE.md D). */
const maxNesting = 128;

/** Reads the whole text as one expression; `undefined` after an error. */
export function readExpression(reader: TextReader): Expression | undefined {
  const tree = readLogic(reader, 0, 0);
  if (tree === undefined) return undefined;
  return reader.atEnd ? tree : noConnective(reader);
}

/** Reads the whole text as one field or call; `undefined` after an error. */
export function readWholeOperand(reader: TextReader): Operand | undefined {
  const operand = readOperand(reader, 0);
  if (operand === undefined || reader.atEnd) return operand;
  return unexpected(reader, "the end of the text", "write one field or one call");
}

const connectivePatterns: Readonly<Record<Connective, RegExp>> = {
  or: /[ \r\n]*(?:or|\|\|)/y,
  xor: /[ \r\n]*(?:xor|\^\^)/y,
  and: /[ \r\n]*(?:and|&&)/y,
};

/**
 * Reads items joined by the connective of `level`; items can contain connectives of higher
 * precedence.
 */
function readLogic(reader: TextReader, level: number, depth: number): Expression | undefined {
  const connective = connectives[level];
  if (connective === undefined) return readSimple(reader, depth);
  const start = reader.position;
  const first = readLogic(reader, level + 1, depth);
  if (first === undefined) return undefined;
  const items = [first];
  while (reader.take(connectivePatterns[connective]) !== undefined) {
    reader.skipSpace();
    const item = readLogic(reader, level + 1, depth);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items.length === 1 ? first : { kind: "logic", connective, items, ...reader.since(start) };
}

function readSimple(reader: TextReader, depth: number): Expression | undefined {
  const start = reader.position;
  if (reader.peek(/\(/y) !== undefined) return readGroup(reader, depth);
  if (reader.take(/not|!/y) !== undefined) return readNegation(reader, depth, start);
  const constant = reader.take(/(?:true|false)(?![\w.])/y);
  if (constant !== undefined) {
    return { kind: "constant", value: constant === "true", ...reader.since(start) };
  }
  const operand = readOperand(reader, depth);
  return operand === undefined ? undefined : readComparison(reader, operand, depth);
}

function readGroup(reader: TextReader, depth: number): Expression | undefined {
  const start = reader.position;
  reader.skip("(");
  if (depth >= maxNesting) return tooDeep(reader, start);
  reader.skipSpace();
  const inner = readLogic(reader, 0, depth + 1);
  return closed(reader, start, ")", noConnective) ? inner : undefined;
}

function readNegation(reader: TextReader, depth: number, start: number): Expression | undefined {
  if (depth >= maxNesting) return tooDeep(reader, start);
  reader.skipSpace();
  const item = readSimple(reader, depth + 1);
  return item === undefined ? undefined : { kind: "not", item, ...reader.since(start) };
}

function readComparison(reader: TextReader, left: Operand, depth: number): Expression | undefined {
  const operator = readOperator(reader);
  if (operator === undefined) {
    if (!isBoundary(reader)) return noOperator(reader);
    return { kind: "truth", operand: left, ...reader.since(left.offset) };
  }
  reader.skipSpace();
  const right = readRight(reader, operator, left, depth);
  if (right === undefined) return undefined;
  return { kind: "comparison", left, operator, right, ...reader.since(left.offset) };
}

function readRight(
  reader: TextReader,
  operator: Operator,
  left: Operand,
  depth: number,
): Value | undefined {
  const type = typeOfOperand(left);
  if (operator === "in") return readMembers(reader, type);
  if (operator === "matches" || operator.endsWith("wildcard")) {
    if (reader.peek(textStart) !== undefined) {
      return operator === "matches" ? readRegex(reader) : readText(reader);
    }
    if (notQuoted(reader)) return undefined;
    return unexpected(reader, "a text", 'write it in double quotes, or raw: r"…"');
  }
  if (operator === "contains" || !startsOperand(reader, type)) return readValue(reader, type);
  return readOperand(reader, depth);
}

const reserved = new Set<string>([
  ...connectives,
  "eq",
  "ne",
  "lt",
  "le",
  "gt",
  "ge",
  "in",
  "matches",
]);

function readOperand(reader: TextReader, depth: number): Operand | undefined {
  const start = reader.position;
  const name = reader.peek(/\w+(?:\.\w+)*/y);
  if (name === undefined || reserved.has(name)) {
    const remedy = 'write a condition such as http.host eq "shop.example.com"';
    return unexpected(reader, "a field, a function, not or (", remedy);
  }
  reader.position = start + name.length;
  if (name.toLowerCase() === "not") return notAnOperator(reader, name, start);
  const isCall = reader.peek(/[ \r\n]*\(/y) !== undefined;
  const given = isCall ? readArguments(reader, depth) : [];
  const indexes = given === undefined ? undefined : readIndexes(reader);
  if (given === undefined || indexes === undefined) return undefined;
  const span = reader.since(start);
  return isCall
    ? { kind: "call", name, arguments: given, indexes, ...span }
    : { kind: "field", name, indexes, ...span };
}

function readArguments(reader: TextReader, depth: number): Argument[] | undefined {
  reader.skipSpace();
  const open = reader.position;
  reader.skip("(");
  if (depth >= maxNesting) return tooDeep(reader, open);
  const given: Argument[] = [];
  reader.skipSpace();
  if (reader.skip(")")) return given;
  do {
    reader.skipSpace();
    const argument = readArgument(reader, depth + 1);
    if (argument === undefined) return undefined;
    given.push(argument);
    reader.skipSpace();
  } while (reader.skip(","));
  return closed(reader, open, ")", betweenArguments) ? given : undefined;
}

function betweenArguments(reader: TextReader): undefined {
  return unexpected(reader, "a comma or )", "separate arguments by commas");
}

/**
 * A condition that is joined with others needs parentheses or a negation before it, as in the
 * engine.
 */
function readArgument(reader: TextReader, depth: number): Argument | undefined {
  const literal = readArgumentLiteral(reader);
  if (literal !== undefined || reader.error !== undefined) return literal;
  if (reader.peek(/\(|!|not/y) !== undefined) return readLogic(reader, 0, depth);
  const condition = readSimple(reader, depth);
  const start = reader.position;
  const connective = reader.take(/[ \r\n]*(?:and|or|xor|&&|\|\||\^\^)/y);
  if (condition !== undefined && connective !== undefined) {
    const span = { offset: start + connective.search(/\S/), length: connective.trim().length };
    const message = "conditions cannot be joined directly in a call";
    const remedy = "put them in parentheses: any((… and …))";
    return reader.fail("EXPR_JOINED_ARGUMENT", span, message, remedy);
  }
  return condition?.kind === "truth" ? condition.operand : condition;
}

function readIndexes(reader: TextReader): Index[] | undefined {
  const indexes: Index[] = [];
  for (;;) {
    const start = reader.position;
    if (!reader.skip("[")) return indexes;
    reader.skipSpace();
    const element = readElement(reader);
    if (element === undefined || !closed(reader, start, "]", afterIndex)) return undefined;
    indexes.push({ ...element, ...reader.since(start) });
  }
}

function readElement(reader: TextReader): IndexMeaning | undefined {
  const start = reader.position;
  if (reader.skip("*")) return { kind: "each" };
  if (reader.peek(textStart) !== undefined) return readKey(reader);
  if (reader.peek(/-?[0-9]/y) === undefined) {
    return unexpected(reader, "an index", 'write [0], ["name"] or [*]');
  }
  const item = readInteger(reader)?.value;
  if (item === undefined) return undefined;
  if (item >= 0n && item < 2n ** 32n) return { kind: "item", item };
  return reader.fail("EXPR_BAD_INDEX", start, "the index is out of range", "write a number from 0");
}

/** The name of an entry of a map: the engine takes no raw text and no bytes that are not UTF-8. */
function readKey(reader: TextReader): IndexMeaning | undefined {
  const start = reader.position;
  const isRaw = reader.peek(/r/y) !== undefined;
  const key = readText(reader);
  if (key === undefined) return undefined;
  if (!isRaw && isWellFormed(key.text)) return { kind: "key", key };
  const message = "a name in brackets cannot be raw, or have bytes that are no text";
  return reader.fail("EXPR_BAD_INDEX", start, message, 'write ["name"] with plain quotes');
}

/** Whether the escaped bytes of a text form UTF-8. */
function isWellFormed(text: string): boolean {
  try {
    decoder.decode(Uint8Array.from(bytesOf(text)));
    return true;
  } catch {
    return false;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

function afterIndex(reader: TextReader): undefined {
  return unexpected(reader, "]", 'write [0], ["name"] or [*]');
}

/**
 * Consumes the closing bracket of the one at `start`; without it, fails with what `otherwise`
 * reports.
 */
function closed(
  reader: TextReader,
  start: number,
  bracket: string,
  otherwise: (reader: TextReader) => undefined,
): boolean {
  reader.skipSpace();
  if (reader.skip(bracket)) return true;
  const span = { offset: start, length: 1 };
  if (!reader.atEnd) otherwise(reader);
  else reader.fail("EXPR_UNCLOSED", span, "the bracket is not closed", `end it with ${bracket}`);
  return false;
}

function tooDeep(reader: TextReader, start: number): undefined {
  const message = `more than ${maxNesting} levels of parentheses, negations and calls`;
  return reader.fail("EXPR_TOO_DEEP", start, message, "remove what is not needed");
}
