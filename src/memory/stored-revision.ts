import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";

import type { FileFacts, FilePort } from "../desired/file-system.ts";
import type { LoadedFiles } from "../desired/load/zone-file-loader.ts";
import { type RoundProgress, roundPhases } from "../reconcile/fleet/desired-fleet.ts";
import { sha256 } from "../syntax/digest.ts";
import { coerceObject, coerceText, parseJson, parseName } from "../syntax/json.ts";
import { revisionKeys } from "./state-keys.ts";
import type { StateStore } from "./state-store.ts";

/** In a thread: a file of 8 MB would block the event loop. */
const pack = promisify(gzip);

const { head: revisionKey, files: filePrefix, earlier: earlierPrefix } = revisionKeys;

/** Zone files are at most 8 MB each; what unpacks to more is no zone file. */
const maxUnpacked = 9 * 1024 * 1024;

/** The revision that was in force when the daemon last stored it, with its files. */
export interface StoredFiles {
  readonly revision: string;
  /** Git's name for it, as it was; `undefined` if there was none. */
  readonly commit: string | undefined;
  /** Hash of its content, hexadecimal. */
  readonly hash: string;
  readonly round: RoundProgress;
  /** Shows the files of the revision at the path where they lay. */
  readonly files: FilePort;
}

/**
 * Keeps the zone files of the active revision in the state, packed, so that a daemon that starts knows what was in
 * force: a revision that is held stays held, and a broken file keeps its last good version.
 */
export class StoredRevision implements AsyncDisposable {
  readonly #store: StateStore;
  readonly #path: string;
  readonly #files: FilePort;
  #work: Promise<void> = Promise.resolve();

  /** @param place absolute path of the zone files, or of the one file. */
  constructor(store: StateStore, place: string, files: FilePort) {
    this.#store = store;
    this.#path = place;
    this.#files = files;
  }

  /** What was in force; `undefined` if nothing was stored, or it cannot be read. */
  stored(): StoredFiles | undefined {
    return this.#storedAt("");
  }

  /** A revision that was active before; `undefined` if it was not kept, or cannot be read. */
  earlier(hash: string): StoredFiles | undefined {
    return this.#storedAt(prefixOf(hash));
  }

