import { readFile, rename, rm, writeFile } from "node:fs/promises";

import { sha256 } from "../../syntax/digest.ts";
import { ifExists } from "../../syntax/error-code.ts";
import { isJsonObject, parseJson } from "../../syntax/json.ts";
import type { State } from "../state.ts";

/** Of a file with the state as JSON, and its checksum in the last line. */
const format = "zonewarden-emulator-state/3";

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
      const text = await ifExists(readFile(path, "utf8"));
      return text === undefined ? undefined : stateIn(text, path);
    },
    // Calls during a write share the next one.
    save: (current) => {
      waiting ??= Promise.allSettled([writing]).then(async () => {
        waiting = undefined;
        writing = writeAtomically(path, JSON.stringify({ format, ...current() }));
        await writing;
      });
      return waiting;
    },
  };
}

/** A reader sees the old content or the new one, never a part. */
async function writeAtomically(path: string, json: string): Promise<void> {
  const draft = `${path}.tmp`;
  // A link in its place is removed and not followed.
  await rm(draft, { force: true });
  const options = { flag: "wx", mode: 0o600, flush: true };
  await writeFile(draft, `${json}\n${sha256(json)}`, options);
  await rename(draft, path);
}

function stateIn(text: string, path: string): State {
  const end = text.lastIndexOf("\n");
  const json = text.slice(0, Math.max(end, 0));
  const isWhole = text.slice(end + 1) === sha256(json);
  const state = isWhole ? parseJson(json) : undefined;
  if (isState(state)) return state;
  const why = isWhole
    ? "contains no state of this version; delete it to start from the seed"
    : "not a complete state file of this emulator; delete it or restore a good copy";
  throw Object.assign(new Error(`${path}: ${why}`), { code: "EINVAL", path });
}

/** The checksum matches, so only the outline is checked. */
function isState(value: unknown): value is State {
  return (
    isJsonObject(value) &&
    value["format"] === format &&
    ["zones", "accounts", "tokens"].every((name) => Array.isArray(value[name]))
  );
}
