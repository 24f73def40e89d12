import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { dayRecordText } from "../../src/measure/day-record.ts";
import { dayOf, hoursOfDay } from "../../src/measure/hours.ts";
import { measurementFiles } from "../../src/memory/directory/measurement-files.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { hourMs } from "../../src/syntax/time-units.ts";
import { type ZoneName, zoneName } from "../../src/zone/zone.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { fullDay } from "../support/full-day.ts";
import { declarationWithLists, seedWithLists } from "../support/large-fleet.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";
import { benchDirectory, writeZoneFiles } from "./bench-directory.ts";
import { built, notBuilt } from "./command-cost.ts";
import { median } from "./processor-time.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 1_000;
const days = 35;
const promisedMegabytes = 70;
const promisedTimes = 1.1;
/** When the heap is collected differs from run to run: one says little of the most memory. */
const rounds = 3;
/** A token may ask for a fifth of the analytics that the service allows: with one, a round of all zones takes half an hour. */
const tokens = Array.from({ length: 10 }, (_, digit) => ({
  name: `token-${digit}`,
  value: `${digit}`.repeat(40),
  zones: [`*.team-${digit}.example`],
  env: `TOKEN_${digit}`,
}));

/** Bytes of a daemon. */
interface Memory {
  /** The most that was resident. */
  readonly peak: number;
  /** What its objects take once all others are collected. */
  readonly live: number;
}

/** Says on a signal what memory the process takes; the second collection finds what the first one let go. */
const meter = `import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
process.on("SIGUSR2", () => {
  const peak = process.resourceUsage().maxRSS * 1024;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collect();
  setTimeout(() => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    process.stderr.write("peak " + peak + ", live " + (heapUsed + external) + "\\n");
  }, 2_000);
});`;

/** What 1,000 zones measure in 35 days, and what a daemon takes that measures them, beside one that does not. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("measurements");
  if (skipped !== undefined) return skipped;
  const names = Array.from({ length: size }, (_, nth) => `shop-${nth}.team-${nth % 10}.example`);
  await using place = await benchDirectory();
  await using emulator = await startEmulatorProcess(place.directory, measuredFleet(names));
  const found: Awaited<ReturnType<typeof roundOf>>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    found.push(await roundOf(names, emulator.baseUrl));
  }
  const stored = median(found.map((each) => each.stored));
  const texts = (["peak", "live"] as const).map((what) => {
    const without = median(found.map((each) => each.without[what]));
    const measuring = median(found.map((each) => each.measuring[what]));
    const times = measuring / without;
    return {
      isKept: times <= promisedTimes,
      text: `${megabytes(measuring)} MB, ${times.toFixed(2)} times the ${megabytes(without)} MB without`,
    };
  });
  const [peak, live] = texts.map(({ text }) => text);
  return {
    name: `measurements of ${size} zones`,
    line: `${megabytes(stored)} MB for ${days} days (promised ${promisedMegabytes}); resident at most ${peak}; live ${live} (promised ${promisedTimes})`,
    kept: stored <= promisedMegabytes * 1e6 && texts.every(({ isKept }) => isKept),
  };
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

function measuredFleet(names: readonly string[]): Seed {
  const seed = seedWithLists(names);
  return {
    ...seed,
    tokens: tokens.map(({ name, value, zones }) => ({ name, value, zones, permissions: "all" })),
    zones: seed.zones.map((zone) => ({
      ...zone,
      plan: "business",
      traffic: { requests_per_hour: 3_000 },
    })),
  };
}

/** The memory of two daemons that start at the same time and have reconciled all zones, one of which has measured them too. */
async function roundOf(
  names: readonly string[],
  baseUrl: string,
): Promise<{ readonly stored: number; readonly without: Memory; readonly measuring: Memory }> {
  await using first = await benchDirectory();
  await using second = await benchDirectory();
  for (const { directory } of [first, second]) {
    await writeZoneFiles(path.join(directory, "zones"), names, declarationWithLists);
  }
  const stored = await storeDays(path.join(second.directory, "state", "measurements"), names);
  await using without = await startIn(first.directory, "", baseUrl);
  await using measuring = await startIn(second.directory, "measurements: {}", baseUrl);
  for (const daemon of [without, measuring]) {
    await eventually("every zone is in sync", () => areInSync(daemon), 3);
  }
  await eventually(
    "every zone is measured",
    () => measuring.output().includes('"msg":"measurements up to date"') || undefined,
    900,
  );
  for (const daemon of [without, measuring]) await areInSync(daemon);
  return { stored, without: await memoryOf(without), measuring: await memoryOf(measuring) };
}

/** Stores all past days of the zones; resolves with their bytes. */
async function storeDays(directory: string, names: readonly string[]): Promise<number> {
  const store = measurementFiles(nodeStateDirectory(directory));
  const hour = Math.floor(Date.now() / hourMs);
  let bytes = 0;
  for (let ago = days; ago > 0; ago -= 1) {
    const day = dayOf(hour - ago * hoursOfDay);
    const records = names.map((name): readonly [ZoneName, string] => {
      const known = zoneName(name);
      if (known === undefined) throw new Error(`${name} is no zone`);
      return [known, dayRecordText(fullDay(name, day))];
    });
    await store.write(day, new Map(records));
    bytes += (await readFile(path.join(directory, `${day}.jsonl`))).length;
  }
  return bytes;
}

async function startIn(directory: string, measurements: string, baseUrl: string): Promise<Daemon> {
  const credentials = tokens.map(
    ({ name, env, zones }) =>
      `  - { name: ${name}, token_env: ${env}, zones: ${JSON.stringify(zones)} }\n`,
  );
  const config = `mode: enforce
api: { base_url: "${baseUrl}" }
credentials:
${credentials.join("")}budget: { requests: 1000000 }
server: { listen: "127.0.0.1:0" }
log: { format: json }
store: { path: state }
${measurements}
`;
  await writeFile(path.join(directory, "zonewarden.yaml"), config);
  const module = `data:text/javascript;base64,${Buffer.from(meter).toString("base64")}`;
  return startDaemon(
    directory,
    {
      ...Object.fromEntries(tokens.map(({ env, value }) => [env, value])),
      NODE_OPTIONS: `--max-semi-space-size=4 --max-old-space-size=128 --import ${module}`,
      MALLOC_ARENA_MAX: "2",
    },
    built,
  );
}

const inSync = new RegExp(`trigger="startup",result="in_sync"\\} ${size}$`, "m");

/** Whether all zones are in sync. Asked for as often as a scraper comes, or nearly. */
async function areInSync({ address }: Daemon): Promise<true | undefined> {
  await sleep(5_000);
  return inSync.test(await (await fetch(`${address}/metrics`)).text()) || undefined;
}

async function memoryOf(daemon: Daemon): Promise<Memory> {
  daemon.signal("SIGUSR2");
  return eventually("the daemon says what memory it takes", () => {
    const { peak, live } =
      /^peak (?<peak>\d+), live (?<live>\d+)$/m.exec(daemon.output())?.groups ?? {};
    return live === undefined ? undefined : { peak: Number(peak), live: Number(live) };
  });
}
