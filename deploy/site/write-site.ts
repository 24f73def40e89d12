/** Writes the documentation as a site of static files: npm run site -- DIRECTORY (docs/contributing.md). */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";

import { siteFiles } from "./site-files.ts";

const { positionals } = parseArgs({ allowPositionals: true });
const [out] = positionals;
if (out === undefined) throw new Error("usage: npm run site -- DIRECTORY");
mkdirSync(out, { recursive: true });
if (readdirSync(out).length > 0) throw new Error(`${out} is not empty`);

const files = siteFiles(path.resolve(import.meta.dirname, "../.."));
for (const [name, content] of files) {
  const file = path.join(out, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
process.stdout.write(`${files.size} files in ${out}\n`);
