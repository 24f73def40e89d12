import { addAbortListener } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";

import { isJsonObject } from "../../syntax/json.ts";
import type { YamlText } from "./read-yaml.ts";

/** Time for what is read aside. */
export interface ReadingClock {
  /** Calls `ring` after `ms`, unless what it gives is called before. */
  alarm(ms: number, ring: () => void): () => void;
}

/** The largest file takes half a minute; while one is read, all others wait. */
export const longestReadingMs = 300_000;

/** The build gives the file another ending. */
const workerFile = import.meta.url.endsWith(".ts") ? "./yaml-worker.ts" : "./yaml-worker.js";

/** What reading aside goes by. */
export interface Reader {
  readonly clock: ReadingClock;
  /** Of the thread; what is not said is as the program has it. */
  readonly memory: ResourceLimits;
}

/** What came of reading aside; its thread fails where it has not the memory for the text. */
export type YamlInWorker =
  | { readonly result: "read"; readonly yaml: YamlText }
  | typeof late
  | { readonly result: "failed"; readonly error: Error };

/**
 * Like `readYaml`, on another thread: five thousand zones in one file are composed for seconds, in which a daemon would
 * answer no probe. Rejects only when the signal aborts.
 */
export async function readYamlInWorker(
  file: string,
  text: string,
  { clock, memory }: Reader,
  signal: AbortSignal,
): Promise<YamlInWorker> {
  const url = new URL(workerFile, import.meta.url);
  const worker = new Worker(url, { workerData: { file, text }, resourceLimits: memory });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.on("message", resolve).on("error", resolve).on("exit", resolve);
  using _ = addAbortListener(signal, resolve);
  const callOff = clock.alarm(longestReadingMs, () => resolve(late));
  try {
    const end = await promise;
    signal.throwIfAborted();
    if (end === late) return late;
    if (isYamlText(end)) return { result: "read", yaml: end };
    const error = end instanceof Error ? end : new Error("its reader ended without a word");
    return { result: "failed", error };
  } finally {
    callOff();
    await worker.terminate();
  }
}

const late = { result: "late" } as const;

function isYamlText(value: unknown): value is YamlText {
  return (
    isJsonObject(value) &&
    Array.isArray(value["documents"]) &&
    Array.isArray(value["diagnostics"]) &&
    isJsonObject(value["source"]) &&
    typeof value["offsets"] === "object"
  );
}
