import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { placeOf, readmeParts } from "./readme-parts.ts";

const file = path.resolve(import.meta.dirname, "../../README.md");
let readme = readFileSync(file, "utf8");
for (const [part, text] of Object.entries(await readmeParts())) {
  readme = readme.replace(
    placeOf(part),
    (_all, start: string, _text: string, end: string) => `${start}${text}${end}`,
  );
}
writeFileSync(file, readme);
