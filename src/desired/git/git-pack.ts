import path from "node:path";
import { inflateSync } from "node:zlib";

import type { FilePort } from "../file-system.ts";
import { ByteReader } from "./byte-reader.ts";

// The format of packs and of their indexes: https://git-scm.com/docs/gitformat-pack

/** An object as a pack tells it; its hash is not checked yet. */
export interface PackedObject {
  readonly type: string;
  readonly content: Buffer;
}

/** Where the packs of a repository are, and how to read them. */
interface Packs {
  readonly directory: string;
  /** Bytes of an object's id. */
  readonly width: number;
  readonly files: FilePort;
  readonly signal: AbortSignal;
}

/** Trees and commits are far smaller. Contents of files are never read from the repository. */
export const maxObjectBytes = 16 * 1024 * 1024;

/** Git itself makes chains of at most 50 deltas, unless it is told otherwise. */
const maxDeltas = 256;

/** Finds an object in the packs of a repository. Rejects where a pack is damaged. */
export async function packedObject(
  directory: string,
  id: string,
  files: FilePort,
  signal: AbortSignal,
): Promise<PackedObject | undefined> {
  const wanted = Buffer.from(id, "hex");
  return find({ directory, width: wanted.length, files, signal }, wanted, 0);
}

async function find(
  packs: Packs,
  wanted: Buffer,
  deltas: number,
): Promise<PackedObject | undefined> {
  const names = await packs.files.list(packs.directory);
  for (const name of names.filter((each) => each.endsWith(".idx")).toSorted()) {
    const index = path.join(packs.directory, name);
    const offset = await offsetIn(index, wanted, packs);
    if (offset !== undefined) {
      return await objectAt(packs, index.replace(/idx$/, "pack"), offset, deltas);
    }
  }
  return undefined;
}

const headBytes = 8;
const fanoutBytes = 4 * 256;
const indexMagic = 0xff744f63;
const indexVersion = 2;

/** The offset of an object in the pack of an index; `undefined` where it is not in that pack. */
async function offsetIn(
  index: string,
  wanted: Buffer,
  { width, files, signal }: Packs,
): Promise<number | undefined> {
  const part = async (start: number, length: number): Promise<Buffer> =>
    Buffer.from(await files.readAt(index, start, length, signal));
  const head = await part(0, headBytes + fanoutBytes);
  const [magic, version] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  if (magic !== indexMagic || version !== indexVersion) return undefined;
  /** How many objects have an id whose first byte is at most this. */
  const upTo = (byte: number): number => head.readUInt32BE(headBytes + 4 * byte);
  const first = wanted.readUInt8(0);
  const low = first === 0 ? 0 : upTo(first - 1);
  const idsAt = headBytes + fanoutBytes;
  const length = Math.min((upTo(first) - low) * width, maxObjectBytes);
  const found = indexOf(await part(idsAt + low * width, length), wanted);
  if (found === undefined) return undefined;
  const offsetsAt = idsAt + upTo(255) * (width + 4);
  const offset = (await part(offsetsAt + 4 * (low + found), 4)).readUInt32BE(0);
  // The highest bit says: look it up among the offsets of eight bytes.
  if (offset < 0x8000_0000) return offset;
  const largeAt = offsetsAt + 4 * upTo(255) + 8 * (offset - 0x8000_0000);
  return Number((await part(largeAt, 8)).readBigUInt64BE(0));
}

function indexOf(ids: Buffer, wanted: Buffer): number | undefined {
  const width = wanted.length;
  for (let at = 0; at + width <= ids.length; at += width) {
    if (ids.subarray(at, at + width).equals(wanted)) return at / width;
  }
  return undefined;
}

const typeNames: Readonly<Record<number, string>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const offsetDelta = 6;
const referenceDelta = 7;
/** The longest head of an object: its type and size, and what a delta builds on. */
const longestHead = 10 + 32;

async function objectAt(
  packs: Packs,
  pack: string,
  offset: number,
  deltas: number,
): Promise<PackedObject> {
  const { files, signal, width } = packs;
  if (deltas > maxDeltas) throw new Error(`${pack}: too many deltas`);
  const head = new ByteReader(await files.readAt(pack, offset, longestHead, signal));
  const { type, size } = head.typeAndSize();
  if (size > maxObjectBytes) throw new Error(`${pack}: an object is too large`);
  const back = type === offsetDelta ? head.distance() : 0;
  const base = type === referenceDelta ? head.take(width) : undefined;
  // What zlib writes of incompressible bytes is a little longer than they are.
  const longest = size + Math.ceil(size / 1_000) + 64;
  const packed = await files.readAt(pack, offset + head.at, longest, signal);
  const content = inflateSync(packed, { maxOutputLength: Math.max(size, 1) });
  if (content.length !== size) throw new Error(`${pack}: an object is cut off`);
  const typeName = typeNames[type];
  if (typeName !== undefined) return { type: typeName, content };
  const origin =
    base === undefined
      ? await objectAt(packs, pack, offset - back, deltas + 1)
      : await find(packs, base, deltas + 1);
  if (origin === undefined) throw new Error(`${pack}: the base of a delta is missing`);
  return { type: origin.type, content: withDelta(origin.content, content) };
}

/** Carries out a delta: copies of parts of the base, and new bytes. */
function withDelta(base: Buffer, delta: Buffer): Buffer {
  const reader = new ByteReader(delta);
  const [baseSize, size] = [reader.size(), reader.size()];
  if (baseSize !== base.length || size > maxObjectBytes) throw new Error("the delta does not fit");
  const pieces: Buffer[] = [];
  while (reader.at < delta.length) {
    const step = reader.deltaStep();
    pieces.push("insert" in step ? reader.take(step.insert) : copied(base, step));
  }
  const content = Buffer.concat(pieces);
  if (content.length !== size) throw new Error("the delta does not fit");
  return content;
}

function copied(
  base: Buffer,
  { offset, length }: { readonly offset: number; readonly length: number },
): Buffer {
  if (offset + length > base.length) throw new Error("the delta does not fit");
  return base.subarray(offset, offset + length);
}
