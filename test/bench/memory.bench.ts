import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { declarationOf, namesOfFleet, seedOfFleet } from "../support/large-fleet.ts";
import { eventually, startDaemon } from "../support/processes.ts";
import { plantedToken } from "../support/service.ts";
import { benchDirectory, writeZoneFiles } from "./bench-directory.ts";
import { built, notBuilt } from "./command-cost.ts";
import type { BenchResult, SkippedBench } from "./run.ts";

const size = 10_000;
const promisedMegabytes = 236;

/** What the image leaves to the heap of the 256Mi that the deployment grants the container: half. */
const heapMegabytes = 128;

/** The memory of the daemon after it has reconciled 10,000 zones, read their inventories and been scraped. */
export async function bench(): Promise<BenchResult | SkippedBench> {
  const skipped = notBuilt("memory");
  if (skipped !== undefined) return skipped;
  const names = namesOfFleet(size);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, seenFleet(names));
  await writeFleet(directory, names, emulator.baseUrl);
  await using daemon = await startDaemon(
    directory,
    {
      ZONEWARDEN_API_TOKEN: plantedToken,
      NODE_OPTIONS: `--max-semi-space-size=4 --max-old-space-size=${heapMegabytes}`,
      MALLOC_ARENA_MAX: "2",
    },
    built,
  );
  const metric = async (pattern: RegExp): Promise<number> => {
    const text = await (await fetch(`${daemon.address}/metrics`)).text();
    return Number(pattern.exec(text)?.[1] ?? Number.NaN);
  };
  const allSeen = async (): Promise<true | undefined> => {
    // As often as a scraper comes, or nearly: each scrape is megabytes of text.
    await sleep(5_000);
    const count = await metric(
      /^zonewarden_reconcile_total\{trigger="startup",result="in_sync"\} (\d+)$/m,
    );
    return count === size ? true : undefined;
  };
  await eventually("every zone is in sync", allSeen, 300);
  const allRead = async (): Promise<true | undefined> => {
    await sleep(10_000);
    const text = await (await fetch(`${daemon.address}/metrics`)).text();
    return (text.match(readAt)?.length ?? 0) === size ? true : undefined;
  };
  await eventually("every inventory is read", allRead, 300);
  const bytes = await metric(/^process_resident_memory_bytes (\d+)$/m);
  const megabytes = bytes / 1e6;
  const line = `${size} zones and their inventories resident in ${megabytes.toFixed(0)} MB (promised ${promisedMegabytes}), with a heap of ${heapMegabytes} MB`;
  return { name: "memory", line, kept: megabytes <= promisedMegabytes };
}

/** Zones of which the inventory was read. */
const readAt = /^zonewarden_inventory_last_success_timestamp_seconds\{[^}]*\} [1-9]/gm;

/** A large fleet in each of whose zones browsers saw some scripts. */
function seenFleet(names: readonly string[]): Seed {
  const seed = seedOfFleet(names);
  const zones = seed.zones.map((zone) => ({
    ...zone,
    scripts: Array.from({ length: 12 }, (_, index) => ({
      url: `https://cdn-${index}.example.net/assets/${zone.name}/bundle-${index}.min.js`,
      page_urls: [`https://${zone.name}/checkout/${index}`],
    })),
  }));
  return { ...seed, zones };
}

async function writeFleet(
  directory: string,
  names: readonly string[],
  baseUrl: string,
): Promise<void> {
  const zones = path.join(directory, "zones");
  await writeZoneFiles(zones, names, declarationOf);
  const config = `mode: enforce
api: { base_url: "${baseUrl}" }
budget: { requests: 1000000 }
server: { listen: "127.0.0.1:0" }
log: { format: json }
inventory: { enabled: true, every: 60s }
store: { path: state }
`;
  await writeFile(path.join(directory, "zonewarden.yaml"), config);
}
