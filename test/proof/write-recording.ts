/** Records the program for the README: npm run recording. */
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { drawRecording } from "./draw-recording.ts";
import { record } from "./recording.ts";

const file = path.resolve(import.meta.dirname, "../../docs/recording.svg");
await writeFile(file, drawRecording(await record()));
