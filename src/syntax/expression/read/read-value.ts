import type { AddressValue, IntegerValue, Member, Value } from "../expression-tree.ts";
import { addressesLike, parseIpAddress } from "../ip-address.ts";
import { unexpected } from "./read-failure.ts";
import { type Literal, notQuoted, readLiteral } from "./read-literal.ts";
import { textStart } from "./read-string-literal.ts";
import type { TextReader } from "./text-reader.ts";

/** Whether a field or a call is here, and no constant, where `type` is that of the left operand. */
export function startsOperand(reader: TextReader, type: string | undefined): boolean {
  if (reader.peek(textStart) !== undefined || reader.peek(booleanPattern) !== undefined) {
    return false;
  }
  const isNumber = type !== "Integer" && reader.peek(/[0-9a-f]*:/iy) !== undefined;
  if (isNumber || reader.peek(/[a-z_]/iy) === undefined) return false;
  return reader.peek(/\w+(?:\.\w+)*[ \r\n]*[([]/y) !== undefined || !notQuoted(reader);
}

const booleanPattern = /(?:true|false)(?![\w.])/y;

/** Reads a single value outside a set: a text, a number, an address, `true` or `false`. */
export function readValue(reader: TextReader, type: string | undefined): Value | undefined {
  if (reader.error !== undefined) return undefined;
  const start = reader.position;
  const boolean = reader.take(booleanPattern);
  if (boolean !== undefined) {
    return { kind: "boolean", value: boolean === "true", ...reader.since(start) };
  }
  const value = readMember(reader, type, false);
  const isMany =
    value?.kind === "range" || (value?.kind === "address" && value.prefix !== undefined);
  if (!isMany) return value;
  const message = "ranges and networks are only valid in sets";
  return reader.fail("EXPR_UNEXPECTED", value, message, "write in { … }");
}

/** Reads the set or list after `in`. */
export function readMembers(reader: TextReader, type: string | undefined): Value | undefined {
  const start = reader.position;
  if (reader.peek(/\$/y) !== undefined) return readList(reader);
  if (!reader.skip("{")) {
    return unexpected(reader, "a set in braces, or a $list", 'write in {"a" "b"} or in $name');
  }
  const members: Member[] = [];
  for (;;) {
    reader.skipSpace();
    if (reader.skip("}")) return { kind: "set", members, ...reader.since(start) };
    const member = reader.atEnd ? unclosedSet(reader, start) : readMember(reader, type, true);
    if (member === undefined) return undefined;
    members.push(member);
    if (reader.peek(/[ \r\n]*,/y) !== undefined) return commaInSet(reader);
  }
}

function readMember(
  reader: TextReader,
  type: string | undefined,
  inSet: boolean,
): Member | undefined {
  const start = reader.position;
  const from = readLiteral(reader, type, inSet);
  if (from === undefined || from.kind === "text" || !reader.skip("..")) return from;
  const to = readLiteral(reader, type, inSet);
  if (to === undefined) return undefined;
  if (isRange(from, to)) {
    return { kind: "range", from, to, ...reader.since(start) };
  }
  const remedy = "write the smaller value first, and both in full and of the same type";
  return reader.fail("EXPR_BAD_RANGE", start, "the range is empty", remedy);
}

function readList(reader: TextReader): Value | undefined {
  const start = reader.position;
  reader.skip("$");
  const name = reader.take(/[a-z0-9_]+(?:[a-z0-9_.]*[a-z0-9_])?(?![\w.-])/y);
  if (name !== undefined) return { kind: "list", name, ...reader.since(start) };
  reader.take(/[\w.-]*/y);
  const remedy = "list names consist of lower-case letters, digits, _ and inner dots";
  return reader.fail("EXPR_BAD_LIST_NAME", start, "invalid list name", remedy);
}

/**
 * Whether two constants are the ends of a range: in full, of one type, and the smaller one first.
 */
function isRange(from: Literal, to: Literal): to is IntegerValue | AddressValue {
  if (from.kind === "integer") return to.kind === "integer" && from.value <= to.value;
  if (from.kind === "text" || to.kind !== "address") return false;
  const isPlain = [from, to].every(
    ({ prefix, isShort }) => prefix === undefined && isShort === undefined,
  );
  const [first, last] = [parseIpAddress(from.address), parseIpAddress(to.address)];
  if (!isPlain || first === undefined || last === undefined) return false;
  return first <= last && last <= addressesLike(first)[1];
}

function unclosedSet(reader: TextReader, start: number): undefined {
  const span = { offset: start, length: 1 };
  return reader.fail("EXPR_UNCLOSED", span, "the set is not closed", "end it with }");
}

function commaInSet(reader: TextReader): undefined {
  reader.skipSpace();
  const span = { offset: reader.position, length: 1 };
  const remedy = "separate the members by spaces only";
  return reader.fail("EXPR_SET_COMMA", span, "a set has no commas", remedy);
}
