/** Prints the notes of the release that a tag names: npm run release:notes -- v0.1.0 (deploy/RELEASING.md). */
import { readFileSync } from "node:fs";
import path from "node:path";

import { version } from "../../src/host/version.ts";
import { releaseNotes } from "./release-notes.ts";

const [tag] = process.argv.slice(2);
if (tag === undefined) throw new Error("usage: npm run release:notes -- TAG");
const changelog = path.resolve(import.meta.dirname, "../../CHANGELOG.md");
process.stdout.write(releaseNotes(readFileSync(changelog, "utf8"), version, tag));
