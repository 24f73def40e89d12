/** `npm run check:dependencies`: the licenses, maintenance and known vulnerabilities of what the program installs with itself. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

import { parse } from "yaml";

import { coerceObject, coerceText } from "../../src/syntax/json.ts";
import { mistakesInAudit, mistakesInLicenses } from "./dependencies.ts";

const root = path.resolve(import.meta.dirname, "../..");
const lock = coerceObject(JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")));
const notes = coerceObject(
  parse(readFileSync(path.join(import.meta.dirname, "dependencies.yaml"), "utf8")),
);
const today = new Date().toISOString().slice(0, 10);

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  cwd: root,
  encoding: "utf8",
});
const report = coerceObject(jsonIn(stdout));
const vulnerabilities = mistakesInAudit(report, notes, today);
if (vulnerabilities === undefined) {
  const [why = ""] = coerceText(report["message"]).split(" - ");
  process.stdout.write(`npm audit skipped: the registry gave no answer to it (${why})\n`);
}
const mistakes = [...mistakesInLicenses(lock, notes, today), ...(vulnerabilities ?? [])];
process.stdout.write(
  mistakes.length === 0 ? "dependencies: nothing to say\n" : `${mistakes.join("\n")}\n`,
);
process.exitCode = mistakes.length === 0 ? 0 : 1;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
