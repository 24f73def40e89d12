import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";

import { parse, stringify } from "yaml";

import { type JsonObject, isJsonObject } from "../../src/syntax/json.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { deploy } from "./paths.ts";
import { objectsIn, readRules, textAt } from "./rules.ts";
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
    await writeFile(path.join(directory, "zonewarden.rules.yaml"), stringify(mutant.rules));
    // A mutant that is no rule file at all would be killed for the wrong reason.
    await run("promtool", ["check", "rules", path.join(directory, "zonewarden.rules.yaml")]);
    // What its own scenarios let pass, the whole may still notice.
    for (const tests of [only(mutant.alert), readTests()]) {
      const file = path.join(directory, "zonewarden.rules.test.yaml");
      await writeFile(file, stringify(tests));
      if (!(await passes(file))) return true;
    }
    return false;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The unit tests of all rules. */
function readTests(): JsonObject {
  const tests: unknown = parse(
    readFileSync(path.join(deploy, "alerts/zonewarden.rules.test.yaml"), "utf8"),
  );
  if (!isJsonObject(tests)) throw new Error("the unit tests are no map");
  return tests;
}

/** Those scenarios alone in which an alert fires. */
function only(alert: string): JsonObject {
  const all = readTests();
  const tests = objectsIn(all["tests"]).filter((test) =>
    objectsIn(test["alert_rule_test"]).some((expected) => textAt(expected, "alertname") === alert),
  );
  return { ...all, tests };
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
