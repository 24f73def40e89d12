import { addAbortListener } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";

import { isJsonObject } from "../../syntax/json.ts";
import type { Clock } from "../../zone/ports.ts";
import type { YamlText } from "./read-yaml.ts";

/** Reading the largest file takes half a minute, and all other files wait for it. */
export const readTimeoutMs = 300_000;

/** The build changes the extension. */
const workerFile = import.meta.url.endsWith(".ts") ? "./yaml-worker.ts" : "./yaml-worker.js";

/** Limits of the reading thread. */
export interface WorkerLimits {
  readonly clock: Pick<Clock, "alarm">;
  /** Omitted limits are those of the process. */
  readonly memory: ResourceLimits;
}

/** `failed`: for example, the thread ran out of memory. */
export type YamlInWorker =
  | { readonly result: "read"; readonly yaml: YamlText }
  | typeof timedOut
  | { readonly result: "failed"; readonly error: Error };

/**
 * Like `readYaml`, on a thread of its own: a file of five thousand zones takes seconds, during
 * which the daemon would not answer probes. Rejects only when the signal aborts.
 */
export async function readYamlInWorker(
  file: string,
  text: string,
  { clock, memory }: WorkerLimits,
  signal: AbortSignal,
): Promise<YamlInWorker> {
  const url = new URL(workerFile, import.meta.url);
  const worker = new Worker(url, { workerData: { file, text }, resourceLimits: memory });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.on("message", resolve).on("error", resolve).on("exit", resolve);
  using _ = addAbortListener(signal, resolve);
  const cancelTimeout = clock.alarm(readTimeoutMs, () => resolve(timedOut));
  try {
    const end = await promise;
    signal.throwIfAborted();
    if (end === timedOut) return timedOut;
    if (isYamlText(end)) return { result: "read", yaml: end };
    const error =
      end instanceof Error ? end : new Error("the reading thread exited without a result");
    return { result: "failed", error };
  } finally {
    cancelTimeout();
    await worker.terminate();
  }
}

const timedOut = { result: "timed_out" } as const;

function isYamlText(value: unknown): value is YamlText {
  return (
    isJsonObject(value) &&
    Array.isArray(value["documents"]) &&
    Array.isArray(value["diagnostics"]) &&
    isJsonObject(value["source"]) &&
    typeof value["offsets"] === "object"
  );
}