  /** The keys of the revisions that are stored, and cannot be read. */
  get damaged(): readonly string[] {
    const earlier = this.#store.keys(earlierPrefix).map((key) => prefixOf(key.split("/")[1] ?? ""));
    const active = this.#store.get(revisionKey) === undefined ? [] : [""];
    return [...new Set([...active, ...earlier])]
      .filter((prefix) => this.#storedAt(prefix) === undefined)
      .map((prefix) => `${prefix}${revisionKey}`);
  }

  #storedAt(prefix: string): StoredFiles | undefined {
    const head = headIn(this.#store.get(`${prefix}${revisionKey}`));
    if (head === undefined) return undefined;
    const contents = new Map<string, Uint8Array>();
    const fileKeys = `${prefix}${filePrefix}`;
    for (const key of this.#store.keys(fileKeys)) {
      const content = contentIn(coerceText(this.#store.get(key)));
      if (content === undefined) return undefined;
      contents.set(key.slice(fileKeys.length), content);
    }
    const { revision, commit, hash, round, single } = head;
    return { revision, commit, hash, round, files: filesOf(this.#path, contents, single) };
  }

  /**
   * Stores the files of a revision that is now in force; a broken file keeps what is stored of it. A file that has
   * changed again since it was read is left for the next load.
   *
   * @param inForce hashes of all revisions that are still in force in a zone: what is stored of them is kept.
   */
  store(state: LoadedFiles, round: RoundProgress, inForce: ReadonlySet<string>): void {
    this.#work = this.#work.then(() => this.#storeFiles(state, round, inForce));
  }

  /** Resolves when nothing is left to store. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#work;
  }

  async #storeFiles(
    state: LoadedFiles,
    round: RoundProgress,
    inForce: ReadonlySet<string>,
  ): Promise<void> {
    const stale = new Set(state.stale);
    const present = new Set([...state.contents.map(({ file }) => file), ...stale]);
    const changed = new Map<string, string | undefined>();
    for (const { file, hash } of state.contents) {
      const key = `${filePrefix}${file}`;
      if (stale.has(file) || this.#store.get(key)?.startsWith(`${hash} `) === true) continue;
      const bytes = await this.#read(state.directory, file);
      if (bytes === undefined || sha256(bytes) !== hash) return;
      changed.set(key, `${hash} ${(await pack(bytes)).toString("base64")}`);
    }
    for (const key of this.#store.keys(filePrefix)) {
      if (!present.has(key.slice(filePrefix.length))) changed.set(key, undefined);
    }
    const { revision, commit, hash, directory } = state;
    const single = path.resolve(directory) !== path.resolve(this.#path);
    const { phase, passed, judgesKnown } = round;
    const head = { revision, commit, hash, round: phase, passed, judgesKnown, single };
    for (const [key, text] of this.#changesOfEarlier(hash, inForce)) changed.set(key, text);
    changed.set(revisionKey, JSON.stringify(head));
    // All in one turn, and so in one batch: after a crash there are the files of one revision, never of two.
    for (const [key, text] of changed) this.#store.set(key, text);
  }

  /** Keeps the revision that is replaced, if it is still in force in a zone, and forgets those that are not any more. */
  #changesOfEarlier(
    hash: string,
    inForce: ReadonlySet<string>,
  ): readonly (readonly [key: string, text: string | undefined])[] {
    const inUse = [...inForce].map(prefixOf);
    const gone = this.#store
      .keys(earlierPrefix)
      .filter((key) => !inUse.some((prefix) => key.startsWith(prefix)))
      .map((key) => [key, undefined] as const);
    const before = coerceText(headIn(this.#store.get(revisionKey))?.hash);
    if (before === hash || !inForce.has(before)) return gone;
    const kept = [revisionKey, ...this.#store.keys(filePrefix)].map(
      (key) => [`${prefixOf(before)}${key}`, this.#store.get(key)] as const,
    );
    return [...gone, ...kept];
  }

  /** `undefined` if the file cannot be read any more. */
  async #read(directory: string, file: string): Promise<Uint8Array | undefined> {
    try {
      const real = await this.#files.realpath(path.join(directory, file));
      return await this.#files.read(real, maxUnpacked, new AbortController().signal);
    } catch {
      return undefined;
    }
  }
}

function prefixOf(hash: string): string {
  return `${earlierPrefix}${hash}/`;
}

interface Head {
  readonly revision: string;
  readonly commit: string | undefined;
  readonly hash: string;
  readonly round: RoundProgress;
  readonly single: boolean;
}

/** What is stored of a revision beside its files; `undefined`: nothing, or it is damaged. */
export function headIn(text: string | undefined): Head | undefined {
  const value = coerceObject(parseJson(coerceText(text)));
  const [revision, hash] = [coerceText(value["revision"]), coerceText(value["hash"])];
  if (hash === "") return undefined;
  const commit = coerceText(value["commit"]) || undefined;
  // Without it, the fleet is judged once more.
  const phase = parseName(roundPhases, value["round"]) ?? "planning";
  const passed = typeof value["passed"] === "number" ? Math.max(0, value["passed"]) : 0;
  const judgesKnown = value["judgesKnown"] === true;
  const round = { phase, passed, judgesKnown };
  return { revision, commit, hash, round, single: value["single"] === true };
}

/** The bytes of a packed file; `undefined` if they are not those whose hash is stored with them. */
function contentIn(text: string): Uint8Array | undefined {
  const [hash, packed] = text.split(" ", 2);
  try {
    const bytes = gunzipSync(Buffer.from(coerceText(packed), "base64"), {
      maxOutputLength: maxUnpacked,
    });
    return sha256(bytes) === hash ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Files of a directory that are in memory, or the one file that stands at the path itself. */
export function filesOf(
  root: string,
  contents: ReadonlyMap<string, Uint8Array>,
  single: boolean,
): FilePort {
  const home = single ? path.dirname(root) : root;
  const files = new Map([...contents].map(([file, bytes]) => [path.join(home, file), bytes]));
  const isDirectory = (at: string): boolean =>
    [...files.keys()].some((file) => file.startsWith(`${at}${path.sep}`));
  const bytesOf = (at: string): Uint8Array => {
    const bytes = files.get(at);
    if (bytes !== undefined) return bytes;
    throw Object.assign(new Error(`there is no ${at}`), { code: "ENOENT" });
  };
  const factsOf = (at: string): FileFacts => {
    const bytes = files.get(at);
    if (bytes !== undefined) return { kind: "file", size: bytes.length, inode: at, identity: at };
    if (isDirectory(at)) return { kind: "directory", size: 0, inode: at, identity: at };
    throw Object.assign(new Error(`there is no ${at}`), { code: "ENOENT" });
  };
  return {
    realpath: (at) => Promise.resolve(at),
    list: (at) => {
      const below = [...files.keys()].filter((file) => file.startsWith(`${at}${path.sep}`));
      const names = below.flatMap((file) => path.relative(at, file).split(path.sep).slice(0, 1));
      return Promise.resolve([...new Set(names)]);
    },
    facts: async (at) => Promise.resolve(factsOf(at)),
    read: async (at, limit) => Promise.resolve(bytesOf(at).subarray(0, limit)),
  };
}
