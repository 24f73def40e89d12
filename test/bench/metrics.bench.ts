import { monitorEventLoopDelay } from "node:perf_hooks";

import { Fleet } from "../../src/state/fleet.ts";
import { a, drifted } from "../support/fleets.ts";
import { daemon, declared, load, report, start } from "../support/reports.ts";
import { freshMetrics } from "../support/scrapes.ts";
import type { BenchResult } from "./run.ts";

/** A fleet in which every tenth zone drifted. */
function fleetOfSize(size: number): Fleet {
  const names = Array.from({ length: size }, (_, index) => `site-${index}.brand.example`);
  const fleet = new Fleet();
  fleet.declare(
    names.map((name) => declared(name)),
    start,
  );
  fleet.recordLoad(load({ zones: size }));
  for (const [index, name] of names.entries()) {
    fleet.recordZone(report(name, 1, index % 10 === 0 ? drifted : { result: "in_sync" }));
  }
  return fleet;
}

async function drain(pieces: AsyncIterable<string>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

const zones = 10_000;
const scrapes = 12;
const folds = 2_000;
const promisedScrapeMs = 1_000;
const promisedPauseMs = 200;
const promisedFoldMs = 1;

/** A scrape of 10,000 zones, how long it stops the process, and the folding of a report. */
export async function bench(): Promise<BenchResult> {
  const fleet = fleetOfSize(zones);
  const metrics = freshMetrics();
  await drain(metrics.render(fleet, daemon()));
  const pauses = monitorEventLoopDelay({ resolution: 5 });
  pauses.enable();
  const scrape = await longest(scrapes, () => drain(metrics.render(fleet, daemon())));
  pauses.disable();
  const pause = pauses.max / 1e6;
  const corrected = report("site-7.brand.example", 2, {
    result: "applied",
    cause: "drift",
    changes: [a],
  });
  const fold = meanOf(folds, () => fleet.recordZone(corrected));
  const line = [
    `${zones} zones`,
    `longest scrape ${scrape.toFixed(0)} ms (promised ${promisedScrapeMs})`,
    `longest pause ${pause.toFixed(0)} ms (promised ${promisedPauseMs})`,
    `a report folded in ${fold.toFixed(4)} ms (promised ${promisedFoldMs})`,
  ].join(", ");
  const kept = scrape < promisedScrapeMs && pause < promisedPauseMs && fold < promisedFoldMs;
  return { name: "metrics", line, kept };
}

/** Milliseconds of the longest of several runs. */
async function longest(times: number, work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  for (let run = 0; run < times; run += 1) {
    const begin = performance.now();
    await work();
    most = Math.max(most, performance.now() - begin);
  }
  return most;
}

/** Milliseconds of one of many runs. */
function meanOf(times: number, work: () => void): number {
  const begin = performance.now();
  for (let run = 0; run < times; run += 1) work();
  return (performance.now() - begin) / times;
}
