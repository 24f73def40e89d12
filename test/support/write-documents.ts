import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { documentParts, placeOf } from "./document-parts.ts";

const root = path.resolve(import.meta.dirname, "../..");

for (const part of await documentParts()) {
  const file = path.join(root, part.file);
  const written = readFileSync(file, "utf8").replace(
    placeOf(part),
    (_all, start: string, _text: string, end: string) => `${start}${part.text}${end}`,
  );
  writeFileSync(file, written);
}
