import { parentPort, workerData } from "node:worker_threads";

import { coerceObject } from "../../syntax/json.ts";
import { readYaml } from "./read-yaml.ts";

// The thread that `readYamlInWorker` starts for one text.
const { file, text } = coerceObject(workerData);
if (typeof file === "string" && typeof text === "string") {
  parentPort?.postMessage(readYaml(file, text));
}
