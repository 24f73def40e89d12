import type {
  AddressValue,
  BooleanValue,
  IntegerValue,
  Member,
  TextValue,
  Value,
} from "./expression-tree.ts";
import { networkOf, parseIpAddress } from "./ip-address.ts";
import { byteText, readText, textStart } from "./read-string-literal.ts";
import type { TextReader } from "./text-reader.ts";

/** Type of the left operand, which decides whether `01:02` is a text or an address. */
type ValueHint = "String" | "IP" | undefined;

type Literal = TextValue | IntegerValue | AddressValue;

/** Reads a single value outside a set: a text, a number, an address, `true` or `false`. */
export function readValue(reader: TextReader, hint: ValueHint): Literal | BooleanValue | undefined {
  const start = reader.position;
  const boolean = reader.take(/(?:true|false)(?![a-z0-9_])/y);
  if (boolean === undefined) return readLiteral(reader, hint);
  return { kind: "boolean", value: boolean === "true", ...reader.since(start) };
}

/** Reads a single value outside a set, except `true` and `false`. */
export function readLiteral(reader: TextReader, hint: ValueHint): Literal | undefined {
  const member = readMember(reader, hint);
  const isMany =
    member?.kind === "range" || (member?.kind === "address" && member.prefix !== undefined);
  if (!isMany) return member;
  const message = "ranges and networks are only valid in sets";
  return reader.fail("EXPR_UNEXPECTED", member, message, "write in { … }");
}

/** Reads the set or list after `in`. */
export function readMembers(reader: TextReader, hint: ValueHint): Value | undefined {
  const start = reader.position;
  if (reader.peek(/\$/y) !== undefined) return readList(reader);
  if (!reader.skip("{")) {
    return unexpected(reader, "a set in braces, or a $list", 'write in {"a" "b"} or in $name');
  }
  const members: Member[] = [];
  for (;;) {
    reader.skipSpace();
    if (reader.skip("}")) return { kind: "set", members, ...reader.since(start) };
    const member = reader.atEnd ? unclosedSet(reader, start) : readMember(reader, hint);
    if (member === undefined) return undefined;
    members.push(member);
    if (reader.peek(/[ \r\n]*,/y) !== undefined) return commaInSet(reader);
  }
}

/** Reads an integer: decimal, `0x` hexadecimal, or octal after a leading 0. */
export function readInteger(reader: TextReader): IntegerValue | undefined {
  const start = reader.position;
  const digits = reader.take(/0x[0-9a-fA-F]*|-?[0-9a-fA-F]+/y);
  if (digits === undefined) return unexpected(reader, "a number", "write digits");
  const value = integerOf(digits);
  if (value !== undefined) return { kind: "integer", value, ...reader.since(start) };
  const remedy = "write a decimal number of 64 bits; a leading 0 makes it octal, 0x hexadecimal";
  return reader.fail("EXPR_BAD_NUMBER", start, "invalid number", remedy);
}

