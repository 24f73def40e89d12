import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { startEmulatorProcess } from "../support/emulator-process.ts";
import { namesOfFleet } from "../support/large-fleet.ts";
import {
  built,
  comparedSeed,
  type Cost,
  costOf,
  least,
  notBuilt,
  writeCompared,
} from "./command-cost.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 300;
const rounds = 5;

/** Milliseconds of processors for a zone, beyond the start of the command. */
const promised = 4;

/** The same work of the peers, as measured when the limit was set. */
const peers = "octorules took 21 ms and Terraform 370 ms";

/** A plan of 300 zones in sync, with five policies and the OWASP ruleset each, against a plan of a single zone. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("plan");
  if (skipped !== undefined) return skipped;
  const names = namesOfFleet(size);
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-bench-"));
  await using _end = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
  await using emulator = await startEmulatorProcess(directory, comparedSeed(names));
  const [single, whole] = [path.join(directory, "single"), path.join(directory, "whole")];
  await writeCompared(single, names.slice(0, 1), emulator.baseUrl);
  await writeCompared(whole, names, emulator.baseUrl);
  await costOf([built, "plan"], single);
  await costOf([built, "plan"], whole);
  const one: Cost[] = [];
  const all: Cost[] = [];
  // Taking turns, so that a machine that gets slower or faster does so for both.
  for (let round = 0; round < rounds; round += 1) {
    one.push(await costOf([built, "plan"], single));
    all.push(await costOf([built, "plan"], whole));
  }
  const ms = (least(all).cpu - least(one).cpu) / (size - 1);
  const line = `${size} zones in ${(least(all).wall / 1_000).toFixed(1)} s; ${ms.toFixed(1)} ms of processors a zone beyond the start (promised ${promised}; ${peers})`;
  return { name: "plan", line, kept: ms <= promised };
}
