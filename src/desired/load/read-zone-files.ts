import path from "node:path";

import type { DiagnosticCode } from "../../zone/diagnostic-codes.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { problemOfFile, type Words } from "../diagnostics.ts";
import type { FileFacts, FilePort } from "../file-system.ts";
import { reasonOf } from "../yaml/decode-text.ts";

/** A zone file that is there, not read yet. `identity` differs as soon as it is another one. */
export type FileSighting = { readonly file: string; readonly real: string } & (
  | { readonly size: number; readonly identity: string }
  | { readonly diagnostic: Diagnostic }
);

/** All zone files below a directory at one moment, or why it cannot be read. */
export type CollectedFiles =
  | {
      readonly root: string;
      /** Whether the path leads to one file. */
      readonly single: boolean;
      readonly sightings: readonly FileSighting[];
    }
  | { readonly reason: string };

/** Whether files were found below a directory before; its name ends in a slash. */
export type HeldFiles = (directory: string) => boolean;

/** Looks for zone files below `directory`, or takes it as the one file that it is. */
export async function collectFiles(
  directory: string,
  port: FilePort,
  heldFiles: HeldFiles,
  signal: AbortSignal,
): Promise<CollectedFiles> {
  try {
    const root = await port.realpath(directory);
    const facts = await port.facts(root);
    if (facts.kind === "file") {
      const sightings = [fileAt(path.basename(directory), root, facts)];
      return { root: path.dirname(root), single: true, sightings };
    }
    const surveyor = new Surveyor(root, port, heldFiles, signal);
    await surveyor.visit(root, await port.list(root), "");
    return { root, single: false, sightings: surveyor.sightings };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: reasonOf(error) };
  }
}

/** Walks through a directory. Links are followed as long as they stay inside; nothing is seen twice. */
class Surveyor {
  readonly sightings: FileSighting[] = [];
  readonly #root: string;
  readonly #port: FilePort;
  readonly #heldFiles: HeldFiles;
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();

  constructor(root: string, port: FilePort, heldFiles: HeldFiles, signal: AbortSignal) {
    this.#root = root;
    this.#port = port;
    this.#heldFiles = heldFiles;
    this.#signal = signal;
    this.#seen.add(root);
  }

  async visit(directory: string, names: readonly string[], prefix: string): Promise<void> {
    for (const name of names.toSorted()) {
      this.#signal.throwIfAborted();
      // Hidden: ".git", an editor's swap files, and what a ConfigMap volume puts its versions in ("..data").
      if (!name.startsWith(".")) await this.#look(path.join(directory, name), prefix + name);
    }
  }

  async #look(at: string, file: string): Promise<void> {
    try {
      const real = await this.#port.realpath(at);
      await this.#take(real, file, await this.#port.facts(real));
    } catch (error) {
      this.#signal.throwIfAborted();
      const heldFiles = this.#heldFiles(`${file}/`);
      if (isZoneFile(file) && !heldFiles) {
        this.#report(file, at, "FILE_UNREADABLE", brokenLink("file", error));
      } else if (heldFiles || !isGone(error)) {
        this.#report(`${file}/`, at, "DIRECTORY_UNREADABLE", brokenLink("directory", error));
      }
    }
  }

  async #take(real: string, file: string, facts: FileFacts): Promise<void> {
    const isDirectory = facts.kind === "directory";
    if (!isDirectory && !isZoneFile(file)) return;
    if (real !== this.#root && !real.startsWith(this.#root + path.sep)) {
      this.#report(isDirectory ? `${file}/` : file, real, "FILE_OUTSIDE", outside);
    } else if (!this.#seen.has(real)) {
      this.#seen.add(real);
      if (isDirectory) await this.#enter(real, file);
      else if (facts.kind === "file") this.sightings.push(fileAt(file, real, facts));
      else this.#report(file, real, "FILE_NOT_REGULAR", notRegular);
    }
  }

  async #enter(real: string, file: string): Promise<void> {
    let names: readonly string[];
    try {
      names = await this.#port.list(real);
    } catch (error) {
      const message = `the directory cannot be read: ${reasonOf(error)}`;
      const remedy = "let the program read it, or delete it";
      this.#report(`${file}/`, real, "DIRECTORY_UNREADABLE", { message, remedy });
      return;
    }
    await this.visit(real, names, `${file}/`);
  }

  #report(file: string, real: string, code: DiagnosticCode, words: Words): void {
    this.sightings.push({ file, real, diagnostic: problemOfFile(file, code, words) });
  }
}

function fileAt(file: string, real: string, { size, identity }: FileFacts): FileSighting {
  return { file, real, size, identity };
}

function isZoneFile(file: string): boolean {
  return /\.ya?ml$/i.test(file);
}

const outside = {
  message: "the link leads out of the directory",
  remedy: "put what it leads to here",
};

const notRegular = {
  message: "this is neither a file nor a directory",
  remedy: "delete it, or give it a name that does not end in .yaml",
};

function brokenLink(what: "file" | "directory", error: unknown): Words {
  return {
    message: `the ${what} cannot be read: ${reasonOf(error)}`,
    remedy: "mend the link, or delete it",
  };
}

/** A link to nothing may be anything, a note for example: only what held files is missed. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
