import { open, readFile, rename, rm } from "node:fs/promises";

import { sha256 } from "../../syntax/digest.ts";
import { ifExists } from "../../syntax/error-code.ts";
import { isJsonObject } from "../../syntax/json.ts";
import type { State, EmulatedZone } from "../state.ts";

/*
 * A state file has one JSON value a line: what belongs to no zone, then each zone, then a checksum of all lines.
 * Zones are immutable, so their lines are cached with their checksums: a write serializes only what has changed.
 */
const format = "zonewarden-emulator-state/2";

/** A file in which the state outlives the process. */
export interface StateFile {
  /** The state in the file; `undefined` if there is no file. Throws on an incomplete file. */
  load(): Promise<State | undefined>;
  /** Writes the result of `current`; resolves when it, or a newer state, is on the disk. */
  save(current: () => State): Promise<void>;
}

export function stateFileAt(path: string): StateFile {
  let writing: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  return {
    load: async () => {
      const bytes = await ifExists(readFile(path));
      return bytes === undefined ? undefined : stateIn(bytes, path);
    },
    // Calls during a write share the next one.
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

/** A reader sees the old content or the new one, never a part. */
async function writeAtomically(path: string, lines: readonly Buffer[]): Promise<void> {
  const draft = `${path}.tmp`;
  // A link in its place is removed and not followed.
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    for (let from = 0; from < lines.length; from += maxBuffers) {
      await file.writev(lines.slice(from, from + maxBuffers));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

/** Not every system accepts more buffers in one call. */
const maxBuffers = 512;

/** A line with its end, and its checksum. */
interface Line {
  readonly bytes: Buffer;
  readonly checksum: string;
}

function linesOf({ zones, ...others }: State): readonly Buffer[] {
  const lines = [lineOf({ format, ...others }), ...zones.map(zoneLine)];
  return [...lines.map(({ bytes }) => bytes), checksumLine(lines.map(({ checksum }) => checksum))];
}

const zoneLines = new WeakMap<EmulatedZone, Line>();

function zoneLine(zone: EmulatedZone): Line {
  const line = zoneLines.get(zone) ?? lineOf(zone);
  zoneLines.set(zone, line);
  return line;
}

function lineOf(value: unknown): Line {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
  return { bytes, checksum: sha256(bytes) };
}

function checksumLine(checksums: readonly string[]): Buffer {
  return lineOf({ sha256: sha256(Buffer.from(checksums.join(""), "hex")) }).bytes;
}

/** The last line is the checksum of all others; a file that does not match it is rejected. */
function stateIn(bytes: Buffer, path: string): State {
  const lines = [...linesIn(bytes)];
  const last = lines.pop();
  if (last === undefined || !checksumLine(lines.map(sha256)).equals(last)) {
    throw new Error(
      `${path}: not a complete state file of this emulator; delete it or restore a good copy`,
    );
  }
  const [others, ...zones] = lines.map((line): unknown => JSON.parse(line.toString()));
  const state: unknown = isJsonObject(others) ? { ...others, zones } : undefined;
  if (isState(state)) return state;
  throw new Error(`${path}: contains no state of this version; delete it to start from the seed`);
}

function* linesIn(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length;) {
    const end = bytes.indexOf("\n", from) + 1 || bytes.length;
    yield bytes.subarray(from, end);
    from = end;
  }
}

/** The checksum matches, so only the outline is checked. */
function isState(value: unknown): value is State {
  return (
    isJsonObject(value) &&
    value["format"] === format &&
    ["zones", "accounts", "tokens"].every((name) => Array.isArray(value[name]))
  );
}
