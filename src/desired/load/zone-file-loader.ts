import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

import { compareText } from "../../syntax/by-text.ts";
import type { ZoneDocument } from "../../zone/desired-zone.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import { problemOfFile } from "../diagnostics.ts";
import { readFileSet } from "../file-set.ts";
import type { FoundFile } from "../file-set.ts";
import type { FilePort } from "../file-system.ts";
import { suppressedDiagnostics } from "../suppression-problems.ts";
import type { Reader, ReadingClock } from "../yaml/read-yaml-in-worker.ts";
import { commitOf } from "./git-revision.ts";
import { joinFiles } from "./join-zone-files.ts";
import type { Joined, Memory, Taken, TraceEntry } from "./join-zone-files.ts";
import { hashOf, parseFileInWorker, unusableFile } from "./parse-zone-file.ts";
import type { ParsedFile } from "./parse-zone-file.ts";

/** Everything that the files say, with what is wrong in them. */
export interface DesiredState {
  /** Of a broken file: those of its last good version in this process. */
  readonly documents: readonly ZoneDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** `false`: nothing of what lies there can be put in force; `documents` is what was read before. */
  readonly usable: boolean;
  /** Commit of the directory where there is one, else taken from the content. */
  readonly revision: string;
  /** Of all file contents: equal as long as nothing was changed. */
  readonly hash: string;
  /** How many files there are. */
  readonly files: number;
  /** Files that could not be taken as they are: they count in their last good version, where they had one. */
  readonly stale: readonly string[];
  /** Warnings that a comment in a file has silenced. */
  readonly silenced: number;
  /** Where the files' names lead on from. */
  readonly directory: string;
  /** Text of the files that problems stand in. */
  readonly sources: ReadonlyMap<string, string>;
  /** For `showZone`. */
  readonly trace: readonly TraceEntry[];
}

/** Where the desired state is, and how it is read. */
export interface DesiredFilesOptions {
  /** Absolute path of a directory, or of one file. */
  readonly path: string;
  readonly files: FilePort;
  readonly clock: ReadingClock;
}

/** A reading of all files, and what it came to. */
interface Reading {
  readonly directory: string;
  readonly commit: string | undefined;
  readonly parsed: readonly ParsedFile[];
  readonly state: DesiredState;
}

/** What is known of a file. */
interface Known {
  /** Its last version of which nothing was an error by itself. */
  readonly good: ParsedFile | undefined;
  /** What its zones came to when they were last all right. */
  readonly documents: readonly ZoneDocument[];
}

/** The zone files of a directory: reads again what changed, and remembers the last good version of each file. */
export class DesiredFiles {
  readonly #options: DesiredFilesOptions;
  readonly #reader: Reader;
  #parsed = new Map<string, ParsedFile>();
  #known = new Map<string, Known>();
  readonly #memory: Memory = new WeakMap();
  #reading: Reading | undefined;
  #last: DesiredState;

  /** @param memory for reading a large file; what is not said is as the program has it. */
  constructor(options: DesiredFilesOptions, memory: Reader["memory"] = {}) {
    this.#options = options;
    this.#reader = { clock: options.clock, memory };
    this.#last = { ...nothingYet, directory: options.path };
  }

  /** Reads the files. Rejects only when `signal` aborts: whatever is wrong with the files is in the state. */
  async load(signal: AbortSignal): Promise<DesiredState> {
    const { path, files } = this.#options;
    const set = await readFileSet(path, files, (at) => this.#below(at).length > 0, signal);
    if (set.state === "unreadable") return this.#standstill(set.diagnostic);
    if (set.files.length === 0) return this.#standstill(emptyDirectory);
    const parsed = await this.#parseAll(set.files, signal);
    const commit = await commitOf(set.root, files, signal);
    this.#last = this.#read({ directory: set.directory, commit, parsed }).state;
    return this.#last;
  }

  /** Files that are read every half minute are nearly always as they were. */
  #read(next: Omit<Reading, "state">): Reading {
    const before = this.#reading;
    const reading =
      before !== undefined && isSame(before, next)
        ? before
        : { ...next, state: this.#stateOf(next) };
    this.#reading = reading;
    return reading;
  }

  /** Without files everything stays as it was. */
  #standstill(diagnostic: Diagnostic): DesiredState {
    this.#last = {
      ...this.#last,
      diagnostics: [diagnostic],
      usable: false,
      stale: [...this.#known.keys()],
      sources: new Map(),
    };
    return this.#last;
  }

