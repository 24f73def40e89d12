import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { dayRecordText } from "../../src/measure/day-record.ts";
import { dayOf, hourMs, hoursOfDay } from "../../src/measure/hours.ts";
import { measurementFiles } from "../../src/memory/directory/measurement-files.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { type ZoneName, zoneName } from "../../src/zone/zone.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { fullDay } from "../support/full-day.ts";
import { declarationWithLists, seedWithLists } from "../support/large-fleet.ts";
import { type Daemon, eventually, startDaemon } from "../support/processes.ts";
import { benchDirectory, writeZoneFiles } from "./bench-directory.ts";
import { built, notBuilt } from "./command-cost.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 1_000;
const days = 35;
const promisedMegabytes = 70;
const promisedTimes = 1.1;
/** A token may ask for a fifth of the analytics that the service allows: with one, a round of all zones takes half an hour. */
const tokens = Array.from({ length: 10 }, (_, digit) => ({
  name: `token-${digit}`,
  value: `${digit}`.repeat(40),
  zones: [`*.team-${digit}.example`],
  env: `TOKEN_${digit}`,
}));

/** What 1,000 zones measure in 35 days, and what a daemon takes that measures them, beside one that does not. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("measurements");
  if (skipped !== undefined) return skipped;
  const names = Array.from({ length: size }, (_, nth) => `shop-${nth}.team-${nth % 10}.example`);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, measuredFleet(names));
  await writeZoneFiles(path.join(directory, "zones"), names, declarationWithLists);
  const without = await peakOf(directory, "", emulator.baseUrl);
  const stored = await storeDays(path.join(directory, "state", "measurements"), names);
  const measuring = await peakOf(directory, "measurements: {}", emulator.baseUrl);
  const times = measuring / without;
  const [kept, least, most] = [stored, without, measuring].map((each) => (each / 1e6).toFixed(0));
  return {
    name: `measurements of ${size} zones`,
    line: `${kept} MB for ${days} days (promised ${promisedMegabytes}); at most ${most} MB resident, ${times.toFixed(2)} times the ${least} MB without (promised ${promisedTimes})`,
    kept: stored <= promisedMegabytes * 1e6 && times <= promisedTimes,
  };
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

/** The most memory of a daemon that has reconciled all zones, and measured them where it is told to. */
async function peakOf(directory: string, measurements: string, baseUrl: string): Promise<number> {
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
  await using daemon = await startDaemon(
    directory,
    {
      ...Object.fromEntries(tokens.map(({ env, value }) => [env, value])),
      NODE_OPTIONS: "--max-semi-space-size=4 --max-old-space-size=128",
      MALLOC_ARENA_MAX: "2",
    },
    built,
  );
  const inSync = new RegExp(`trigger="startup",result="in_sync"\\} ${size}$`, "m");
  await eventually("every zone is in sync", () => metricsHave(daemon, inSync), 3);
  const startedAt = performance.now();
  if (measurements !== "") {
    await eventually(
      "every zone is measured",
      () => daemon.output().includes('"msg":"measurements up to date"') || undefined,
      900,
    );
  } else await sleep(180_000 - (performance.now() - startedAt));
  await metricsHave(daemon, inSync);
  const status = await readFile(`/proc/${daemon.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(?<kilobytes>\d+) kB$/m.exec(status)?.groups?.["kilobytes"]) * 1_024;
}

async function metricsHave({ address }: Daemon, pattern: RegExp): Promise<true | undefined> {
  await sleep(5_000);
  return pattern.test(await (await fetch(`${address}/metrics`)).text()) || undefined;
}
