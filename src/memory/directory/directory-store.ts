import { errorCode, errorText } from "../../syntax/error-code.ts";
import { coerceObject } from "../../syntax/json.ts";
import {
  type BatchPorts,
  BatchedStore,
  type KeyChange,
  type StateEntries,
  type StateMedium,
} from "../batched-store.ts";
import {
  type OpenResult,
  type StateLoss,
  stateLosses,
  type StateStore,
  type StoreIdentity,
} from "../state-store.ts";
import { changesIn, lineOf, valueIn } from "./journal-line.ts";
import type { StateDirectory } from "./state-directory.ts";
import {
  DirectoryLocked,
  type DirectoryLock,
  lockDirectory,
  type LockPorts,
} from "./state-lock.ts";

/** What a directory store needs from outside. */
export interface DirectoryStorePorts
  extends LockPorts, Pick<BatchPorts, "onFailure" | "onRecovery"> {
  readonly directory: StateDirectory;
}

const fileName = "state.jsonl";
/** Is there while `store copy` writes into the directory: what is in it then is a part of a store. */
const copyMark = "state.copying";
const format = "zonewarden-state";
const version = 1;

/** How long changes are gathered before they are written. */
const gatherMs = 100;
/** The file is rewritten once it is twice as long as what it says, and never below this length. */
const leastCompactedBytes = 256 * 1024;
/** Where a part of a line did not reach the disk before a crash. JSON escapes it, so no whole line has it. */
const hole = "\0";
/** Entries of one line of a rewritten file. */
const entriesOfLine = 500;

/**
 * Opens the state in a directory and locks it. State that cannot be used is set aside under a name that no other copy has.
 * If there is no state that can be used, the newest copy that this program and installation can use is taken back, as after
 * a rollback. If there is none either, the store begins empty. `opened` tells it.
 *
 * The state is one file of lines: each is a batch of changes with a checksum, appended and synced as one piece. A crash
 * leaves a torn last line, without its line feed or with a hole, which is cut off; any other damage makes the whole state
 * unusable. The file is rewritten when most of it is outdated. An embedded database was weighed: it would block the event
 * loop while it syncs, and its files cannot be checked for damage line by line.
 *
 * @throws {DirectoryLocked} where another process uses the directory.
 */
export async function openDirectoryStore(
  identity: StoreIdentity,
  ports: DirectoryStorePorts,
): Promise<StateStore> {
  const { directory, clock } = ports;
  await using resources = new AsyncDisposableStack();
  const lock = resources.use(await lockDirectory(directory, ports));
  if (await isUnfinished(directory)) throw new Error(unfinishedText);
  const loaded = await loadOrTakeBack(directory, identity, clock.now());
  const file = new DirectoryFile(identity, loaded, ports, lock);
  const store = new BatchedStore(file, loaded, gatherMs, ports);
  // The store gives the lock back from now on.
  resources.move();
  return store;
}

const unfinishedText =
  "a `zonewarden store copy` into this directory was interrupted: empty the directory, and copy again";

async function isUnfinished(directory: StateDirectory): Promise<boolean> {
  return (await directory.names()).includes(copyMark);
}

/**
 * Fills an empty directory, whose lock the caller holds. If that is interrupted, nobody takes what is there for a store.
 *
 * @param fill writes what belongs to the state, and checks it.
 */
export async function fillDirectory(
  directory: StateDirectory,
  identity: StoreIdentity,
  entries: StateEntries,
  fill: () => Promise<void>,
): Promise<void> {
  await directory.create(copyMark, "");
  await fill();
  await directory.replace(fileName, stateText(identity, entries));
  await directory.remove(copyMark);
}

