import type { ZoneDocument } from "../zone/desired.ts";
import type { Problem } from "../zone/problem.ts";
import type { FilePort } from "./files.ts";
import type { Trace } from "./show.ts";

/** Everything that the files say, with what is wrong in them. */
export interface DesiredState {
  /** Of a broken file: those of its last good version in this process. */
  readonly documents: readonly ZoneDocument[];
  readonly problems: readonly Problem[];
  /** Commit of the directory where there is one, else taken from the content. */
  readonly revision: string;
  /** Of all file contents: equal as long as nothing was changed. */
  readonly hash: string;
  /** How many files there are. */
  readonly files: number;
  /** Files that could not be taken as they are, and count in their last good version. */
  readonly stale: readonly string[];
  /** Warnings that a comment in a file has silenced. */
  readonly silenced: number;
  /** Text of the files that problems stand in. */
  readonly sources: ReadonlyMap<string, string>;
  /** For `showZone`. */
  readonly trace: Trace;
}

/** Where the desired state is, and how it is read. */
export interface DesiredFilesOptions {
  /** Absolute path of a directory, or of one file. */
  readonly path: string;
  /** Name in our marks; a description must not bear one by itself. */
  readonly owner: string;
  readonly files: FilePort;
}

/** The zone files of a directory: reads again what changed, and remembers the last good version of each file. */
export class DesiredFiles {
  readonly #options: DesiredFilesOptions;

  constructor(options: DesiredFilesOptions) {
    this.#options = options;
  }

  async load(signal: AbortSignal): Promise<DesiredState> {
    await this.#options.files.read(this.#options.path, 1, signal);
    throw new Error("not built yet");
  }
}
