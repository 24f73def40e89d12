import { createHash } from "node:crypto";
import path from "node:path";
import { inflateSync } from "node:zlib";

import type { FilePort } from "../file-system.ts";
import { maxObjectBytes, type PackedObject, packedObject } from "./git-pack.ts";

/** The objects of a repository that was not written by us. */
export class GitObjects {
  readonly #directory: string;
  readonly #files: FilePort;
  readonly #signal: AbortSignal;

  constructor(directory: string, files: FilePort, signal: AbortSignal) {
    this.#directory = directory;
    this.#files = files;
    this.#signal = signal;
  }

  /**
   * The content of an object, loose or packed; `undefined` where it cannot be read, is of another type, or does not have
   * this hash. Since a commit names its tree by hash and a tree its entries, what is reached from a commit was committed.
   */
  async read(type: "commit" | "tree", id: string): Promise<Buffer | undefined> {
    try {
      const found =
        (await this.#loose(id)) ??
        (await packedObject(path.join(this.#directory, "pack"), id, this.#files, this.#signal));
      if (found === undefined || found.type !== type) return undefined;
      return objectId(found, id.length) === id ? found.content : undefined;
    } catch {
      // Whatever is wrong with the files of the repository: they prove nothing then.
      this.#signal.throwIfAborted();
      return undefined;
    }
  }

  async #loose(id: string): Promise<PackedObject | undefined> {
    const place = path.join(this.#directory, id.slice(0, 2), id.slice(2));
    let packed: Uint8Array;
    try {
      packed = await this.#files.read(place, maxObjectBytes, this.#signal);
    } catch {
      this.#signal.throwIfAborted();
      return undefined;
    }
    const bytes = inflateSync(packed, { maxOutputLength: maxObjectBytes });
    const end = bytes.indexOf(0);
    const [type = ""] = bytes.toString("latin1", 0, end).split(" ", 1);
    return { type, content: bytes.subarray(end + 1) };
  }
}

/** @param length of the ids of the repository: 40 for SHA-1, 64 for SHA-256. */
export function objectId(
  { type, content }: { readonly type: string; readonly content: Uint8Array },
  length: number,
): string {
  return createHash(length === 40 ? "sha1" : "sha256")
    .update(`${type} ${content.length}\0`)
    .update(content)
    .digest("hex");
}