/** Fails because `expected` is not here; reports the likeliest mistake. */
export function unexpected(reader: TextReader, expected: string, remedy: string): undefined {
  if (reader.peek(/[^\S \r\n]/y) !== undefined) return badSpace(reader);
  if (reader.peek(/'/y) !== undefined) return singleQuotes(reader);
  const start = reader.position;
  const found = reader.take(/[\w$.]+|[^]/uy);
  const what = found === undefined ? "the end of the expression" : shown(found);
  const message = `expected ${expected}, found ${what}`;
  return reader.fail("EXPR_UNEXPECTED", start, message, remedy);
}

function readMember(reader: TextReader, hint: ValueHint): Member | undefined {
  const start = reader.position;
  const from = readAlone(reader, hint);
  if (from === undefined || from.kind === "text" || !reader.skip("..")) return from;
  const to = readAlone(reader, hint);
  if (to === undefined) return undefined;
  if (to.kind !== "text" && isAscending(from, to)) {
    return { kind: "range", from, to, ...reader.since(start) };
  }
  const remedy = "write the smaller value first, and both of the same type";
  return reader.fail("EXPR_BAD_RANGE", start, "the range is empty", remedy);
}

function readAlone(reader: TextReader, hint: ValueHint): Literal | undefined {
  if (reader.peek(textStart) !== undefined) return readText(reader);
  const word = reader.peek(/[0-9a-f:]+(?:\.(?!\.)[0-9a-f:]*)*(?:\/[0-9]*)?/iy) ?? "";
  const isAddress = parseIpAddress(word.replace(/\/.*/, "")) !== undefined;
  if (hint === "String" || !isAddress) {
    const bytes = hint === "IP" ? undefined : readBytes(reader);
    if (bytes !== undefined) return bytes;
  }
  if (/[:./]/.test(word)) return readAddress(reader, word);
  if (reader.peek(/[0-9-]/y) !== undefined) return readInteger(reader);
  return unexpected(reader, "a value", "write a text in double quotes, a number or an address");
}

function readBytes(reader: TextReader): TextValue | undefined {
  const start = reader.position;
  const bytes = reader.take(/[0-9a-f]{2}(?:[:.-][0-9a-f]{2})+(?![0-9a-f:.])/iy);
  if (bytes === undefined) return undefined;
  const text = bytes.split(/[:.-]/).map((byte) => byteText(parseInt(byte, 16)));
  return { kind: "text", text: text.join(""), ...reader.since(start) };
}

function readAddress(reader: TextReader, word: string): AddressValue | undefined {
  const start = reader.position;
  reader.position = start + word.length;
  const [text = "", bits] = word.split("/");
  const address = parseIpAddress(text);
  const prefix = bits === undefined || bits === "" ? undefined : Number(bits);
  const isNetwork = address !== undefined && networkOf(address, prefix ?? 0) !== undefined;
  if (isNetwork && bits !== "") {
    return { kind: "address", address: text, prefix, ...reader.since(start) };
  }
  const remedy =
    "write 192.0.2.1, 192.0.2.0/24, 2001:db8::1 or 2001:db8::/32; write texts in double quotes";
  const message = `${shown(word)} is not an IP address`;
  return reader.fail("EXPR_BAD_ADDRESS", start, message, remedy);
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

function integerOf(digits: string): bigint | undefined {
  const isHex = /^0x[0-9a-fA-F]+$/.test(digits);
  const isOctal = /^0[0-7]*$/.test(digits);
  if (!isHex && !isOctal && !/^-?[0-9]+$/.test(digits)) return undefined;
  if (/^0./.test(digits) && !isHex && !isOctal) return undefined;
  const value = BigInt(isOctal ? `0o${digits}` : digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function isAscending(from: IntegerValue | AddressValue, to: IntegerValue | AddressValue): boolean {
  if (from.kind === "integer" || to.kind === "integer") {
    return from.kind === "integer" && to.kind === "integer" && from.value <= to.value;
  }
  const first = parseIpAddress(from.address);
  const last = parseIpAddress(to.address);
  if (first === undefined || last === undefined) return false;
  const isPlain = from.prefix === undefined && to.prefix === undefined;
  return isPlain && first.version === last.version && first.value <= last.value;
}

/** Fails at white space that the language does not allow. */
export function badSpace(reader: TextReader): undefined {
  const start = reader.position;
  const isTab = reader.take(/[^]/uy) === "\t";
  const message = `${isTab ? "a tab" : "white space other than space and line end"} is not allowed`;
  return reader.fail("EXPR_BAD_SPACE", start, message, "write a space");
}

function singleQuotes(reader: TextReader): undefined {
  const start = reader.position;
  reader.take(/'[^'\r\n]*'?/y);
  const message = "texts need double quotes";
  return reader.fail("EXPR_SINGLE_QUOTES", start, message, "write double quotes");
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

function shown(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
