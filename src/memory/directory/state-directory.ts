import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { StringDecoder } from "node:string_decoder";

import { errorCode, ifExists } from "../../syntax/error-code.ts";

/** The files of one directory. Failures are those of `node:fs`: errors with a `code`. */
export interface StateDirectory {
  /** The whole text of a file; `undefined` if there is none. */
  read(name: string): Promise<string | undefined>;
  /** The lines of a file without their line feeds, one after the other; what follows the last line feed is none. */
  lines(name: string): AsyncIterable<string>;
  /** Makes a file that must not exist yet; rejects with `EEXIST` if it does. */
  create(name: string, text: string): Promise<void>;
  /**
   * Adds text at `offset`, which must be the end of the file, and waits until it is on the disk. Rejects with `ENOENT`
   * if there is no file and with `ESTALE` if it is shorter or longer: another file took its place.
   */
  append(name: string, offset: number, text: string): Promise<void>;
  /** Writes text over the beginning of a file, which needs no space on the disk. Rejects with `ENOENT` if there is no file. */
  overwrite(name: string, text: string): Promise<void>;
  /** Puts text in the place of a file: all of it or, after a crash, none. Makes the directory where it is missing. */
  replace(name: string, text: string | AsyncIterable<string>): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** The names of all files, in no order; none if there is no directory. */
  names(): Promise<readonly string[]>;
}

/** State and history tell how zones are defended: they are not for every user of the machine. */
const fileMode = 0o600;
const directoryMode = 0o700;

/** What took the place of a file: a symbolic link is not followed, and a pipe not waited for. */
export const guards = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A directory of this machine. In it, a symbolic link and a pipe are no files. */
export function nodeStateDirectory(directory: string): StateDirectory {
  const at = (name: string): string => path.join(directory, name);
  return {
    read: (name) => ifExists(readText(at(name))),
    lines: (name) => linesIn(at(name)),
    create: (name, text) => write(at(name), text),
    append: async (name, offset, text) => {
      const flags = constants.O_WRONLY | constants.O_APPEND | guards;
      await using handle = await open(at(name), flags);
      const { size } = await handle.stat();
      if (size !== offset) throw Object.assign(new Error(`${name} changed`), { code: "ESTALE" });
      await handle.appendFile(text);
      await handle.datasync();
    },
    overwrite: async (name, text) => {
      await using handle = await open(at(name), constants.O_WRONLY | guards);
      await handle.write(text);
    },
    replace: async (name, text) => {
      await replaceFile(at(name), text);
      await syncDirectory(directory);
    },
    rename: (from, to) => rename(at(from), at(to)),
    remove: (name) => rm(at(name), { force: true }),
    names: async () => {
      try {
        return (await ifExists(readdir(directory))) ?? [];
      } catch (error) {
        // A file is in its place: whoever reads or writes in it hears of it.
        if (errorCode(error) === "ENOTDIR") return [];
        throw error;
      }
    },
  };
}

/** What a file shall say. */
export type FileContent = string | AsyncIterable<string | Uint8Array>;

/** Puts content in the place of a file, as a whole. Makes the directory where it is missing. */
export async function replaceFile(file: string, content: FileContent): Promise<void> {
  const next = `${file}.next`;
  // A link in its place is removed and not followed: it could name a file of another program.
  await rm(next, { force: true });
  await write(next, content);
  await rename(next, file);
}

/** Makes a file that must not exist yet: all of it or, after an error, none. */
async function write(file: string, content: FileContent): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: directoryMode });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | guards;
  await using handle = await open(file, flags, fileMode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** A renamed file is in its place after a crash only once its directory is on the disk too. */
export async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, constants.O_RDONLY);
  await handle.sync();
}

const pieceBytes = 65_536;

async function openFile(place: string): Promise<FileHandle> {
  const handle = await open(place, constants.O_RDONLY | guards);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${place} is no regular file`);
}

async function readText(place: string): Promise<string> {
  await using handle = await openFile(place);
  // One buffer for all of it: a file of megabytes that is read again and again would leave as many behind.
  const decoder = new StringDecoder();
  const buffer = Buffer.alloc(pieceBytes);
  let text = "";
  for (;;) {
    const { bytesRead } = await handle.read(buffer);
    if (bytesRead === 0) return text + decoder.end();
    text += decoder.write(buffer.subarray(0, bytesRead));
  }
}

const lineFeed = 0x0a;

async function* linesIn(place: string): AsyncGenerator<string> {
  await using handle = await ifExists(openFile(place));
  if (handle === undefined) return;
  let buffer = Buffer.alloc(pieceBytes);
  /** Bytes of a line whose end is not read yet. */
  let kept = 0;
  for (;;) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], 2 * kept);
    const { bytesRead } = await handle.read(buffer, kept);
    if (bytesRead === 0) return;
    const bytes = buffer.subarray(0, kept + bytesRead);
    let from = 0;
    for (let to = bytes.indexOf(lineFeed); to !== -1; to = bytes.indexOf(lineFeed, from)) {
      // A text of its own: a part of a larger one would keep all of that in memory.
      yield bytes.toString("utf8", from, to);
      from = to + 1;
    }
    bytes.copyWithin(0, from);
    kept = bytes.length - from;
  }
}
