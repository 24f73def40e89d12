import { createHash } from "node:crypto";
import { open, readFile, rename } from "node:fs/promises";

import { isJsonObject } from "../syntax/json.ts";
import type { State } from "./state.ts";

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
        writing = writeAtomically(path, textOf(current()));
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
async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

function textOf(state: State): string {
  const text = JSON.stringify(state);
  return `${JSON.stringify({ format, sha256: sumOf(text) })}\n${text}\n`;
}

/** The first line tells the sum of the second; what does not fit is refused as a whole. */
function stateIn(text: string, path: string): State {
  const [head = "", body = ""] = text.split("\n", 2);
  const expected = sumIn(head);
  if (expected === undefined || expected !== sumOf(body)) {
    throw new Error(
      `${path}: not a complete state file of this emulator; delete it, or put a good copy in its place`,
    );
  }
  const state: unknown = JSON.parse(body);
  if (isState(state)) return state;
  throw new Error(`${path}: holds no state; delete it to begin with the seed`);
}

function sumIn(head: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(head);
    if (!isJsonObject(parsed) || parsed["format"] !== format) return undefined;
    return typeof parsed["sha256"] === "string" ? parsed["sha256"] : undefined;
  } catch {
    return undefined;
  }
}

/** The sum vouches that we wrote the text; so its outline is enough. */
function isState(value: unknown): value is State {
  return (
    isJsonObject(value) &&
    ["zones", "accounts", "tokens"].every((name) => Array.isArray(value[name])) &&
    typeof value["made"] === "number"
  );
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
