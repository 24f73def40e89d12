import { createReadStream } from "node:fs";
import { mkdir, open, rename, stat, truncate } from "node:fs/promises";
import path from "node:path";

/** A file that grows at its end. Failures are those of `node:fs`: errors with a `code`. */
export interface HistoryStore {
  /** Bytes in the file; 0 where there is none. */
  size(): Promise<number>;
  /** The bytes from an offset on, in pieces; none where there is no file. */
  read(from: number): AsyncIterable<Uint8Array>;
  /** Adds text and waits until it is on the disk. What a crash leaves is the beginning of it. */
  append(text: string): Promise<void>;
  /** Cuts the file down to so many bytes. */
  truncate(size: number): Promise<void>;
  /** Puts the bytes from an offset on in the place of the file: all of them or, after a crash, none. */
  dropBefore(offset: number): Promise<void>;
}

/** A file of this machine. Its directory is made where it is missing. */
export function nodeHistoryStore(file: string): HistoryStore {
  const read = (from: number): AsyncIterable<Uint8Array> => piecesOf(file, from);
  return {
    size: async () => (await sizeOf(file)) ?? 0,
    read,
    append: async (text) => {
      await mkdir(path.dirname(file), { recursive: true });
      await using handle = await open(file, "a", ownerOnly);
      await handle.appendFile(text);
      await handle.datasync();
    },
    truncate: (size) => truncate(file, size),
    dropBefore: async (offset) => {
      const next = `${file}.next`;
      {
        await using handle = await open(next, "w", ownerOnly);
        for await (const piece of read(offset)) await handle.appendFile(piece);
        await handle.datasync();
      }
      await rename(next, file);
    },
  };
}

/** Expressions and policies tell how a zone is defended: not for every user of the machine. */
const ownerOnly = 0o600;

async function* piecesOf(file: string, from: number): AsyncGenerator<Uint8Array> {
  if ((await sizeOf(file)) === undefined) return;
  const stream: AsyncIterable<Buffer> = createReadStream(file, { start: from });
  yield* stream;
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
