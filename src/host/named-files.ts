import { randomUUID } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";

/** Files that a command line names; they may also be pipes. Failures are those of `node:fs`: errors with a `code`. */
export interface NamedFiles {
  /** At most `limit` bytes from the beginning. */
  read(file: string, limit: number): Promise<Uint8Array>;
  /** Writes a file as a whole: nobody reads half of it. */
  save(file: string, text: string): Promise<void>;
  /** Makes a directory, and those that lead to it. */
  makeDirectory(directory: string): Promise<void>;
}

/** The files of this machine. */
export const nodeNamedFiles: NamedFiles = {
  read: readUpTo,
  save,
  makeDirectory: async (directory) => {
    await mkdir(directory, { recursive: true });
  },
};

async function readUpTo(file: string, limit: number): Promise<Uint8Array> {
  if (limit === 0) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  const stream: AsyncIterable<Buffer> = createReadStream(file, { end: limit - 1 });
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Writes beside the place and then renames. The name beside begins with a dot, as no zone file's does. */
async function save(file: string, text: string): Promise<void> {
  const there = await whatIsAt(file);
  // A pipe or a terminal cannot be exchanged for a file.
  if (there !== undefined && !there.isFile()) return writeFile(file, text);
  const place = there === undefined ? file : await realpath(file);
  const beside = path.join(path.dirname(place), `.${randomUUID()}.tmp`);
  try {
    await writeFile(beside, text, { flag: "wx", mode: there?.mode ?? 0o666 });
    await rename(beside, place);
  } finally {
    await rm(beside, { force: true });
  }
}

async function whatIsAt(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
