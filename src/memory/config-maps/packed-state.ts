import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";

import { sha256 } from "../../syntax/digest.ts";

/** In a thread: the state of a large fleet has megabytes. */
const [pack, unpack] = [promisify(gzip), promisify(gunzip)];

/** A ConfigMap holds 1 MiB, its metadata included. */
const maxChunkBytes = 900_000;

/** What is no state of ours unpacks to more. */
const maxUnpackedBytes = 512 * 1024 * 1024;

/** A state in chunks, and the checksum of all of them. */
export interface PackedState {
  readonly chunks: readonly Uint8Array[];
  /** Bytes of all chunks. */
  readonly bytes: number;
  /** SHA-256, hexadecimal. */
  readonly checksum: string;
}

/** Packs texts by key. What the map holds at the call is packed, whatever happens to it afterwards. */
export async function packState(entries: ReadonlyMap<string, string>): Promise<PackedState> {
  const packed = await pack(JSON.stringify([...entries]));
  const count = Math.max(1, Math.ceil(packed.length / maxChunkBytes));
  const chunks = Array.from({ length: count }, (_, nth) =>
    packed.subarray(nth * maxChunkBytes, (nth + 1) * maxChunkBytes),
  );
  return { chunks, bytes: packed.length, checksum: sha256(packed) };
}

/** The texts by key that were packed; `undefined` if the chunks are not those of the checksum. */
export async function unpackState(
  chunks: readonly Uint8Array[],
  checksum: string,
): Promise<Map<string, string> | undefined> {
  const packed = Buffer.concat(chunks);
  if (sha256(packed) !== checksum) return undefined;
  try {
    const text = await unpack(packed, { maxOutputLength: maxUnpackedBytes });
    const value: unknown = JSON.parse(text.toString("utf8"));
    return Array.isArray(value) && value.every(isEntry) ? new Map(value) : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is readonly [string, string] {
  return (
    Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string")
  );
}
