import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";

import { stringify } from "yaml";

import { mutantsOf, type Mutant } from "./mutants.ts";
import { deploy } from "./paths.ts";
import { readRules } from "./rules.ts";
import { noPromtool, run } from "./tools.ts";

/**
 * Spoils each alert in turn and runs the rules' unit tests over it: a mutant that they let pass is a test that is
 * missing. Takes minutes, so it is not part of `npm test`.
 */
async function main(): Promise<void> {
  if (noPromtool !== undefined) throw new Error(noPromtool);

  const rules = readRules();
  if (await isKilled({ alert: "none", how: "not at all", rules })) {
    throw new Error("the unit tests fail on the rules as they are: promtool test rules says why");
  }
  const mutants = mutantsOf(rules);
  const survivors: string[] = [];
  // One iterator for all workers: each takes the next mutant that nobody has.
  const queue = mutants.values();
  await Promise.all(
    Array.from({ length: availableParallelism() }, async () => {
      for (const mutant of queue) {
        const killed = await isKilled(mutant);
        if (!killed) survivors.push(`${mutant.alert}: ${mutant.how}`);
        process.stdout.write(killed ? "." : "S");
      }
    }),
  );

  process.stdout.write(`\n${mutants.length} mutants, ${survivors.length} survived\n`);
  for (const survivor of survivors) process.stdout.write(`${survivor}\n`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

async function isKilled(mutant: Mutant): Promise<boolean> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-mutant-"));
  try {
    const tests = path.join(directory, "zonewarden.rules.test.yaml");
    await copyFile(path.join(deploy, "alerts/zonewarden.rules.test.yaml"), tests);
    await writeFile(path.join(directory, "zonewarden.rules.yaml"), stringify(mutant.rules));
    // A mutant that is no rule file at all would be killed for the wrong reason.
    await run("promtool", ["check", "rules", path.join(directory, "zonewarden.rules.yaml")]);
    return !(await passes(tests));
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function passes(tests: string): Promise<boolean> {
  try {
    await run("promtool", ["test", "rules", tests]);
    return true;
  } catch {
    return false;
  }
}

await main();
