import { randomUUID } from "node:crypto";
import { constants, createReadStream, type Stats } from "node:fs";
import {
  access,
  chmod,
  lstat,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import path from "node:path";

import { reasonOf } from "../desired/yaml/decode-text.ts";
import { ifExists } from "../syntax/error-code.ts";

/**
 * Files that the command line names; they can be pipes. Fails with the errors of `node:fs`, which
 * have a `code`.
 */
export interface NamedFiles {
  /** Reads at most `limit` bytes from the beginning. */
  read(file: string, limit: number): Promise<Uint8Array>;
  /** Writes a file atomically: a reader gets the old or the new content. */
  save(file: string, text: string): Promise<void>;
  /**
   * As `save`, readable and writable by its owner alone. A symbolic link to a file is refused with
   * `ELOOP`.
   */
  savePrivate(file: string, text: string): Promise<void>;
  /**
   * Writes a file that does not exist yet, on request for its owner alone; fails with `EEXIST` if
   * it does, also as a link.
   */
  create(file: string, text: string, isPrivate?: boolean): Promise<void>;
  /**
   * The text of a regular file that belongs to this user and that nobody else may read or write;
   * `undefined` if there is no such file, or it is larger than `limit` bytes.
   */
  readPrivate(file: string, limit: number): Promise<string | undefined>;
  /** Adds to the end of a file that `create` has made; follows no link. */
  append(file: string, text: string): Promise<void>;
  /** Removes a file, or a link and not what it names; does nothing if there is none. */
  remove(file: string): Promise<void>;
  /** Whether there is anything at a path, also a link that leads nowhere. */
  exists(file: string): Promise<boolean>;
  /**
   * Rejects if a file, or a file in a directory, could not be written; missing ones would be made.
   * Changes nothing.
   */
  checkWritable(place: string, kind: "file" | "directory"): Promise<void>;
  /** Makes a directory and its parents. */
  makeDirectory(directory: string): Promise<void>;
}

export const nodeNamedFiles: NamedFiles = {
  read: readUpTo,
  save,
  savePrivate,
  create: (file, text, isPrivate = false) =>
    writeFile(file, text, { flag: "wx", mode: isPrivate ? 0o600 : 0o666 }),
  readPrivate,
  append,
  remove: (file) => rm(file, { force: true }),
  exists: async (file) => (await ifExists(lstat(file))) !== undefined,
  checkWritable,
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

async function save(file: string, text: string): Promise<void> {
  const existing = await ifExists(stat(file));
  // A pipe or a terminal cannot be replaced by a file.
  if (existing !== undefined && !existing.isFile()) return writeFile(file, text);
  const target = existing === undefined ? file : await realpath(file);
  await replace(target, text, existing?.mode ?? 0o666, existing?.mode);
}

async function savePrivate(file: string, text: string): Promise<void> {
  const existing = await ifExists(stat(file));
  if (existing !== undefined && !existing.isFile()) return writeFile(file, text);
  const link = await ifExists(lstat(file));
  if (link?.isSymbolicLink() === true) {
    throw Object.assign(new Error(`${file} is a symbolic link`), { code: "ELOOP" });
  }
  await replace(file, text, 0o600);
}

async function readPrivate(file: string, limit: number): Promise<string | undefined> {
  const found = await ifExists(lstat(file));
  if (found === undefined || !isOfOwnerOnly(found) || found.size > limit) return undefined;
  // What takes its place meanwhile is not followed, and not waited for.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  await using handle = await open(file, flags);
  const { ino } = await handle.stat();
  return ino === found.ino ? await handle.readFile("utf8") : undefined;
}

/** Where the system has no users and modes, a regular file is enough. */
function isOfOwnerOnly(found: Stats): boolean {
  const user = process.getuid?.();
  const isOurs = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
  return found.isFile() && isOurs;
}

async function append(file: string, text: string): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW;
  await using handle = await open(file, flags | constants.O_NONBLOCK);
  await handle.appendFile(text);
}

/**
 * Writes a temporary file and renames it. Its name begins with a dot, so that it is not taken for a
 * zone file.
 *
 * @param kept permissions that the file has whatever the umask of the process is
 */
async function replace(file: string, text: string, mode: number, kept?: number): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  try {
    await writeFile(temporary, text, { flag: "wx", mode });
    if (kept !== undefined && (await stat(temporary)).mode !== kept) await chmod(temporary, kept);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function checkWritable(place: string, kind: "file" | "directory"): Promise<void> {
  const existing = await ifExists(stat(place));
  if (existing === undefined) return checkWritable(path.dirname(place), "directory");
  if (kind === "directory" && !existing.isDirectory()) throw noEntry("ENOTDIR", place);
  if (kind === "file" && !existing.isFile()) throw noEntry("EISDIR", place);
  await access(place, kind === "directory" ? constants.W_OK | constants.X_OK : constants.W_OK);
}

function noEntry(code: string, place: string): Error {
  return Object.assign(new Error(`${place}: ${code}`), { code });
}

/** The text of a file, or why it cannot be read, for the operator. */
export type NamedText =
  | { readonly text: string; readonly why: undefined }
  | { readonly text: undefined; readonly why: string };

/** More than the saved plan of ten thousand zones. */
const maxTextBytes = 256 * 1024 * 1024;

/** Reads the text of a file that the command line or the configuration names. */
export async function readText(
  file: string,
  { directory, namedFiles }: { readonly directory: string; readonly namedFiles: NamedFiles },
): Promise<NamedText> {
  try {
    const bytes = await namedFiles.read(path.resolve(directory, file), maxTextBytes + 1);
    if (bytes.length > maxTextBytes) return { text: undefined, why: "it is larger than 256 MB" };
    return { text: new TextDecoder().decode(bytes), why: undefined };
  } catch (error) {
    return { text: undefined, why: reasonOf(error) };
  }
}
