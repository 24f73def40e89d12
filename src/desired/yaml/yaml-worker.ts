import { parentPort, workerData } from "node:worker_threads";

import { coerceObject } from "../../syntax/json.ts";
import { readYaml } from "./read-yaml.ts";

// A thread of its own for one text; `readYamlAside` starts it and takes what it posts.
const { file, text } = coerceObject(workerData);
if (typeof file === "string" && typeof text === "string") {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's, this a thread's port
  parentPort?.postMessage(readYaml(file, text));
}
