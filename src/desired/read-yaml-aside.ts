import { once } from "node:events";
import { Worker } from "node:worker_threads";

import { isJsonObject } from "../syntax/json.ts";
import type { YamlText } from "./yaml-text.ts";

/** The build gives the file another ending. */
const workerFile = import.meta.url.endsWith(".ts") ? "./yaml-worker.ts" : "./yaml-worker.js";

/**
 * Like `readYaml`, on another thread: five thousand zones in one file are composed for seconds, in which a daemon would
 * answer no probe. Rejects when the signal aborts.
 */
export async function readYamlAside(
  file: string,
  text: string,
  signal: AbortSignal,
): Promise<YamlText> {
  const worker = new Worker(new URL(workerFile, import.meta.url), { workerData: { file, text } });
  try {
    const message: readonly unknown[] = await once(worker, "message", { signal });
    const read = message[0];
    if (isYamlText(read)) return read;
    throw new Error("the thread that reads YAML gave something else");
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
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
