import { createReadStream } from "node:fs";
import { mkdir, open, rename, stat, truncate } from "node:fs/promises";
import path from "node:path";

/** An append-only file. Errors are those of `node:fs`, with a `code`. */
export interface HistoryStore {
  /** Bytes in the file; 0 if there is none. */
  size(): Promise<number>;
  /** The bytes from an offset, in pieces; none if there is no file. */
  read(from: number): AsyncIterable<Uint8Array>;
  /** Appends text and syncs it to the disk. A crash can leave a part of it. */
  append(text: string): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Replaces the file atomically by its bytes from an offset. */
  dropBefore(offset: number): Promise<void>;
}

/** A local file. A missing directory is created. */
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

/** Expressions and policies show how a zone is protected: other users must not read them. */
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
