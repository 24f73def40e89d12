/**
 * What a GET costs the emulator in CPU with 10,000 zones, beside a bare server that sends the same bytes.
 *
 * The client runs in a process of its own; only this process is measured. Wall time would measure the machine's
 * other guests.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";

import { seededState } from "../../src/emulator/seed/seeded-state.ts";
import { generateSeed } from "../../src/emulator/seed/synthetic-seed.ts";
import { startEmulator } from "../../src/emulator/start-emulator.ts";
import { close, listenOnLoopback } from "../support/loopback.ts";
import { median } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

const zones = 10_000;
const batches = 30;
const batchSize = 300;
/** A sweep costs at most this many times what a bare server takes for the same bytes. */
const promised = 4;

const seed = {
  ...generateSeed({ zones, policies: 3, scripts: 20, seed: 1 }),
  rate_limit: false,
} as const;
const phase = "http_request_firewall_managed";
const { state } = seededState(seed, new Date());

/** Addresses of GETs, by what they ask for. */
const kinds = {
  settings: (index: number) => `/zones/${idOf(index)}/page_shield`,
  policies: (index: number) => `/zones/${idOf(index)}/page_shield/policies`,
  "entry point": (index: number) => `/zones/${idOf(index)}/rulesets/phases/${phase}/entrypoint`,
  scripts: (index: number) => `/zones/${idOf(index)}/page_shield/scripts?per_page=100`,
  "page of zones": (index: number) => `/zones?per_page=50&page=${(index % 200) + 1}`,
  sweep: (index: number) => sweepPath(index),
} as const;

/** Measures each kind of GET; what is promised is the median over a sweep. */
export async function bench(): Promise<BenchResult> {
  await using emulator = await startEmulator({
    listen: { host: "127.0.0.1", port: 0 },
    seed,
    statePath: undefined,
    dialect: "published",
    clock: { now: () => new Date() },
    random: Math.random,
    sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  });
  const client = fork(new URL("emulator-client.ts", import.meta.url));
  await once(client, "message");
  const measured: { readonly kind: string; readonly cost: number; readonly floor: number }[] = [];
  for (const [kind, pathOf] of Object.entries(kinds)) {
    await using bare = await startBareServer(`${emulator.baseUrl}${pathOf(0)}`);
    const costOf = (baseUrl: string, batch: number): Promise<number> =>
      costOfBatch(client, baseUrl, pathOf, batch * batchSize);
    await costOf(emulator.baseUrl, 0);
    await costOf(bare.baseUrl, 0);
    const costs: number[] = [];
    const floors: number[] = [];
    // Taking turns, so that a machine that gets slower or faster does so for both.
    for (let batch = 0; batch < batches; batch += 1) {
      costs.push(await costOf(emulator.baseUrl, batch));
      floors.push(await costOf(bare.baseUrl, batch));
    }
    measured.push({ kind, cost: median(costs), floor: median(floors) });
  }
  client.disconnect();
  return {
    name: "a GET of the emulator",
    line: measured
      .map(
        ({ kind, cost, floor }) =>
          `${kind} ${cost.toFixed(0)} µs (${(cost / floor).toFixed(1)} × a bare server)`,
      )
      .join(", ")
      .concat(` (promised for a sweep: ${promised} ×)`),
    kept: measured.some(({ kind, cost, floor }) => kind === "sweep" && cost <= promised * floor),
  };
}

/** Three requests for each zone, and a page of the listing for each 50 zones. */
function sweepPath(index: number): string {
  if (index % 151 === 150) return kinds["page of zones"](index);
  const zone = Math.floor(index / 3);
  if (index % 3 === 0) return kinds.settings(zone);
  return index % 3 === 1 ? kinds.policies(zone) : kinds["entry point"](zone);
}

/** Sends what the emulator would, from memory. */
async function startBareServer(
  sample: string,
): Promise<{ readonly baseUrl: string } & AsyncDisposable> {
  const headers = { authorization: "Bearer emulator-token" };
  const body = await (await fetch(sample, { headers })).text();
  const bare = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  const port = await listenOnLoopback(bare);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      bare.closeAllConnections();
      await close(bare);
    },
  };
}

async function costOfBatch(
  from: ChildProcess,
  baseUrl: string,
  pathOf: (index: number) => string,
  first: number,
): Promise<number> {
  const urls = Array.from(
    { length: batchSize },
    (_, index) => `${baseUrl}${pathOf(first + index)}`,
  );
  from.send(urls);
  await once(from, "message");
  const before = process.cpuUsage();
  from.send("start");
  await once(from, "message");
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batchSize;
}

function idOf(index: number): string {
  return state.zones[index % zones]?.id ?? "";
}
