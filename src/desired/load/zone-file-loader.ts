import { setImmediate } from "node:timers/promises";

import { byText } from "../../syntax/by-text.ts";
import { sha256 } from "../../syntax/digest.ts";
import type { DesiredState } from "../../zone/desired-state.ts";
import { type Diagnostic, isError } from "../../zone/diagnostic.ts";
import { internalError } from "../../zone/internal-error.ts";
import type { ZoneName } from "../../zone/zone.ts";
import { fileDiagnostic } from "../diagnostics.ts";
import type { FilePort } from "../file-system.ts";
import { type Lint, lintOf, type LintRule } from "../lint.ts";
import type { WorkerLimits } from "../yaml/read-yaml-in-worker.ts";
import { declaredHash } from "../zones/declared-hash.ts";
import { type FileVersions, joinZoneFiles, type ZoneCache } from "./join-zone-files.ts";
import { mayConcern } from "./may-concern.ts";
import {
  type ParsedFile,
  type ParseOptions,
  parseZoneFileInWorker,
  skippedFile,
  unreadableFile,
} from "./parse-zone-file.ts";
import { type ReadFile, readZoneFiles, type ZoneFileSet } from "./read-zone-files.ts";
import { reportOf } from "./report-diagnostics.ts";
import { ValuePool } from "./value-pool.ts";

/** What all zone files declare. */
export interface LoadedFiles extends DesiredState {
  /** How many files there are. */
  readonly files: number;
  /** Files whose current version is not used; their last good version is, if there is one. */
  readonly stale: readonly string[];
  /** The files that could be read, by name, with the hash of their bytes. */
  readonly contents: readonly { readonly file: string; readonly hash: string }[];
  /**
   * How many of the files were left out, as they have nothing to do with the zones that are loaded.
   */
  readonly skipped: number;
  /** Number of warnings that comments suppress. */
  readonly suppressed: number;
  /** File names are relative to it. */
  readonly directory: string;
  /** Redacted text of the files with diagnostics. */
  readonly sources: ReadonlyMap<string, string>;
}

/** The files that are given a label. */
export interface LabelledFiles {
  /** Absolute path of the directory, or of the one file. */
  readonly place: string;
  /** Whether the path names one file: then others in its directory do not count. */
  readonly isFile: boolean;
  /**
   * As they were read, with names relative to the directory; `undefined`: a file could not be read.
   */
  readonly files: readonly { readonly file: string; readonly bytes: Uint8Array | undefined }[];
}

/** Where the zone files are, and how to read them. */
export interface ZoneFileLoaderOptions {
  /** Absolute path of a directory, or of one file. */
  readonly path: string;
  readonly files: FilePort;
  readonly clock: WorkerLimits["clock"];
  /** Git's name for what was read; omitted: none. */
  readonly label?: (files: LabelledFiles, signal: AbortSignal) => Promise<string | undefined>;
  /** What warnings count as; omitted: as they are. */
  readonly lint?: readonly LintRule[];
  /**
   * Loads only files that may concern these zones, and checks no others; omitted: all files.
   * Everything else is as if the other files were not there, except the revision.
   */
  readonly zones?: readonly ZoneName[];
  /** Receives an exception that nothing should have thrown; there is a diagnostic for it too. */
  readonly bug?: (error: unknown) => void;
}

/** What was read, and the state that it yields. */
interface Load {
  readonly directory: string;
  readonly commit: string | undefined;
  readonly parsed: readonly ParsedFile[];
  /** Whether it was read from the state, and not from the disk. */
  readonly isRestored: boolean;
  readonly state: LoadedFiles;
}

/**
 * Loads the zone files of a directory again and again: find and read the files, parse those that
 * changed, join them with the last good versions of broken files, and build the state.
 */
export class ZoneFileLoader {
  readonly #options: ZoneFileLoaderOptions;
  readonly #limits: WorkerLimits;
  readonly #bug: (error: unknown) => void;
  readonly #lint: Lint;
  readonly #cache: ZoneCache = new WeakMap();
  #versions = new Map<string, FileVersions>();
  #last: Load | undefined;

