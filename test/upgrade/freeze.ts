import { cp, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { hostIn } from "../support/command-line.ts";
import { type Workplace, workplace } from "../support/command-line.ts";
import { eventually } from "../support/processes.ts";
import { stop, textFrom } from "../support/running.ts";
import { copyExample, frozenConfig } from "./frozen.ts";

/**
 * Writes what this version of the program writes into a directory, to be read by every later version: run it once for each release,
 * and never change the files afterwards.
 *
 *   node test/upgrade/freeze.ts test/upgrade/0.1
 */
async function freeze(target: string): Promise<void> {
  await using place = await workplace();
  await copyExample(place);
  await place.write("zonewarden.yaml", frozenConfig);
  const plan = await place.run("plan", "--out", "plan.json");
  if (plan.code !== 2) throw new Error(plan.stderr);
  await runDaemon(place);
  await mkdir(target, { recursive: true });
  const files = ["zonewarden.yaml", "plan.json", "state/history.jsonl", "state/state.jsonl"];
  for (const file of files) {
    await writeFile(path.join(target, path.basename(file)), await place.read(file));
  }
  await cp(path.join(place.directory, "zones"), path.join(target, "zones"), { recursive: true });
  process.stdout.write(`${target}: frozen\n`);
}

/** Runs the daemon until every zone is in sync. */
async function runDaemon(place: Workplace): Promise<void> {
  const daemon = place.start("run");
  await eventually("all zones are in sync", async () => {
    const text = await textFrom(daemon, "api/v1/zones?status=in_sync");
    return text.includes('"matching":3') ? true : undefined;
  });
  await stop(daemon);
}

await freeze(path.resolve(hostIn(process.cwd()).directory, process.argv[2] ?? ""));
