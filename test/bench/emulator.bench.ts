/**
 * What a GET costs the emulator in CPU with 10,000 zones, beside a bare server that sends the same bytes.
 *
 * The client runs in a process of its own; only this process is measured. Wall time would measure the machine's
 * other guests.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";

import { startEmulator } from "../../src/emulator/emulator.ts";
import { generateSeed } from "../../src/emulator/generate.ts";
import { seededState } from "../../src/emulator/seeded-state.ts";
import type { State } from "../../src/emulator/state.ts";

const zones = 10_000;
const batches = 30;
const batchSize = 300;
const promisedMicroseconds = 200;

const seed = {
  ...generateSeed({ zones, policies: 3, scripts: 20, seed: 1 }),
  rate_limit: false,
} as const;
const { state } = seededState(seed, new Date());

await using emulator = await startEmulator({
  listen: { host: "127.0.0.1", port: 0 },
  seed,
  statePath: undefined,
  dialect: "published",
  clock: { now: () => new Date() },
  random: Math.random,
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
});

const phase = "http_request_firewall_managed";
const kinds: Readonly<Record<string, (index: number) => string>> = {
  settings: (index) => `/zones/${idOf(state, index)}/page_shield`,
  policies: (index) => `/zones/${idOf(state, index)}/page_shield/policies`,
  "entry point": (index) => `/zones/${idOf(state, index)}/rulesets/phases/${phase}/entrypoint`,
  scripts: (index) => `/zones/${idOf(state, index)}/page_shield/scripts?per_page=100`,
  "zones, a page of 50": (index) => `/zones?per_page=50&page=${(index % 200) + 1}`,
  "a sweep (3 of a zone, a page each 50 zones)": (index) => sweepPath(index),
};

const client = fork(new URL("emulator-client.ts", import.meta.url));
await once(client, "message");
process.stdout.write(
  `${zones} zones; CPU of the server for each GET, median of ${batches} batches\n`,
);
for (const [kind, pathOf] of Object.entries(kinds)) {
  const cost = await medianCost(emulator.baseUrl, pathOf);
  const floor = await floorFor(pathOf);
  const verdict = cost < promisedMicroseconds ? "below" : "ABOVE";
  process.stdout.write(
    `${kind.padEnd(45)} ${cost.toFixed(0).padStart(4)} µs, ${(cost / floor).toFixed(1)} × a bare server (${floor.toFixed(0)} µs); ${verdict} the promised ${promisedMicroseconds} µs\n`,
  );
}
client.disconnect();

function sweepPath(index: number): string {
  const step = index % 151;
  const zone = Math.floor(index / 3);
  if (step === 150) return kinds["zones, a page of 50"]?.(index) ?? "";
  const kind = ["settings", "policies", "entry point"][index % 3] ?? "";
  return kinds[kind]?.(zone) ?? "";
}

/** Sends what the emulator would, from memory. */
async function floorFor(pathOf: (index: number) => string): Promise<number> {
  const headers = { authorization: "Bearer emulator-token" };
  const sample = await fetch(`${emulator.baseUrl}${pathOf(0)}`, { headers });
  const body = await sample.text();
  const bare = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  bare.listen(0, "127.0.0.1");
  await once(bare, "listening");
  const address = bare.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const cost = await medianCost(`http://127.0.0.1:${port}`, pathOf);
  bare.closeAllConnections();
  bare.close();
  return cost;
}

async function medianCost(baseUrl: string, pathOf: (index: number) => string): Promise<number> {
  await costOfBatch(client, baseUrl, pathOf, 0);
  const costs: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    costs.push(await costOfBatch(client, baseUrl, pathOf, batch * batchSize));
  }
  return costs.toSorted((a, b) => a - b)[Math.floor(batches / 2)] ?? Number.NaN;
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

function idOf({ zones: all }: State, index: number): string {
  return all[index % all.length]?.id ?? "";
}
