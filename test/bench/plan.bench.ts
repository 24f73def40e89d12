import { globSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { startEmulatorProcess } from "../support/emulator-process.ts";
import { namesOfFleet } from "../support/large-fleet.ts";
import { benchDirectory } from "./bench-directory.ts";
import {
  bareRequests,
  built,
  comparedSeed,
  costOf,
  leastCosts,
  notBuilt,
  urlsAsked,
  writeCompared,
} from "./command-cost.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 300;
const rounds = 7;

/** A zone more costs at most this many times the processor time of its floor: its bare requests, and `yaml` alone on its file. */
const promised = 2.2;

/** A plan of 300 zones in sync, with five policies and the OWASP ruleset each, against its floor. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("plan");
  if (skipped !== undefined) return skipped;
  const names = namesOfFleet(size);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, comparedSeed(names));
  const [single, whole] = [path.join(directory, "single"), path.join(directory, "whole")];
  await writeCompared(single, names.slice(0, 1), emulator.baseUrl);
  await writeCompared(whole, names, emulator.baseUrl);
  const cost = await leastCosts(rounds, {
    one: { directory: single, args: [built, "plan"] },
    all: { directory: whole, args: [built, "plan"] },
    bareOne: { directory: single, args: [await bareOf(single, emulator.url)] },
    bareAll: { directory: whole, args: [await bareOf(whole, emulator.url)] },
  });
  const zone = (cost("all").cpu - cost("one").cpu) / (size - 1);
  const bare = (cost("bareAll").cpu - cost("bareOne").cpu) / (size - 1);
  const ratio = zone / bare;
  const line = `${size} zones: a zone more takes ${zone.toFixed(1)} ms of processors, its bare requests and yaml alone ${bare.toFixed(1)} ms, ratio ${ratio.toFixed(1)} (promised ${promised})`;
  return { name: "plan", line, kept: ratio <= promised };
}

/** Writes a program that parses the files of a plan, sends its requests and does nothing else. Gives its path. */
async function bareOf(directory: string, url: string): Promise<string> {
  const before = (await urlsAsked(url)).length;
  await costOf([built, "plan"], directory);
  const requests = bareRequests((await urlsAsked(url)).slice(before));
  const files = globSync(path.join(directory, "zones/*.yaml"));
  const file = path.join(directory, "bare.mjs");
  await writeFile(file, `${bareYaml(files)}${requests}`);
  return file;
}

function bareYaml(files: readonly string[]): string {
  return `import { readFileSync } from "node:fs";
import { parseAllDocuments } from ${JSON.stringify(import.meta.resolve("yaml"))};
for (const file of ${JSON.stringify(files)}) {
  for (const document of parseAllDocuments(readFileSync(file, "utf8"))) document.toJS();
}
`;
}
