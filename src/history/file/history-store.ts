import { constants, createReadStream } from "node:fs";
import { lstat, mkdir, open, rename, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";

import { ifExists } from "../../syntax/error-code.ts";

/** An append-only file. Errors are those of `node:fs`, with a `code`. */
export interface HistoryStore {
  /** Bytes in the file; 0 if there is none. */
  size(): Promise<number>;
  /** The bytes from an offset, in pieces; none if there is no file. */
  read(from: number): AsyncIterable<Uint8Array>;
  /** Appends text and syncs it to the disk. A crash can leave a part of it. */
  append(text: string): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Replaces the file atomically by its bytes from an offset and a text after them. */
  dropBefore(offset: number, text: string): Promise<void>;
}

/** A local file. A missing directory is created. A symbolic link in the place of the file is refused with `ELOOP`, and a pipe or a device too. */
export function nodeHistoryStore(file: string): HistoryStore {
  const read = (from: number): AsyncIterable<Uint8Array> => piecesOf(file, from);
  return {
    size: async () => {
      const found = await ifExists(lstat(file));
      if (found?.isSymbolicLink() === true) {
        throw Object.assign(new Error(`${file} is a symbolic link`), { code: "ELOOP" });
      }
      // To open a pipe waits for its other end, for ever.
      if (found?.isFile() === false) {
        throw new Error(`${file} is no regular file: configure another path`);
      }
      return found?.size ?? 0;
    },
    read,
    append: async (text) => {
      await mkdir(path.dirname(file), { recursive: true });
      const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;
      // A pipe that took the place of the file is an error: to open it would wait for its reader, and keep the program up.
      const guards = constants.O_NOFOLLOW | constants.O_NONBLOCK;
      await using handle = await open(file, flags | guards, ownerOnly);
      await handle.appendFile(text);
      await handle.datasync();
    },
    truncate: (size) => truncate(file, size),
    dropBefore: async (offset, text) => {
      const next = `${file}.next`;
      // A link in its place is removed and not followed: it could name a file of another program.
      await rm(next, { force: true });
      {
        await using handle = await open(next, "wx", ownerOnly);
        for await (const piece of read(offset)) await handle.appendFile(piece);
        await handle.appendFile(text);
        await handle.datasync();
      }
      await rename(next, file);
    },
  };
}

/** A history file that is changed only while the state belongs to this process: whoever took it over appends to the file. */
export function heldHistoryStore(
  store: HistoryStore,
  state: { readonly isHeld: () => Promise<boolean> },
): HistoryStore {
  const check = async (): Promise<void> => {
    if (!(await state.isHeld())) throw new Error("the state was taken over");
  };
  return {
    size: () => store.size(),
    read: (from) => store.read(from),
    append: async (text) => {
      await check();
      await store.append(text);
    },
    truncate: async (size) => {
      await check();
      await store.truncate(size);
    },
    dropBefore: async (offset, text) => {
      await check();
      await store.dropBefore(offset, text);
    },
  };
}

/** Expressions and policies show how a zone is protected: other users must not read them. */
const ownerOnly = 0o600;

async function* piecesOf(file: string, from: number): AsyncGenerator<Uint8Array> {
  if ((await ifExists(stat(file))) === undefined) return;
  const stream: AsyncIterable<Buffer> = createReadStream(file, { start: from });
  yield* stream;
}
