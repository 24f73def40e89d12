import { addAbortListener } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";

import { errorCode } from "../../syntax/error-code.ts";
import { isJsonObject } from "../../syntax/json.ts";
import type { Diagnostic } from "../../zone/diagnostic.ts";
import type { Clock } from "../../zone/ports.ts";
import { fileDiagnostic } from "../diagnostics.ts";
import type { YamlText } from "./read-yaml.ts";

/** Reading the largest file takes half a minute, and all other files wait for it. */
const readTimeoutMs = 300_000;

/** The build changes the extension. */
const workerFile = import.meta.url.endsWith(".ts") ? "./yaml-worker.ts" : "./yaml-worker.js";

export interface WorkerLimits {
  readonly clock: Pick<Clock, "alarm">;
  /** Omitted limits are those of the process. */
  readonly memory: ResourceLimits;
}

/**
 * Like `readYaml`, on a thread of its own: a file of five thousand zones takes seconds, during
 * which the daemon would not answer probes. A diagnostic if that takes too long or too much memory.
 * Rejects only when the signal aborts.
 */
export async function readYamlInWorker(
  file: string,
  text: string,
  { clock, memory }: WorkerLimits,
  signal: AbortSignal,
): Promise<YamlText | Diagnostic> {
  const url = new URL(workerFile, import.meta.url);
  const worker = new Worker(url, { workerData: { file, text }, resourceLimits: memory });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  worker.on("message", resolve).on("error", resolve).on("exit", resolve);
  using _ = addAbortListener(signal, resolve);
  const minutes = `reading the file took longer than ${readTimeoutMs / 60_000} min`;
  const tooSlow = fileDiagnostic(file, "FILE_TOO_SLOW", minutes, splitOrGiveMore("CPU"));
  const cancelTimeout = clock.alarm(readTimeoutMs, () => resolve(tooSlow));
  try {
    const end = await promise;
    signal.throwIfAborted();
    if (end === tooSlow) return tooSlow;
    return isYamlText(end) ? end : tooCostly(file, end);
  } finally {
    cancelTimeout();
    await worker.terminate();
  }
}

/** @param end what the thread ended with in place of a result */
function tooCostly(file: string, end: unknown): Diagnostic {
  const reason = end instanceof Error ? end.message : "the reading thread exited without a result";
  const message =
    errorCode(end) === "ERR_WORKER_OUT_OF_MEMORY"
      ? "reading the file takes more memory than the program has"
      : `reading the file failed: ${reason}`;
  return fileDiagnostic(file, "FILE_TOO_COSTLY", message, splitOrGiveMore("memory"));
}

function splitOrGiveMore(resource: "CPU" | "memory"): string {
  return `split it into smaller files, or give the program more ${resource}; the next load tries again`;
}

function isYamlText(value: unknown): value is YamlText {
  return (
    isJsonObject(value) &&
    Array.isArray(value["documents"]) &&
    Array.isArray(value["diagnostics"]) &&
    isJsonObject(value["source"]) &&
    typeof value["offsets"] === "object"
  );
}
