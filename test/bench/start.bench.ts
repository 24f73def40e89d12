import { writeFile } from "node:fs/promises";
import path from "node:path";

import { startEmulatorProcess } from "../support/emulator-process.ts";
import { namesOfFleet } from "../support/large-fleet.ts";
import { benchDirectory } from "./bench-directory.ts";
import {
  bareRequests,
  built,
  comparedSeed,
  type Cost,
  costOf,
  leastCosts,
  notBuilt,
  urlsAsked,
  writeCompared,
} from "./command-cost.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 400;
const rounds = 9;

/** The promises, in processor time: times that of a bare Node process, which sends the same requests for a plan. */
const promisedOfVersion = 4;
const promisedOfPlan = 5;

/** `--version` and a plan of one zone of 400, against Node alone and the bare requests of the plan. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("start");
  if (skipped !== undefined) return skipped;
  const names = namesOfFleet(size);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, comparedSeed(names));
  await writeCompared(directory, names, emulator.baseUrl);
  const [name = ""] = names.slice(7);
  const bare = path.join(directory, "bare.mjs");
  // The first plan also fills the cache of compiled code, as it is for all but the first command.
  await costOf([built, "plan", name], directory);
  await writeFile(bare, bareRequests(await urlsAsked(emulator.url)));
  const cost = await leastCosts(rounds, {
    node: { directory, args: ["-e", "0"] },
    version: { directory, args: [built, "--version"] },
    bare: { directory, args: [bare] },
    plan: { directory, args: [built, "plan", name] },
  });
  const version = cost("version");
  const plan = cost("plan");
  const versionRatio = version.cpu / cost("node").cpu;
  const planRatio = plan.cpu / cost("bare").cpu;
  const line = [
    `--version ${shown(version)}, ${versionRatio.toFixed(1)} times bare Node (promised ${promisedOfVersion})`,
    `plan of one zone of ${size} ${shown(plan)}, ${planRatio.toFixed(1)} times its bare requests (promised ${promisedOfPlan})`,
  ].join("; ");
  const kept = versionRatio <= promisedOfVersion && planRatio <= promisedOfPlan;
  return { name: "start", line, kept };
}

function shown({ wall, cpu }: Cost): string {
  return `${(wall / 1_000).toFixed(2)} s (processor ${(cpu / 1_000).toFixed(2)} s)`;
}
