import path from "node:path";

import type { FilePort } from "../../src/desired/file-system.ts";

/** What can stand at a path of a disk in memory. */
type Entry =
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly version: number }
  | { readonly kind: "link"; readonly target: string; readonly version: number }
  | { readonly kind: "unreadable" | "pipe" | "directory"; readonly version: number };

/** A disk in memory: what a test writes is there, and what it wants refused is refused. */
export class MemoryDisk {
  readonly #entries = new Map<string, Entry>();
  #version = 0;
  /** Called before each read of a file: the place to change things while they are read. */
  beforeRead: (place: string) => void = () => {};
  /** Paths that were read, in order. */
  readonly reads: string[] = [];

  write(place: string, content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#put(place, { kind: "file", bytes, version: (this.#version += 1) });
  }

  /** Makes `place` a link, replacing what stands there in one step. */
  link(place: string, target: string): void {
    this.#put(place, { kind: "link", target, version: (this.#version += 1) });
  }

  /** Makes an empty directory, a pipe, or something that may not be read. */
  make(place: string, kind: "unreadable" | "pipe" | "directory"): void {
    this.#put(place, { kind, version: (this.#version += 1) });
  }

  /** Deletes a file, or a directory with everything in it. */
  delete(place: string): void {
    for (const other of this.#entries.keys()) {
      if (other === place || other.startsWith(`${place}/`)) this.#entries.delete(other);
    }
  }

  get port(): FilePort {
    return {
      realpath: async (place) => this.#resolve(place),
      list: async (place) => this.#list(this.#resolve(place)),
      facts: async (place) => this.#facts(this.#resolve(place)),
      read: async (place, limit) => {
        this.beforeRead(place);
        this.reads.push(place);
        return this.#read(this.#resolve(place)).subarray(0, limit);
      },
    };
  }

  #put(place: string, entry: Entry): void {
    this.#entries.set(place, entry);
    for (let up = path.dirname(place); up !== "/"; up = path.dirname(up)) {
      if (!this.#entries.has(up)) this.#entries.set(up, { kind: "directory", version: 0 });
    }
  }

  #resolve(place: string, links = 0): string {
    if (links > 20) throw failure("ELOOP", place);
    let real = "/";
    const names = place.split("/").filter((name) => name !== "");
    for (const [index, name] of names.entries()) {
      real = path.join(real, name);
      const entry = this.#entries.get(real);
      if (entry === undefined) throw failure("ENOENT", place);
      if (entry.kind === "link") {
        const target = path.resolve(path.dirname(real), entry.target);
        return this.#resolve(path.join(target, ...names.slice(index + 1)), links + 1);
      }
    }
    return real;
  }

  #list(real: string): readonly string[] {
    const entry = this.#entries.get(real);
    if (entry?.kind === "unreadable") throw failure("EACCES", real);
    if (entry?.kind !== "directory") throw failure("ENOTDIR", real);
    return [...this.#entries.keys()]
      .filter((place) => path.dirname(place) === real)
      .map((place) => path.basename(place));
  }

  #facts(real: string): Awaited<ReturnType<FilePort["facts"]>> {
    const entry = this.#entries.get(real);
    const inode = `${real}#${entry?.kind}`;
    const identity = `${inode}#${entry?.version}`;
    if (entry?.kind === "file") return { kind: "file", size: entry.bytes.length, inode, identity };
    const isDirectory =
      entry?.kind === "directory" || (entry?.kind === "unreadable" && !/\.ya?ml$/.test(real));
    const kind = isDirectory ? "directory" : entry?.kind === "unreadable" ? "file" : "other";
    return { kind, size: 0, inode, identity };
  }

  #read(real: string): Uint8Array {
    const entry = this.#entries.get(real);
    if (entry?.kind === "unreadable") throw failure("EACCES", real);
    if (entry?.kind !== "file") throw failure("EISDIR", real);
    return entry.bytes;
  }
}

/** A disk in memory with these files. */
export function memoryFiles(files: Readonly<Record<string, string | Uint8Array>>): MemoryDisk {
  const disk = new MemoryDisk();
  for (const [place, content] of Object.entries(files)) disk.write(place, content);
  return disk;
}

function failure(code: string, place: string): Error {
  return Object.assign(new Error(`${code}: ${place}`), { code });
}
