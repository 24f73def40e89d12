import { createHash } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";

import { isJsonObject } from "../syntax/json.ts";
import type { State, ZoneState } from "./state.ts";

/*
 * A state file has one JSON text a line: what belongs to no zone, then each zone, then the sum of it all.
 * Zones are never changed, only replaced; so their lines are kept, and a write costs what has changed since.
 */
const format = "zonewarden-emulator-state/1";

/** Keeps the state in a file, so that it outlives the process. */
export interface StateFile {
  /** The state that the file holds; `undefined` where there is no file. A torn file is an error. */
  load(): Promise<State | undefined>;
  /** Writes what `current` gives; resolves when it, or something newer, is on the disk. */
  save(current: () => State): Promise<void>;
}

/** The state in the file at `path`. */
export function stateFileAt(path: string): StateFile {
  let writing: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  return {
    load: async () => {
      const text = await readFile(path, "utf8").catch(ignoreAbsence);
      return text === undefined ? undefined : stateIn(text, path);
    },
    // Writes that arrive while one is under way share the next one.
    save: (current) => {
      waiting ??= Promise.allSettled([writing]).then(async () => {
        waiting = undefined;
        writing = writeAtomically(path, linesOf(current()));
        await writing;
      });
      return waiting;
    },
  };
}

function ignoreAbsence(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}

/** A reader finds the old text or the new one, never a part of either. */
async function writeAtomically(path: string, lines: Iterable<string>): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(lines);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function* linesOf({ zones, ...others }: State): Generator<string> {
  const sum = createHash("sha256");
  for (const line of [lineOf({ format, ...others }), ...zones.map(zoneLine)]) {
    sum.update(line);
    yield line;
  }
  yield lineOf({ sha256: sum.digest("hex") });
}

const zoneLines = new WeakMap<ZoneState, string>();

function zoneLine(zone: ZoneState): string {
  const line = zoneLines.get(zone) ?? lineOf(zone);
  zoneLines.set(zone, line);
  return line;
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The last line vouches for all before it; what does not fit is refused as a whole. */
function stateIn(text: string, path: string): State {
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const sum = createHash("sha256").update(text.slice(0, end)).digest("hex");
  if (text.slice(end) !== lineOf({ sha256: sum })) {
    throw new Error(
      `${path}: not a complete state file of this emulator; delete it, or put a good copy in its place`,
    );
  }
  const [others, ...zones] = text
    .slice(0, end - 1)
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const state: unknown = isJsonObject(others) ? { ...others, zones } : undefined;
  if (isState(state)) return state;
  throw new Error(`${path}: holds no state of this version; delete it to begin with the seed`);
}

/** The sum vouches that we wrote the text; so its outline is enough. */
function isState(value: unknown): value is State {
  return (
    isJsonObject(value) &&
    value["format"] === format &&
    ["zones", "accounts", "tokens"].every((name) => Array.isArray(value[name]))
  );
}
