import { type KeyObject, sign, verify } from "node:crypto";

import { sha256 } from "../../syntax/digest.ts";
import type { JsonObject } from "../../syntax/json.ts";

/** The last line of a chain. Its hash stands for all lines up to it. */
export interface ChainHead {
  /** Name of the chain, from its first line: another history has another one. */
  readonly chain: string;
  /** Number of the line in the chain, from 1; lines that were dropped count. */
  readonly n: number;
  /** SHA-256 in hexadecimal. */
  readonly hash: string;
}

/** Signatures of the history are of no use for anything else that is signed with the same key. */
const context = "zonewarden history signature, version 1\n";

/**
 * The line of a JSON object after the last line of a chain, with its line feed: `n` and `prev`, the hash of the line before,
 * follow `at`. `hash` is the last member: the SHA-256 of all bytes of the line before `,"hash":`.
 *
 * @param key signs all bytes before `,"signature":`, and so the whole chain up to the line.
 */
function sealedLine(
  { at, ...content }: JsonObject,
  { chain, n, hash: prev }: ChainHead,
  key?: KeyObject,
): ChainLine {
  const object = JSON.stringify({ at, n: n + 1, prev, ...content });
  let open = object.slice(0, -1);
  if (key !== undefined) {
    const signature = sign(null, Buffer.from(`${context}${open}`), key).toString("base64");
    open = `${open},"signature":"${signature}"`;
  }
  const hash = sha256(open);
  return { text: `${open},"hash":"${hash}"}\n`, head: { chain, n: n + 1, hash } };
}

/** A line of a chain. */
export interface ChainLine {
  /** With its line feed. */
  readonly text: string;
  /** Its number and its hash. */
  readonly head: ChainHead;
}

/** Lines to append to a chain. */
export class NewLines {
  /** The line before them. */
  readonly start: ChainHead;
  readonly #signKey: KeyObject | undefined;
  readonly #lines: ChainLine[] = [];

  constructor(start: ChainHead, signKey: KeyObject | undefined) {
    this.start = start;
    this.#signKey = signKey;
  }

  /** Adds a line. */
  add(json: JsonObject, isSigned: boolean): void {
    this.#lines.push(sealedLine(json, this.head, isSigned ? this.#signKey : undefined));
  }

  /** Adds a line as it was written before, in another place: it must follow the last one. */
  addWritten(line: ChainLine): void {
    this.#lines.push(line);
  }

  get lines(): readonly ChainLine[] {
    return this.#lines;
  }

  /** The last line. */
  get head(): ChainHead {
    return this.#lines.at(-1)?.head ?? this.start;
  }

  /** All lines, each with its line feed. */
  get text(): string {
    return this.#lines.map(({ text }) => text).join("");
  }
}

/** What a line of a chain says of itself. */
export interface Seal {
  readonly n: number;
  /** "" in the first line of a chain. */
  readonly prev: string;
  readonly hash: string;
  /** Whether `hash` is that of the line: its bytes are as they were written. */
  readonly isWhole: boolean;
  /** In base64; `undefined`: the line carries none. */
  readonly signature: string | undefined;
}

const beginning = /^\{"at":"[^"]{0,40}","n":(\d{1,15}),"prev":"((?:[0-9a-f]{64})?)"/;
const end = /,"hash":"([0-9a-f]{64})"\}/;
const endLength = ',"hash":"'.length + 64 + '"}'.length;
const signatureEnd = /,"signature":"([A-Za-z0-9+/]{86}==)"/;
const signatureLength = ',"signature":"'.length + 88 + '"'.length;

/** Reads the seal of a line, without its line feed; `undefined`: it has none, or is damaged at its beginning or end. */
export function sealOf(line: Uint8Array): Seal | undefined {
  const [, n, prev = ""] = beginning.exec(latin1(line.subarray(0, 160))) ?? [];
  const [, hash] = end.exec(latin1(line.subarray(-endLength))) ?? [];
  if (n === undefined || hash === undefined) return undefined;
  const open = line.subarray(0, -endLength);
  const [, signature] = signatureEnd.exec(latin1(open.subarray(-signatureLength))) ?? [];
  return { n: Number(n), prev, hash, isWhole: sha256(open) === hash, signature };
}

/** Whether the signature that a line carries was made with the private key of `key`. */
export function isSignedBy(key: KeyObject, line: Uint8Array, signature: string): boolean {
  const signed = Buffer.concat([
    Buffer.from(context),
    line.subarray(0, -endLength - signatureLength),
  ]);
  return verify(null, signed, key, Buffer.from(signature, "base64"));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
