import { errorCode } from "../../syntax/error-code.ts";
import { coerceObject, coerceText, parseJson } from "../../syntax/json.ts";
import type { StateDirectory } from "./state-directory.ts";

/** What a lock needs from outside. */
export interface LockPorts {
  readonly clock: {
    now(): Date;
    /** Calls back once after `ms` milliseconds; the result calls it off. */
    alarm(ms: number, run: () => void): () => void;
    sleep(ms: number, signal: AbortSignal): Promise<void>;
  };
  readonly process: {
    readonly pid: number;
    readonly hostName: string;
    /** Whether a process of this machine runs. */
    readonly isRunning: (pid: number) => boolean;
  };
  readonly uniqueId: () => string;
  /** Ends the wait whether the holder lives: it counts as living then. */
  readonly stop?: AbortSignal | undefined;
  /** Another process took the lock over, as this one was silent for too long. It must write nothing more, anywhere. */
  readonly onLost: (error: DirectoryLocked) => void;
}

/** The right to write in a directory, until it is disposed. */
export interface DirectoryLock extends AsyncDisposable {
  /**
   * Does nothing once the lock is given back.
   *
   * @throws {DirectoryLocked} where another process took the lock over: this one was silent for too long.
   */
  check(): Promise<void>;
}

/** Another process uses the directory. */
export class DirectoryLocked extends Error {
  override readonly name = "DirectoryLocked";
}

const lockName = "state.lock";
/** The holder renews its lock so often. */
const renewMs = 10_000;
/** After this time without a renewal, by the clock of the process that waits, a lock is stale. */
const staleMs = 35_000;

interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Counts renewals. */
  readonly beat: number;
}

/**
 * Takes the lock of a state directory. A lock whose process is gone is taken over at once; one of another machine, or whose
 * process id is in use, once it was not renewed for 35 s.
 *
 * @throws {DirectoryLocked} where its holder lives.
 */
export async function lockDirectory(
  directory: StateDirectory,
  ports: LockPorts,
): Promise<DirectoryLock> {
  const { pid, hostName } = ports.process;
  const holder: Holder = { id: ports.uniqueId(), pid, host: hostName, beat: 0 };
  for (;;) {
    try {
      await directory.create(lockName, JSON.stringify(holder));
      return new HeldLock(directory, holder, ports);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
    await removeStale(directory, ports);
  }
}

/** Who holds the lock of a directory, for messages; `undefined`: nobody, or a process that is gone. Changes nothing. */
export async function lockHolder(
  directory: StateDirectory,
  ports: Pick<LockPorts, "process">,
): Promise<string | undefined> {
  const text = await directory.read(lockName);
  if (text === undefined) return undefined;
  const holder = holderIn(text);
  return holder !== undefined && isGone(holder, ports) ? undefined : nameOf(holder);
}

/** Removes a stale lock; rejects if it is none. */
async function removeStale(directory: StateDirectory, ports: LockPorts): Promise<void> {
  const before = await directory.read(lockName);
  if (before === undefined) return;
  const holder = holderIn(before);
  if (holder === undefined || !isGone(holder, ports)) {
    // A process that runs here may be another one that got the id of the holder: only its renewals tell.
    if (!(await isSilent(directory, before, ports))) throw lockedBy(holder);
  }
  // Two that find the same stale lock: one of them moves it away, the other finds none or a new one.
  const aside = `${lockName}.${ports.uniqueId()}`;
  try {
    await directory.rename(lockName, aside);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error;
  }
  const moved = await directory.read(aside);
  if (moved !== before && moved !== undefined) {
    // It was another one's new lock: it is put back, and this process is the one that comes too late.
    await directory.create(lockName, moved).catch(() => undefined);
    await directory.remove(aside);
    throw lockedBy(holderIn(moved));
  }
  await directory.remove(aside);
}

/** Whether the process that holds a lock is known to be gone. A container's first process has the same id each time. */
function isGone({ pid, host }: Holder, { process }: Pick<LockPorts, "process">): boolean {
  return host === process.hostName && (pid === process.pid || !process.isRunning(pid));
}

async function isSilent(
  directory: StateDirectory,
  before: string,
  { clock, stop = new AbortController().signal }: LockPorts,
): Promise<boolean> {
  await clock.sleep(staleMs, stop).catch(() => undefined);
  return !stop.aborted && (await directory.read(lockName)) === before;
}

function lockedBy(holder: Holder | undefined): DirectoryLocked {
  return new DirectoryLocked(
    `the store is in use by ${nameOf(holder)}: stop it, or give this process a directory of its own (store.path)`,
  );
}

function nameOf(holder: Holder | undefined): string {
  return holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host}`;
}

function holderIn(text: string): Holder | undefined {
  const { id, pid, host, beat } = coerceObject(parseJson(text));
  const isHolder =
    typeof id === "string" &&
    typeof pid === "number" &&
    typeof host === "string" &&
    typeof beat === "number";
  return isHolder ? { id, pid, host, beat } : undefined;
}

class HeldLock implements DirectoryLock {
  readonly #directory: StateDirectory;
  readonly #ports: LockPorts;
  #holder: Holder;
  #cancel: () => void = () => undefined;
  #work: Promise<void> = Promise.resolve();
  #isReleased = false;

  constructor(directory: StateDirectory, holder: Holder, ports: LockPorts) {
    this.#directory = directory;
    this.#holder = holder;
    this.#ports = ports;
    this.#renewLater();
  }

  async check(): Promise<void> {
    if (this.#isReleased) return;
    const holder = await this.#read();
    this.#lostTo(holder);
    if (holder === undefined) await this.#directory.replace(lockName, JSON.stringify(this.#holder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel();
    await this.#work;
    this.#isReleased = true;
    const holder = await this.#read().catch(() => undefined);
    if (holder?.id === this.#holder.id) await this.#directory.remove(lockName);
  }

  #renewLater(): void {
    this.#cancel = this.#ports.clock.alarm(renewMs, () => {
      this.#work = this.#renew();
      this.#renewLater();
    });
  }

  async #renew(): Promise<void> {
    try {
      const holder = await this.#read();
      this.#lostTo(holder);
      if (holder === undefined) return;
      this.#holder = { ...this.#holder, beat: this.#holder.beat + 1 };
      // In place: on a full disk, another process must not take this one for gone.
      await this.#directory.overwrite(lockName, JSON.stringify(this.#holder));
    } catch {
      // A disk that fails, or a lost lock: that is told. The next renewal tries again.
    }
  }

  /** @throws {DirectoryLocked} where the holder is another process. */
  #lostTo(holder: Holder | undefined): void {
    if (holder === undefined || holder.id === this.#holder.id) return;
    const error = lockedBy(holder);
    this.#ports.onLost(error);
    throw error;
  }

  /** Who holds the lock now; `undefined`: nobody, or somebody unknown. */
  async #read(): Promise<Holder | undefined> {
    return holderIn(coerceText(await this.#directory.read(lockName)));
  }
}