async function loadOrTakeBack(
  directory: StateDirectory,
  identity: StoreIdentity,
  now: Date,
): Promise<LoadedState> {
  const loaded = await load(directory, fileName, identity);
  if (loaded.opened.result === "loaded") return loaded;
  const copies = await copiesIn(directory);
  let opened = loaded.opened;
  if (opened.result === "lost") {
    const next = (copies[0]?.number ?? 0) + 1;
    const keptAs = `${fileName}.${opened.reason}-${now.toISOString().slice(0, 10)}-${next}`;
    if (await setAside(directory, keptAs)) opened = { ...opened, keptAs };
  }
  for (const { name } of copies) {
    const copy = await load(directory, name, identity);
    if (copy.opened.result !== "loaded") continue;
    await directory.rename(name, fileName);
    return { ...copy, opened: { ...copy.opened, takenBack: name } };
  }
  // It was set aside by a process that ended before it wrote another one.
  const [last] = copies;
  if (opened.result === "empty" && last !== undefined) {
    const detail = "it was set aside before, and none was written since";
    opened = { result: "lost", reason: last.reason, detail, keptAs: last.name };
  }
  return { ...loaded, opened };
}

/** A copy of a state that could not be used when it was set aside. */
interface StateCopy {
  readonly name: string;
  readonly reason: StateLoss;
  /** Later copies have higher numbers. */
  readonly number: number;
}

/** The copies in a directory, newest first. */
async function copiesIn(directory: StateDirectory): Promise<readonly StateCopy[]> {
  const names = (await directory.names()).filter((name) => name.startsWith(`${fileName}.`));
  return names
    .flatMap((name) => {
      const [, word, number] = /\.([a-z]+)-\d{4}-\d\d-\d\d-(\d{1,9})$/.exec(name) ?? [];
      const reason = stateLosses.find((each) => each === word);
      return reason === undefined ? [] : [{ name, reason, number: Number(number) }];
    })
    .toSorted((a, b) => b.number - a.number);
}

/** What the state in a directory says, read without its lock: another process may go on writing it. Never writes. */
export async function readDirectoryStore(
  identity: StoreIdentity,
  directory: StateDirectory,
): Promise<Pick<LoadedState, "opened" | "entries">> {
  try {
    if (await isUnfinished(directory)) return lost("unreadable", unfinishedText);
  } catch (error) {
    return lost("unreadable", errorText(error));
  }
  return load(directory, fileName, identity);
}

interface LoadedState {
  readonly opened: OpenResult;
  readonly entries: Map<string, string>;
  /** Bytes of the file that are whole; 0 if it has to be written anew. */
  readonly bytes: number;
}

async function load(
  directory: StateDirectory,
  name: string,
  identity: StoreIdentity,
): Promise<LoadedState> {
  let text: string | undefined;
  try {
    text = await directory.read(name);
  } catch (error) {
    return lost("unreadable", errorText(error));
  }
  if (text === undefined) return without({ result: "empty" });
  return read(text, identity);
}

function lost(reason: StateLoss, detail: string): LoadedState {
  return without({ result: "lost", reason, detail });
}

function without(opened: OpenResult): LoadedState {
  return { opened, entries: new Map(), bytes: 0 };
}

function read(text: string, identity: StoreIdentity): LoadedState {
  const headEnd = text.indexOf("\n");
  const header = headEnd < 0 ? undefined : valueIn(text.slice(0, headEnd));
  if (header === undefined) return lost("damaged", "line 1 is damaged");
  const error = headerError(header, identity);
  if (error !== undefined) return error;
  const entries = new Map<string, string>();
  let start = headEnd + 1;
  for (let line = 2; ; line += 1) {
    const end = text.indexOf("\n", start);
    // A file that is written anew has a line, if there is anything to remember: a crash leaves it.
    if (end === -1 && line === 2 && start < text.length) return lost("damaged", "no line is whole");
    if (end === -1) break;
    const content = text.slice(start, end);
    const changes = changesIn(valueIn(content));
    if (changes === undefined) {
      if (end === text.length - 1 && content.includes(hole)) break;
      return lost("damaged", `line ${line} is damaged`);
    }
    for (const change of changes) put(entries, change);
    start = end + 1;
  }
  // A torn last line is cut off by writing the file anew.
  const bytes = start < text.length ? 0 : Buffer.byteLength(text);
  return { opened: { result: "loaded", entries: entries.size }, entries, bytes };
}

