import { Fleet } from "../../src/state/fleet.ts";
import { a, drifted } from "../support/fleets.ts";
import { daemon, declared, load, report, start } from "../support/reports.ts";
import { freshMetrics } from "../support/scrapes.ts";
import { processorTime } from "./processor-time.ts";
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

const zones = 10_000;
const rounds = 9;
const folds = 20_000;
/** A zone has at most this many lines, with no inventory. */
const promisedLines = 8;
/**
 * A scrape takes at most this many times the processor time of writing as many lines from their labels: most of it goes
 * to what zones do not have, and no line tells.
 */
const promisedScrape = 6;
/** Of a scrape, at most this many characters are written between two turns of the event loop. */
const promisedPiece = 327_680;
/** A report is folded in at most this many times the processor time of a copy of it. */
const promisedFold = 1;

/** A scrape of 10,000 zones, how much of it stops the process, and the folding of a report. */
export async function bench(): Promise<BenchResult> {
  const fleet = fleetOfSize(zones);
  const metrics = freshMetrics();
  const read = () => scrape(metrics.render(fleet, daemon()));
  const { text, largest } = await read();
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  const corrected = report("site-7.brand.example", 2, {
    result: "applied",
    cause: "drift",
    changes: [a],
  });
  const costs = { scrape: Infinity, floor: Infinity, fold: Infinity, copy: Infinity };
  // Taking turns, so that a machine that gets slower or faster does so for all.
  for (let round = 0; round < rounds; round += 1) {
    costs.scrape = Math.min(costs.scrape, await processorTime(read));
    costs.floor = Math.min(costs.floor, await processorTime(() => written(lines)));
    costs.fold = Math.min(
      costs.fold,
      await processorTime(() => times(() => fleet.recordZone(corrected))),
    );
    costs.copy = Math.min(
      costs.copy,
      await processorTime(() => times(() => structuredClone(corrected))),
    );
  }
  const linesOfZone = lines.filter((line) => line.includes('zone="')).length / zones;
  const scrapeRatio = costs.scrape / costs.floor;
  const foldRatio = costs.fold / costs.copy;
  const line = [
    `${zones} zones: a scrape has ${linesOfZone.toFixed(1)} lines a zone (promised ${promisedLines})`,
    `it takes ${scrapeRatio.toFixed(1)} times what it takes to write them (promised ${promisedScrape})`,
    `its largest piece has ${largest} characters (promised ${promisedPiece})`,
    `a report is folded in ${foldRatio.toFixed(2)} times a copy of it (promised ${promisedFold})`,
  ].join(", ");
  const kept =
    linesOfZone <= promisedLines &&
    scrapeRatio <= promisedScrape &&
    largest <= promisedPiece &&
    foldRatio <= promisedFold;
  return { name: "metrics", line, kept };
}

interface Scrape {
  readonly text: string;
  /** The most characters that came within one turn of the event loop. */
  readonly largest: number;
}

async function scrape(pieces: AsyncIterable<string>): Promise<Scrape> {
  let text = "";
  let largest = 0;
  let since = 0;
  let isDone = false;
  const turn = (): void => {
    largest = Math.max(largest, text.length - since);
    since = text.length;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  for await (const piece of pieces) text += piece;
  isDone = true;
  largest = Math.max(largest, text.length - since);
  return { text, largest };
}

/** The floor of a scrape: the same lines, written from their parts. */
async function written(lines: readonly string[]): Promise<number> {
  await Promise.resolve();
  const pieces: string[] = [];
  for (const line of lines) {
    const value = line.lastIndexOf(" ");
    const labels = line.indexOf("{");
    const name = line.slice(0, labels < 0 ? value : labels);
    const inner = labels < 0 ? [] : line.slice(labels + 1, value - 1).split(",");
    pieces.push(`${name}{${inner.join(",")}} ${Number(line.slice(value + 1))}\n`);
  }
  return pieces.join("").length;
}

async function times(work: () => unknown): Promise<void> {
  await Promise.resolve();
  for (let fold = 0; fold < folds; fold += 1) work();
}
