import type { HistoryStore } from "../../../src/history/file/history-store.ts";
import type { StateDirectory } from "../../../src/memory/directory/state-directory.ts";
import { MemoryDirectory } from "../../support/memory-directory.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";

/** A process that can be killed. */
export interface Life {
  readonly isAlive: boolean;
}

/** What outlives a process: its state directory and its history file, or a database. */
export class ProcessFiles {
  readonly directory: MemoryDirectory = new MemoryDirectory();
  history = "";
  /** `undefined`: the store is the directory. */
  readonly database: SimulatedDatabase | undefined;

  constructor(database?: SimulatedDatabase) {
    this.database = database;
  }

  /**
   * Cuts the end of the last line off, as a crash in the middle of an append does. A transaction is never torn: of a
   * database, the last batch is lost, as with a copy that lagged behind.
   */
  tear(): void {
    this.database?.restore(1);
    const state = this.directory.files.get("state.jsonl") ?? "";
    if (state !== "") this.directory.files.set("state.jsonl", state.slice(0, -9));
    if (this.history !== "") this.history = this.history.slice(0, -9);
  }

  /** The state directory of a process: after its end nothing is read or written any more. */
  stateFor(life: Life): StateDirectory {
    const { directory } = this;
    return {
      read: (name) => whileAlive(life, () => directory.read(name)),
      lines: (name) => linesWhileAlive(life, directory.lines(name)),
      create: (name, text) => whileAlive(life, () => directory.create(name, text)),
      append: (name, offset, text) => whileAlive(life, () => directory.append(name, offset, text)),
      overwrite: (name, text) => whileAlive(life, () => directory.overwrite(name, text)),
      replace: (name, text) => whileAlive(life, () => directory.replace(name, text)),
      rename: (from, to) => whileAlive(life, () => directory.rename(from, to)),
      remove: (name) => whileAlive(life, () => directory.remove(name)),
      names: () => whileAlive(life, () => directory.names()),
    };
  }

  historyFor(life: Life): HistoryStore {
    const bytes = (): Buffer => Buffer.from(this.history);
    const change = (next: () => Buffer | string): Promise<void> =>
      whileAlive(life, async () => {
        this.history = next().toString();
        await Promise.resolve();
      });
    return {
      size: () => whileAlive(life, () => Promise.resolve(bytes().length)),
      place: "history.jsonl",
      canDrop: true,
      read: () => piecesOf(bytes()),
      add: ({ lines: { text }, drop }) =>
        change(
          () =>
            `${bytes()
              .subarray(drop?.bytes ?? 0)
              .toString()}${text}`,
        ),
      truncate: (size) => change(() => bytes().subarray(0, size)),
    };
  }
}

async function* linesWhileAlive(life: Life, lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield await whileAlive(life, () => Promise.resolve(line));
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  if (bytes.length > 0) yield bytes;
}

/** Nobody hears of what a killed process would still do. */
export function whileAlive<T>(life: Life, act: () => Promise<T>): Promise<T> {
  return life.isAlive ? act() : new Promise<T>(() => undefined);
}
