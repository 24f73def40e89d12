import { createHash } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";

import { isJsonObject } from "../../syntax/json.ts";
import type { State, ZoneState } from "../state.ts";

/*
 * A state file has one JSON text a line: what belongs to no zone, then each zone, then the sum of all lines' sums.
 * Zones are never changed, only replaced; so their lines are kept with their sums, and a write costs what has changed
 * since, and the way to the disk.
 */
const format = "zonewarden-emulator-state/2";

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
      const bytes = await readFile(path).catch(ignoreAbsence);
      return bytes === undefined ? undefined : stateIn(bytes, path);
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
async function writeAtomically(path: string, lines: readonly Buffer[]): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, "w", 0o600);
  try {
    for (let from = 0; from < lines.length; from += atOnce) {
      await file.writev(lines.slice(from, from + atOnce));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** More buffers than this are not taken in one call by every system. */
const atOnce = 512;

/** A line as it stands in the file, its end included, and the sum of it. */
interface Line {
  readonly bytes: Buffer;
  readonly sum: Buffer;
}

function linesOf({ zones, ...others }: State): readonly Buffer[] {
  const lines = [lineOf({ format, ...others }), ...zones.map(zoneLine)];
  return [...lines.map(({ bytes }) => bytes), lastLine(lines.map(({ sum }) => sum))];
}

const zoneLines = new WeakMap<ZoneState, Line>();

function zoneLine(zone: ZoneState): Line {
  const line = zoneLines.get(zone) ?? lineOf(zone);
  zoneLines.set(zone, line);
  return line;
}

function lineOf(value: unknown): Line {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  return { bytes, sum: sumOf(bytes) };
}

function sumOf(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function lastLine(sums: readonly Buffer[]): Buffer {
  return lineOf({ sha256: sumOf(Buffer.concat(sums)).toString("hex") }).bytes;
}

/** The last line vouches for all before it; what does not fit is refused as a whole. */
function stateIn(bytes: Buffer, path: string): State {
  const lines = [...linesIn(bytes)];
  const last = lines.pop();
  if (last === undefined || !lastLine(lines.map(sumOf)).equals(last)) {
    throw new Error(
      `${path}: not a complete state file of this emulator; delete it, or put a good copy in its place`,
    );
  }
  const [others, ...zones] = lines.map((line): unknown => JSON.parse(line.toString()));
  const state: unknown = isJsonObject(others) ? { ...others, zones } : undefined;
  if (isState(state)) return state;
  throw new Error(`${path}: holds no state of this version; delete it to begin with the seed`);
}

function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf("\n", from) + 1 || bytes.length;
    yield bytes.subarray(from, end);
    from = end;
  }
}

/** The sum vouches that we wrote the text; so its outline is enough. */
function isState(value: unknown): value is State {
  return (
    isJsonObject(value) &&
    value["format"] === format &&
    ["zones", "accounts", "tokens"].every((name) => Array.isArray(value[name]))
  );
}