/** What keeps a file with this header from being used. */
function headerError(header: unknown, identity: StoreIdentity): LoadedState | undefined {
  const known = coerceObject(header);
  if (known["format"] !== format) return lost("foreign", "the file is no state of zonewarden");
  if (typeof known["version"] !== "number" || known["version"] > version) {
    return lost(
      "newer",
      `the state has version ${JSON.stringify(known["version"])}, known is ${version}`,
    );
  }
  if (known["owner"] !== identity.owner || known["service"] !== identity.service) {
    const whose = `owner ${JSON.stringify(known["owner"])} at ${JSON.stringify(known["service"])}`;
    return lost("foreign", `the state belongs to ${whose}`);
  }
  return undefined;
}

function put(entries: Map<string, string>, [key, text]: KeyChange): void {
  if (text === null) entries.delete(key);
  else entries.set(key, text);
}

/** Keeps what cannot be used; `false`: it is gone. The lock keeps other processes from using the same name. */
async function setAside(directory: StateDirectory, name: string): Promise<boolean> {
  try {
    await directory.rename(fileName, name);
    return true;
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return false;
  }
}

/** A whole file. */
function stateText({ owner, service }: StoreIdentity, all: StateEntries): string {
  const lines = [lineOf({ format, version, owner, service })];
  const entries = [...all];
  for (let start = 0; start < entries.length; start += entriesOfLine) {
    lines.push(lineOf(entries.slice(start, start + entriesOfLine)));
  }
  return lines.join("");
}

const exchangedText = `another program removed or replaced ${fileName}: it is written anew`;

/** The file of a locked directory. */
class DirectoryFile implements StateMedium {
  readonly #identity: StoreIdentity;
  readonly #ports: DirectoryStorePorts;
  readonly #lock: DirectoryLock;
  /** Length of the file; 0: it has to be written anew. */
  #bytes: number;
  /** Length that the file had when it was last written anew, or would have had at the start. */
  #bytesCompacted: number;
  /** Whether a write failed, and may have left a part. */
  #hasFailed = false;

  constructor(
    identity: StoreIdentity,
    { bytes, entries }: LoadedState,
    ports: DirectoryStorePorts,
    lock: DirectoryLock,
  ) {
    this.#identity = identity;
    this.#bytes = bytes;
    this.#bytesCompacted = Buffer.byteLength(stateText(identity, entries));
    this.#ports = ports;
    this.#lock = lock;
  }

  async store(changes: readonly KeyChange[], entries: StateEntries): Promise<number> {
    await this.#store(changes, entries);
    return gatherMs;
  }

  async isHeld(): Promise<boolean> {
    try {
      await this.#lock.check();
      return true;
    } catch (error) {
      return !(error instanceof DirectoryLocked);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lock[Symbol.asyncDispose]();
  }

  async #store(changes: readonly KeyChange[], entries: StateEntries): Promise<void> {
    await this.#lock.check();
    const line = lineOf(changes);
    const bytes = Buffer.byteLength(line);
    const limit = Math.max(leastCompactedBytes, 2 * this.#bytesCompacted);
    if (this.#bytes === 0 || this.#bytes + bytes > limit) return this.#compact(entries);
    try {
      await this.#ports.directory.append(fileName, this.#bytes, line);
      this.#bytes += bytes;
      this.#hasFailed = false;
    } catch (error) {
      if (!["ENOENT", "ESTALE"].includes(errorCode(error))) {
        this.#hasFailed = true;
        throw error;
      }
      // What is remembered is in memory.
      const { onFailure, onRecovery } = this.#ports;
      const isForeign = !this.#hasFailed;
      this.#hasFailed = true;
      if (isForeign) onFailure(new Error(exchangedText));
      await this.#compact(entries);
      if (isForeign) onRecovery();
    }
  }

  async #compact(all: StateEntries): Promise<void> {
    const text = stateText(this.#identity, all);
    await this.#ports.directory.replace(fileName, text);
    this.#bytes = Buffer.byteLength(text);
    this.#bytesCompacted = this.#bytes;
    this.#hasFailed = false;
  }
}
