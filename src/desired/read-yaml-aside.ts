import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { isJsonObject } from "../syntax/json.ts";
import type { YamlText } from "./yaml-text.ts";

/** Time for what is read aside. */
export interface ReadingClock {
  /** Calls `ring` after `ms`, unless what it gives is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** The largest file takes half a minute; while one is read, all others wait. */
export const longestReadingMs = 300_000;

/** The build gives the file another ending. */
const workerFile = import.meta.url.endsWith(".ts") ? "./yaml-worker.ts" : "./yaml-worker.js";

/**
 * Like `readYaml`, on another thread: five thousand zones in one file are composed for seconds, in which a daemon would
 * answer no probe. Gives `undefined` where it takes too long. Rejects when the signal aborts.
 */
export async function readYamlAside(
  file: string,
  text: string,
  clock: ReadingClock,
  signal: AbortSignal,
): Promise<YamlText | undefined> {
  const worker = new Worker(new URL(workerFile, import.meta.url), { workerData: { file, text } });
  const late = new AbortController();
  const callOff = clock.alarm(longestReadingMs, () => late.abort());
  try {
    const either = AbortSignal.any([signal, late.signal]);
    const message: readonly unknown[] = await once(worker, "message", { signal: either });
    const read = message[0];
    if (isYamlText(read)) return read;
    throw new Error("the thread that reads YAML gave something else");
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted) return undefined;
    throw error;
  } finally {
    callOff();
    await worker.terminate();
  }
}

function isYamlText(value: unknown): value is YamlText {
  return (
    isJsonObject(value) &&
    Array.isArray(value["documents"]) &&
    Array.isArray(value["problems"]) &&
    isJsonObject(value["source"]) &&
    typeof value["offsets"] === "object"
  );
}