  /** @param memory limits for reading a large file; omitted ones are those of the process. */
  constructor(options: ZoneFileLoaderOptions, memory: WorkerLimits["memory"] = {}) {
    this.#options = options;
    this.#limits = { clock: options.clock, memory };
    this.#bug = options.bug ?? (() => undefined);
    this.#lint = lintOf(options.lint ?? []);
  }

  /** Rejects only when `signal` aborts: errors of the files are in the state. */
  load(signal: AbortSignal): Promise<LoadedFiles> {
    return this.#loadOrKeep(this.#options.files, false, signal);
  }

  /**
   * Loads the files as they were before a restart. Their documents are marked as restored, also
   * where a later load keeps them in place of a broken file, until a load finds the file on the
   * disk.
   */
  restore(files: FilePort, signal: AbortSignal): Promise<LoadedFiles> {
    return this.#loadOrKeep(files, true, signal);
  }

  async #loadOrKeep(
    files: FilePort,
    isRestored: boolean,
    signal: AbortSignal,
  ): Promise<LoadedFiles> {
    try {
      return await this.#loadFrom(files, isRestored, signal);
    } catch (error) {
      signal.throwIfAborted();
      return this.#lastState(this.#bugIn(".", error));
    }
  }

  async #loadFrom(files: FilePort, isRestored: boolean, signal: AbortSignal): Promise<LoadedFiles> {
    const { path } = this.#options;
    const set = await readZoneFiles(path, files, (at) => this.#filesBelow(at).length > 0, signal);
    if ("code" in set) return this.#lastState(set);
    if (set.files.length === 0) return this.#lastState(emptyDirectory);
    const options = { limits: this.#limits, pool: new ValuePool() };
    const parsed: ParsedFile[] = [];
    for (const file of set.files) {
      parsed.push(await this.#parse(file, options, signal));
      signal.throwIfAborted();
    }
    const { label } = this.#options;
    const commit = isRestored ? undefined : await label?.(labelled(set, path), signal);
    const next = { directory: set.directory, commit, parsed, isRestored };
    if (this.#last === undefined || !isSame(this.#last, next)) {
      this.#last = { ...next, state: this.#join(next) };
    }
    return this.#last.state;
  }

  /** The state without new files: everything stays as it was. */
  #lastState(diagnostic: Diagnostic): LoadedFiles {
    const { path: directory } = this.#options;
    return {
      ...(this.#last?.state ?? { ...initialState, directory }),
      usable: false,
      diagnostics: [diagnostic],
      stale: [...this.#versions.keys()],
      sources: new Map(),
    };
  }

  /** Unchanged files keep their parsed version. */
  async #parse(read: ReadFile, options: ParseOptions, signal: AbortSignal): Promise<ParsedFile> {
    if ("diagnostic" in read) return unreadableFile(read.file, read.diagnostic);
    const before = this.#versions.get(read.file)?.current;
    const hash = sha256(read.bytes);
    if (before?.hash === hash) return before;
    const { zones } = this.#options;
    if (zones !== undefined && !mayConcern(read, zones)) return skippedFile(read.file, hash);
    // Lets other work run between the files of a large set.
    await setImmediate();
    try {
      const { file, bytes } = read;
      return linted(await parseZoneFileInWorker(file, hash, bytes, options, signal), this.#lint);
    } catch (error) {
      signal.throwIfAborted();
      return { ...unreadableFile(read.file, this.#bugIn(read.file, error)), hash };
    }
  }

  #bugIn(file: string, error: unknown): Diagnostic {
    this.#bug(error);
    return internalError(error, { file, line: 1, column: 1 });
  }

  #join({ directory, parsed, commit, isRestored }: Omit<Load, "state">): LoadedFiles {
    const versions = [...parsed, ...this.#lostFiles(parsed)].map((current): FileVersions => {
      const known = this.#versions.get(current.file);
      return {
        current,
        good: current.usable ? current : known?.good,
        isRestored: current.usable ? isRestored : (known?.isRestored ?? false),
        lastDocuments: known?.lastDocuments ?? [],
      };
    });
    const { documentsOf, ...joined } = joinZoneFiles(versions, this.#cache, this.#lint, this.#bug);
    this.#versions = new Map(
      versions.map((version) => {
        const { file } = version.current;
        return [file, { ...version, lastDocuments: documentsOf.get(file) ?? [] }];
      }),
    );
    const skipped = parsed.filter((file) => file.skipped).length;
    const hash = hashOfFiles(parsed);
    return {
      ...joined,
      ...reportOf(joined.diagnostics, parsed, this.#lint),
      usable: isUsable(joined, parsed),
      revision: `sha256-${hash}`,
      commit,
      hash,
      declaredHash: skipped > 0 ? "" : declaredHash(joined.documents),
      files: parsed.filter(({ file }) => !isDirectory(file)).length,
      skipped,
      // Of the others, the hash is the code of a diagnostic.
      contents: parsed
        .filter((each) => /^[0-9a-f]{64}$/.test(each.hash))
        .map((each) => ({ file: each.file, hash: each.hash })),
      directory,
    };
  }

  /** Files below a directory that cannot be read: they keep their last good version. */
  #lostFiles(parsed: readonly ParsedFile[]): readonly ParsedFile[] {
    return parsed
      .map(({ file }) => file)
      .filter(isDirectory)
      .flatMap((directory) => this.#filesBelow(directory))
      .map((file) => ({ ...unreadableFile(file, lostFile), diagnostics: [] }));
  }

  #filesBelow(directory: string): readonly string[] {
    return [...this.#versions.keys()].filter(
      (file) => file !== directory && file.startsWith(directory),
    );
  }
}

const initialState: LoadedFiles = {
  documents: [],
  diagnostics: [],
  revision: "none",
  commit: undefined,
  hash: "",
  declaredHash: "",
  files: 0,
  stale: [],
  contents: [],
  skipped: 0,
  suppressed: 0,
  usable: false,
  directory: "",
  sources: new Map(),
};

const emptyDirectory = fileDiagnostic(
  ".",
  "DIRECTORY_EMPTY",
  "the directory has no zone files",
  "add files that end in .yaml or .yml; an empty directory does not delete anything",
);

const lostFile = fileDiagnostic(".", "DIRECTORY_UNREADABLE", "", "");

/** A warning that counts as an error makes a file unusable too. */
function linted(file: ParsedFile, lint: Lint): ParsedFile {
  const diagnostics = lint(file.diagnostics);
  if (diagnostics === file.diagnostics) return file;
  return { ...file, diagnostics, usable: file.usable && !diagnostics.some(isError) };
}

/** Depends on names relative to the directory and on contents alone. */
function hashOfFiles(files: readonly ParsedFile[]): string {
  const inOrder = files.toSorted(byText(({ file }) => file));
  return sha256(inOrder.map(({ file, hash }) => `${file}\0${hash}\n`).join(""));
}

/** An unchanged file is the same object. */
function isSame(before: Omit<Load, "state">, next: Omit<Load, "state">): boolean {
  return (
    before.directory === next.directory &&
    before.commit === next.commit &&
    before.isRestored === next.isRestored &&
    before.parsed.length === next.parsed.length &&
    before.parsed.every((file, index) => file === next.parsed[index])
  );
}

function labelled({ directory, files }: ZoneFileSet, path: string): LabelledFiles {
  return {
    place: path,
    isFile: directory !== path,
    files: files.map((each) => ({
      file: each.file,
      bytes: "bytes" in each ? each.bytes : undefined,
    })),
  };
}

function isDirectory(file: string): boolean {
  return file.endsWith("/");
}

/** Whether a current file is used, and its zones are not all missing because of errors. */
function isUsable(
  { documents, diagnostics, stale }: Pick<LoadedFiles, "documents" | "diagnostics" | "stale">,
  parsed: readonly ParsedFile[],
): boolean {
  if (documents.length === 0 && diagnostics.some(isError)) return false;
  const unused = new Set(stale);
  return parsed.some(({ file }) => !isDirectory(file) && !unused.has(file));
}
