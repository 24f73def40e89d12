import type { StateDirectory } from "../../src/memory/directory/state-directory.ts";

/** The process stopped while it wrote. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/** A directory in memory that stops the process after a given number of written bytes, or fails each write. */
export class MemoryDirectory implements StateDirectory {
  readonly files: Map<string, string>;
  /** Bytes that can still be written before the process stops. */
  crashAfter = Number.POSITIVE_INFINITY;
  /** The error of each write that needs space, as of a full disk. */
  fault: NodeJS.ErrnoException | undefined;
  /** Calls that wrote, by their name. */
  readonly writes: string[] = [];
  written = 0;

  constructor(files: ReadonlyMap<string, string> = new Map()) {
    this.files = new Map(files);
  }

  read(name: string): Promise<string | undefined> {
    return Promise.resolve(this.files.get(name));
  }

  async *lines(name: string): AsyncGenerator<string> {
    const text = await this.read(name);
    yield* text?.split("\n").slice(0, -1) ?? [];
  }

  async create(name: string, text: string): Promise<void> {
    if (this.files.has(name)) throw failure("EEXIST");
    this.#write(name, "", text, "create");
    await Promise.resolve();
  }

  async append(name: string, offset: number, text: string): Promise<void> {
    const before = this.files.get(name);
    if (before === undefined) throw failure("ENOENT");
    if (Buffer.byteLength(before) !== offset) throw failure("ESTALE");
    this.#write(name, before, text, "append");
    await Promise.resolve();
  }

  async overwrite(name: string, text: string): Promise<void> {
    const before = this.files.get(name);
    if (before === undefined) throw failure("ENOENT");
    this.files.set(name, text + before.slice(text.length));
    await Promise.resolve();
  }

  async replace(name: string, given: string | AsyncIterable<string>): Promise<void> {
    const text = typeof given === "string" ? given : (await Array.fromAsync(given)).join("");
    this.#write(`${name}.next`, "", text, "replace");
    this.files.delete(`${name}.next`);
    this.files.set(name, text);
    await Promise.resolve();
  }

  async rename(from: string, to: string): Promise<void> {
    const text = this.files.get(from);
    if (text === undefined) throw failure("ENOENT");
    this.files.delete(from);
    this.files.set(to, text);
    await Promise.resolve();
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
    await Promise.resolve();
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve([...this.files.keys()]);
  }

  /** Writes byte by byte what fits before the crash. */
  #write(name: string, before: string, text: string, call: string): void {
    if (this.fault !== undefined) throw this.fault;
    this.writes.push(`${call} ${name.replace(".next", "")}`);
    const bytes = Buffer.from(text);
    const fits = Math.min(bytes.length, Math.max(0, this.crashAfter));
    this.crashAfter -= bytes.length;
    this.written += bytes.length;
    this.files.set(name, before + bytes.subarray(0, fits).toString());
    if (fits < bytes.length) throw new Crash(`after ${fits} bytes of ${name}`);
  }
}

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
