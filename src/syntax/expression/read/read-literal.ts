import {
  type AddressValue,
  type IntegerValue,
  type TextValue,
  connectives,
  operators,
} from "../expression-tree.ts";
import { networkOf, parseIpAddress, withoutShortForm } from "../ip-address.ts";
import { shown, unexpected } from "./read-failure.ts";
import { byteText, readText, textStart } from "./read-string-literal.ts";
import type { TextReader } from "./text-reader.ts";

/** A constant that is neither a set nor a list. */
export type Literal = TextValue | IntegerValue | AddressValue;

/**
 * Reads a text, a number or an address, as the engine reads one for `type`: `01:02` is a text
 * behind a text field. In a set of addresses, `10/8` is one.
 */
export function readLiteral(
  reader: TextReader,
  type: string | undefined,
  inSet: boolean,
): Literal | undefined {
  if (reader.peek(textStart) !== undefined) return readText(reader);
  const word = addressHere(reader);
  if (type === "Integer") return readNumber(reader);
  if (type === "IP") {
    return /^[0-9:]|:/.test(word) ? readAddress(reader, word, inSet) : readNumber(reader);
  }
  const canBeBytes = type === "String" || notAnAddress(word);
  if (canBeBytes && reader.peek(/[0-9a-f]{2}:/iy) !== undefined) return readByteText(reader);
  if (type === "String" && notAnAddress(word) && notQuoted(reader)) return undefined;
  if (/[:./]/.test(word)) return readAddress(reader, word, false);
  return readNumber(reader);
}

/** The characters here that an address or a network can have. */
function addressHere(reader: TextReader): string {
  return reader.peek(/[0-9a-f:]+(?:\.(?!\.)[0-9a-f:]*)*(?:\/[0-9]*)?/iy) ?? "";
}

function readNumber(reader: TextReader): IntegerValue | undefined {
  if (reader.peek(/[0-9-]/y) !== undefined) return readInteger(reader);
  if (notQuoted(reader)) return undefined;
  return unexpected(reader, "a value", "write a text in double quotes, a number or an address");
}

/** Reads a constant as an argument; `undefined` without an error if what is here is none. */
export function readArgumentLiteral(reader: TextReader): Literal | undefined {
  if (reader.peek(textStart) !== undefined) return readText(reader);
  const word = reader.peek(/[0-9a-f:.]+/iy) ?? "";
  if (parseIpAddress(word) !== undefined) return readAddress(reader, word, false);
  // The engine takes 0x10 for a name here, and the start of 61:62 for a number.
  const start = reader.position;
  if (reader.take(/-?0x[0-9a-f]*/iy) !== undefined) {
    const message = "a call does not take a hexadecimal number";
    return reader.fail("EXPR_BAD_NUMBER", start, message, "write a decimal number");
  }
  if (reader.peek(/(?![0-9]{2})[0-9a-f]{2}:/iy) !== undefined) return readByteText(reader);
  return reader.peek(/-?[0-9]/y) === undefined ? undefined : readInteger(reader);
}

/** Reads an integer: decimal, `0x` hexadecimal, or octal after a leading 0. */
export function readInteger(reader: TextReader): IntegerValue | undefined {
  const start = reader.position;
  const digits = reader.take(/0x[0-9a-fA-F]*|-?[0-9a-fA-F]+/y);
  if (digits === undefined) return unexpected(reader, "a number", "write digits");
  const isFraction = reader.take(/\.[0-9]+/y) !== undefined;
  const value = isFraction ? undefined : integerOf(digits);
  if (value !== undefined) return { kind: "integer", value, ...reader.since(start) };
  const remedy =
    "write a whole decimal number of 64 bits; a leading 0 makes it octal, 0x hexadecimal";
  return reader.fail("EXPR_BAD_NUMBER", start, "invalid number", remedy);
}

function readByteText(reader: TextReader): TextValue | undefined {
  const start = reader.position;
  const bytes = reader.take(/[0-9a-f]{2}(?::[0-9a-f]{2})+(?!:)/iy);
  if (bytes === undefined) {
    reader.take(/[0-9a-f:]*/iy);
    const remedy = "write two hexadecimal digits for each byte: 61:62; or a text in quotes";
    return reader.fail("EXPR_BAD_BYTES", start, "invalid bytes", remedy);
  }
  const text = bytes.split(":").map((byte) => byteText(parseInt(byte, 16)));
  return { kind: "text", text: text.join(""), ...reader.since(start) };
}

function notAnAddress(word: string): boolean {
  return parseIpAddress(word.replace(/\/.*/, "")) === undefined;
}

function readAddress(
  reader: TextReader,
  word: string,
  canBeShort: boolean,
): AddressValue | undefined {
  const start = reader.position;
  reader.position = start + word.length;
  const hasMore = reader.take(/(?:[0-9a-f:/]|\.(?!\.))+/iy) !== undefined;
  const [written = "", bits] = word.split("/");
  const long = canBeShort ? withoutShortForm(written) : written;
  const address = parseIpAddress(long);
  const prefix = bits === undefined || bits === "" ? undefined : Number(bits);
  const isNetwork = address !== undefined && networkOf(address, prefix) !== undefined;
  if (isNetwork && bits !== "" && !hasMore) {
    const value = { kind: "address", address: long, prefix, ...reader.since(start) } as const;
    return long === written ? value : { ...value, isShort: true };
  }
  const remedy =
    "write 192.0.2.1, 192.0.2.0/24, 2001:db8::1 or 2001:db8::/32; write texts in double quotes";
  const message = `${shown(word)} is not an IP address`;
  return reader.fail("EXPR_BAD_ADDRESS", start, message, remedy);
}

function integerOf(digits: string): bigint | undefined {
  const isOctal = /^0[0-7]*$/.test(digits);
  if (!isOctal && !/^(?:0x[0-9a-fA-F]+|-[0-9]+|[1-9][0-9]*)$/.test(digits)) return undefined;
  const value = BigInt(isOctal ? `0o${digits}` : digits);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A host, a URL or a path, which needs quotes. */
const bareText = /[*/]?(?:[\w*][\w.*-]*)?(?::\/\/)?[\w.*/:?%~+-]*/y;

/** Fails if a text without quotes is here, such as a host; returns whether it did. */
export function notQuoted(reader: TextReader): boolean {
  const start = reader.position;
  const word = reader.peek(bareText) ?? "";
  if (!/[a-z*/]/i.test(word) || isName(word) || words.has(word)) return false;
  reader.position = start + word.length;
  const remedy = `write "${word}"`;
  reader.fail("EXPR_UNQUOTED", start, `the text ${shown(word)} needs double quotes`, remedy);
  return true;
}

const words = new Set<string>([...operators, ...connectives, "not"]);

/**
 * Whether a word can be the name of a field that the tables do not have: it starts as those that
 * they have.
 */
function isName(word: string): boolean {
  return /^(?:ssl|(?:cf|http|ip|raw)\.[\w.]+)$/.test(word);
}
