import { constants, createReadStream } from "node:fs";
import { lstat, open, stat, truncate } from "node:fs/promises";
import path from "node:path";

import type { HistoryStore } from "../../history/file/history-store.ts";
import { ifExists } from "../../syntax/error-code.ts";
import { type FileContent, guards, replaceFile, syncDirectory } from "./state-directory.ts";

/**
 * The history in a local file. Errors are those of `node:fs`, with a `code`. A missing directory is created. A symbolic
 * link in the place of the file is refused with `ELOOP`, and a pipe or a device too.
 */
export function historyFile(file: string): HistoryStore {
  /** Bytes of the file after what this process did last. */
  let known = 0;
  return {
    place: file,
    canDrop: true,
    size: async () => {
      const found = await ifExists(lstat(file));
      if (found?.isSymbolicLink() === true) {
        throw Object.assign(new Error(`${file} is a symbolic link`), { code: "ELOOP" });
      }
      // To open a pipe waits for its other end, for ever.
      if (found?.isFile() === false) throw new Error(`${file} is no regular file`);
      known = found?.size ?? 0;
      return known;
    },
    read: () => piecesOf(file, 0),
    truncate: async (size) => {
      await truncate(file, size);
      known = size;
    },
    add: async ({ lines: { text }, drop }) => {
      const size = (await ifExists(lstat(file)))?.size ?? 0;
      const isShorter = size < known;
      // It is told once: the next attempt goes on with what is there.
      known = size;
      if (isShorter) {
        throw new Error(`another program removed or replaced ${file}: its earlier lines are lost`);
      }
      if (drop === undefined) await append(file, text);
      else await replace(file, rest(file, drop.bytes, text));
      known = size - (drop?.bytes ?? 0) + Buffer.byteLength(text);
    },
  };
}

/** A crash can leave a part of the text. */
async function append(file: string, text: string): Promise<void> {
  // A pipe that took the place of the file is an error: to open it would wait for its reader, and keep the program up.
  const flags = constants.O_WRONLY | constants.O_APPEND | guards;
  await using handle = await ifExists(open(file, flags));
  if (handle === undefined) return replace(file, text);
  await handle.appendFile(text);
  await handle.datasync();
}

async function replace(file: string, content: FileContent): Promise<void> {
  await replaceFile(file, content);
  // The lines are there: after an error they would be added once more, and others dropped for them.
  await syncDirectory(path.dirname(file)).catch(() => undefined);
}

/** The lines that stay, from a byte on, and new ones. */
async function* rest(
  file: string,
  from: number,
  text: string,
): AsyncGenerator<string | Uint8Array> {
  yield* piecesOf(file, from);
  yield text;
}

async function* piecesOf(file: string, from: number): AsyncGenerator<Uint8Array> {
  const found = await ifExists(stat(file));
  if (found === undefined) return;
  if (found.isDirectory()) {
    throw Object.assign(new Error(`${file} is a directory`), { code: "EISDIR", path: file });
  }
  const stream: AsyncIterable<Buffer> = createReadStream(file, { start: from });
  yield* stream;
}

/** A history file that is changed only while the state belongs to this process: whoever took it over appends to the file. */
export function heldHistoryFile(
  store: HistoryStore,
  state: { readonly isHeld: () => Promise<boolean> },
): HistoryStore {
  const check = async (): Promise<void> => {
    if (!(await state.isHeld())) throw new Error("the state was taken over");
  };
  return {
    ...store,
    truncate: async (size) => {
      await check();
      return store.truncate(size);
    },
    add: async (batch) => {
      await check();
      return store.add(batch);
    },
  };
}
