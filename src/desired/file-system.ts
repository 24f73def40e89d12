import { constants } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";

/** What is at a path, with links followed. */
export interface FileFacts {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  /** Changes when the file or directory is replaced by another. */
  readonly inode: string;
  /** Changes when it is replaced or written. */
  readonly identity: string;
}

/** Reads files. Failures are those of `node:fs`: errors with a `code`. */
export interface FilePort {
  /** The path with every link resolved. */
  realpath(path: string): Promise<string>;
  /** Names in a directory, in any order. */
  list(path: string): Promise<readonly string[]>;
  facts(path: string): Promise<FileFacts>;
  /** At most `limit` bytes from the beginning of a file. */
  read(path: string, limit: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The file system of this machine. */
export const nodeFiles: FilePort = {
  realpath: (path) => realpath(path),
  list: (path) => readdir(path),
  async facts(path) {
    const found = await stat(path, { bigint: true });
    const kind = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
    const inode = `${found.dev}:${found.ino}`;
    const identity = `${inode}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
    return { kind, size: Number(found.size), inode, identity };
  },
  async read(path, limit, signal) {
    // Without O_NONBLOCK, opening a named pipe would block forever.
    await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { size } = await handle.stat();
    // One byte more than the reported size, to notice that the file grew.
    const buffer = Buffer.alloc(Math.min(limit, size + 1));
    let filled = 0;
    while (filled < buffer.length) {
      signal.throwIfAborted();
      // From where the file stands, as a pipe has no positions.
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, null);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  },
};