  async #parseAll(
    found: readonly FoundFile[],
    signal: AbortSignal,
  ): Promise<readonly ParsedFile[]> {
    const parsed: ParsedFile[] = [];
    for (const entry of found) {
      parsed.push(await this.#parse(entry, signal));
      signal.throwIfAborted();
    }
    this.#parsed = new Map(parsed.map((entry) => [entry.file, entry]));
    return parsed;
  }

  /** What did not change is not parsed again. */
  async #parse(found: FoundFile, signal: AbortSignal): Promise<ParsedFile> {
    if ("diagnostic" in found) return unusableFile(found.file, found.diagnostic);
    const before = this.#parsed.get(found.file);
    const hash = hashOf(found.bytes);
    if (before?.hash === hash) return before;
    // A large set must not hold up everything else for as long as it takes.
    await setImmediate();
    return parseFileInWorker(found.file, hash, found.bytes, this.#reader, signal);
  }

  #stateOf({ directory, parsed, commit }: Omit<Reading, "state">): DesiredState {
    const taken = [...parsed, ...this.#lost(parsed)].map((current): Taken => {
      const good = current.usable ? current : this.#known.get(current.file)?.good;
      return { current, effective: good };
    });
    const joined = joinFiles(taken, (file) => this.#known.get(file)?.documents ?? [], this.#memory);
    this.#known = new Map(
      taken.map(({ current: { file }, effective }) => [
        file,
        { good: effective, documents: joined.documentsOf.get(file) ?? [] },
      ]),
    );
    const hash = hashOfSet(parsed);
    const silenced = suppressedDiagnostics(inOrder(joined.diagnostics), parsed);
    return {
      documents: joined.documents,
      ...silenced,
      usable: isUsable(joined, parsed),
      revision: commit ?? `sha256-${hash.slice(0, 12)}`,
      hash,
      files: parsed.filter(({ file }) => !isDirectory(file)).length,
      stale: joined.stale,
      directory,
      sources: sourcesOf(silenced.diagnostics, parsed),
      trace: joined.trace,
    };
  }

  /** Files below a directory that cannot be read just now: they count as they last were. */
  #lost(parsed: readonly ParsedFile[]): readonly ParsedFile[] {
    return parsed
      .map(({ file }) => file)
      .filter(isDirectory)
      .flatMap((directory) => this.#below(directory))
      .map((file) => ({ ...unusableFile(file, unreadable), diagnostics: [] }));
  }

  /** Files that are known below a directory. */
  #below(directory: string): readonly string[] {
    return [...this.#known.keys()].filter(
      (file) => file !== directory && file.startsWith(directory),
    );
  }
}

const nothingYet: DesiredState = {
  documents: [],
  diagnostics: [],
  usable: false,
  revision: "none",
  hash: "",
  files: 0,
  stale: [],
  silenced: 0,
  directory: "",
  sources: new Map(),
  trace: [],
};

const emptyDirectory = problemOfFile(".", "DIRECTORY_EMPTY", {
  message: "the directory holds no zone file",
  remedy: "put files ending in .yaml or .yml there; an empty directory is no empty state",
});

const unreadable = problemOfFile(".", "DIRECTORY_UNREADABLE", { message: "", remedy: "" });

/** Whether two readings found the same: a file that did not change is the very same one. */
function isSame(before: Omit<Reading, "state">, next: Omit<Reading, "state">): boolean {
  return (
    before.directory === next.directory &&
    before.commit === next.commit &&
    before.parsed.length === next.parsed.length &&
    before.parsed.every((file, index) => file === next.parsed[index])
  );
}

/** Whether a file counts as it lies there, and there is more to put in force than the good files beside a broken one. */
function isUsable(
  { documents, diagnostics, stale }: Joined,
  parsed: readonly ParsedFile[],
): boolean {
  if (documents.length === 0 && diagnostics.some(({ severity }) => severity === "error")) {
    return false;
  }
  const broken = new Set(stale);
  return parsed.some(({ file }) => !isDirectory(file) && !broken.has(file));
}

function isDirectory(file: string): boolean {
  return file.endsWith("/");
}

/** Equal sets of equal files have equal hashes, wherever they lie. */
function hashOfSet(parsed: readonly ParsedFile[]): string {
  const hash = createHash("sha256");
  for (const { file, hash: content } of parsed) hash.update(`${file}\0${content}\n`);
  return hash.digest("hex");
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted(
    ({ place: a }, { place: b }) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column,
  );
}

function sourcesOf(
  diagnostics: readonly Diagnostic[],
  parsed: readonly ParsedFile[],
): ReadonlyMap<string, string> {
  const named = new Set(diagnostics.map(({ place }) => place.file));
  return new Map(
    parsed
      .filter(({ file, text }) => named.has(file) && text !== "")
      .map(({ file, text }) => [file, text]),
  );
}
