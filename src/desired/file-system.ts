import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";

/** What a path leads to, links followed. */
export interface FileFacts {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  /** Differs as soon as something else stands at the path. */
  readonly place: string;
  /** Differs as soon as something else stands at the path, or its content was written again. */
  readonly identity: string;
}

/** How files are read. Failures are those of `node:fs`: errors with a `code`. */
export interface FilePort {
  /** The path with every link resolved. */
  realpath(path: string): Promise<string>;
  /** Names in a directory, in any order. */
  list(path: string): Promise<readonly string[]>;
  facts(path: string): Promise<FileFacts>;
  /** At most `limit` bytes from the beginning of a file. */
  read(path: string, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The files of this machine. */
export const nodeFiles: FilePort = {
  realpath: (path) => realpath(path),
  list: (path) => readdir(path),
  async facts(path) {
    const found = await stat(path, { bigint: true });
    const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
    const place = `${found.dev}:${found.ino}`;
    const identity = `${place}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    return { kind, size: Number(found.size), place, identity };
  },
  async read(path, limit, signal) {
    // Without O_NONBLOCK a pipe that bears a file's name would be waited for without end.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await readUpTo(handle, limit, signal);
  },
};

type Handle = Awaited<ReturnType<typeof open>>;

async function readUpTo(handle: Handle, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const { size } = await handle.stat();
  // One byte more than the file is said to have, so that a file which grows is noticed.
  const buffer = Buffer.alloc(Math.min(limit, size + 1));
  let filled = 0;
  while (filled < buffer.length) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
