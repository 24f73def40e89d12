import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";

import { parse, stringify } from "yaml";

import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
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
  const mutants = mutantsOf(rules);
  await checkRules(mutants.map((mutant) => mutant.rules));
  await eachInTurn([...new Set(mutants.map(({ alert }) => alert))], async (alert) => {
    if (await passesAlone(alert, rules)) return;
    throw new Error(`the unit tests of ${alert} fail on the rules as they are`);
  });
  const survivors: string[] = [];
  await eachInTurn(mutants, async (mutant) => {
    const killed = await isKilled(mutant);
    if (!killed) survivors.push(`${mutant.alert}: ${mutant.how}`);
    process.stdout.write(killed ? "." : "S");
  });

  process.stdout.write(`\n${mutants.length} mutants, ${survivors.length} survived\n`);
  for (const survivor of survivors) process.stdout.write(`${survivor}\n`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
}

/** Works on all items, as many at once as there are cores. */
async function eachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  // One iterator for all workers: each takes the next item that nobody has.
  const queue = items.values();
  const workers = Array.from({ length: availableParallelism() }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}

/** A mutant that is no rule file at all would be killed for the wrong reason. */
async function checkRules(files: readonly JsonObject[]): Promise<void> {
  await withFiles(
    files.map((file, nth) => [`${nth}.yaml`, file]),
    (paths) => run("promtool", ["check", "rules", ...paths]),
  );
}

/** Whether a scenario fails. */
async function isKilled({ alert, rules }: Mutant): Promise<boolean> {
  // What its own scenarios let pass, the whole may still notice.
  return !(await passesAlone(alert, rules)) || !(await passes(rules, readTests()));
}

/** Whether the scenarios of an alert pass without the other alerts, into which most of the time would go. */
function passesAlone(alert: string, rules: JsonObject): Promise<boolean> {
  return passes(withOnly(alert, rules), testsOf(alert));
}

/** The recording rules and one alert. */
function withOnly(alert: string, rules: JsonObject): JsonObject {
  const groups = objectsIn(rules["groups"]).map((group) => {
    const kept = objectsIn(group["rules"]).filter(
      (rule) => !("alert" in rule) || textAt(rule, "alert") === alert,
    );
    return { ...group, rules: kept };
  });
  return { ...rules, groups };
}

/** The unit tests of all rules. */
function readTests(): JsonObject {
  const tests: unknown = parse(
    readFileSync(path.join(deploy, "alerts/zonewarden.rules.test.yaml"), "utf8"),
  );
  if (!isJsonObject(tests)) throw new Error("the unit tests are no map");
  return tests;
}

/** Those scenarios alone that are about an alert, without what they expect of others, and those in which nothing fires. */
function testsOf(alert: string): JsonObject {
  const all = readTests();
  const tests = objectsIn(all["tests"]).flatMap((test) => {
    const expected = objectsIn(test["alert_rule_test"]);
    const own = expected.filter((each) => textAt(each, "alertname") === alert);
    return expected.length > 0 && own.length === 0 ? [] : [{ ...test, alert_rule_test: own }];
  });
  return { ...all, tests };
}

function passes(rules: JsonObject, tests: JsonObject): Promise<boolean> {
  const files = [
    ["zonewarden.rules.test.yaml", tests],
    ["zonewarden.rules.yaml", rules],
  ] as const;
  return withFiles(files, async ([file = ""]) => {
    try {
      await run("promtool", ["test", "rules", file]);
      return true;
    } catch {
      return false;
    }
  });
}

/** Gives the paths of files to `use`, and removes them after that. */
async function withFiles<T>(
  files: readonly (readonly [string, JsonObject])[],
  use: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-mutant-"));
  try {
    const paths = files.map(([name]) => path.join(directory, name));
    await Promise.all(
      files.map(([, content], nth) => writeFile(paths[nth] ?? "", stringify(content))),
    );
    return await use(paths);
  } finally {
    await rm(directory, { recursive: true });
  }
}

await main();
