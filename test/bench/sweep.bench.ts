import { Agent, request } from "undici";

import { createReader, writeSender } from "../../src/api/service.ts";
import { createWriter } from "../../src/api/write/send-write.ts";
import { createReporter } from "../../src/daemon/reporter.ts";
import { ZoneFileLoader } from "../../src/desired/load/zone-file-loader.ts";
import { selectZones } from "../../src/desired/zones/select.ts";
import { systemClock } from "../../src/host/clock.ts";
import { Reconciler } from "../../src/reconcile/reconciler.ts";
import { Fleet } from "../../src/state/fleet.ts";
import { isJsonObject } from "../../src/syntax/json.ts";
import { createLogger } from "../../src/telemetry/log/log.ts";
import { createMetrics, type Metrics } from "../../src/telemetry/metrics/metrics.ts";
import type { Clock } from "../../src/zone/ports.ts";
import type { RequestObserver } from "../../src/zone/service-request.ts";
import { startEmulatorProcess } from "../support/emulator-process.ts";
import { listIn, textIn } from "../support/emulator.ts";
import {
  declarationOf,
  declarationWithLists,
  declarationWithRulesets,
  namesOfFleet,
  seedOfFleet,
  seedWithLists,
  seedWithRulesets,
} from "../support/large-fleet.ts";
import { memoryFiles } from "../support/memory-files.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { connect, plantedToken, type TestService } from "../support/service.ts";
import { defaultOptions, oneCredential } from "../support/world.ts";
import { benchDirectory } from "./bench-directory.ts";
import { median, processorTime } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

const size = 1_000;
const concurrency = 8;
/** So many that the compiler of the language is done with both when the quickest of them is taken. */
const rounds = 40;

/** A sweep that finds nothing to do takes at most this many times what its bare requests take. */
const promised = 1.3;

/**
 * A check of a zone with settings, policies and lists of rules in all phases costs at most so many requests. A zone with a
 * custom ruleset costs one more for the listing, which `trust` needs anyway, and one for each ruleset that is read.
 */
const promisedRequests = { lists: { read: 5.1, trust: 3.1 }, rulesets: { read: 7.1, trust: 3.1 } };

/** A sweep of 1,000 zones by the whole loop, against its GETs sent with bare undici and read with JSON.parse. */
export async function bench(): Promise<BenchResult> {
  const names = namesOfFleet(size);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, seedOfFleet(names));
  const metrics = createMetrics({ version: "", revision: "", nodeVersion: "" });
  let sent = 0;
  const observer: RequestObserver = {
    ...metrics,
    request: (fact) => {
      sent += 1;
      metrics.request(fact);
    },
  };
  const choice = { budget: { limit: 1e9, concurrency }, observer };
  await using service = connect(emulator.baseUrl, choice);
  const fleet = {
    names,
    text: declarationOf(names),
    clock: systemClock,
    rulesetVersions: "read",
  } as const;
  const sweeper = startSweeper(service, metrics, fleet);
  await sweeper.sweep();
  sent = 0;
  await sweeper.sweep();
  const count = sent;
  const paths = await lastPaths(emulator.url, count);

  const ours: Cost[] = [];
  const bare: Cost[] = [];
  // Taking turns, so that a machine that gets slower or faster does so for both.
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await costOf(() => askBare(emulator.url, paths)));
    ours.push(await costOf(() => sweeper.sweep()));
  }
  await sweeper.end();
  const ratio = median(ours.map(({ wall }, round) => wall / (bare[round]?.wall ?? 0)));
  const cpu = ((least(ours, "cpu") - least(bare, "cpu")) * 1_000) / size;
  const requests = {
    lists: {
      read: await requestsOfCheck("lists", "read", 1),
      trust: await requestsOfCheck("lists", "trust", sweepsOfDay),
    },
    rulesets: {
      read: await requestsOfCheck("rulesets", "read", 1),
      trust: await requestsOfCheck("rulesets", "trust", sweepsOfDay),
    },
  };
  const line = [
    `${count} requests for ${size} zones: ${least(ours, "wall").toFixed(0)} ms against ${least(bare, "wall").toFixed(0)} ms`,
    `ratio ${ratio.toFixed(2)} (promised ${promised})`,
    `CPU of a zone beyond its bare requests ${cpu.toFixed(0)} µs`,
    `requests of a check with three lists of rules: ${requestsText("lists", requests.lists)}`,
    `with a custom ruleset too: ${requestsText("rulesets", requests.rulesets)}`,
  ].join("; ");
  const isFrugal = (["lists", "rulesets"] as const).every(
    (kind) =>
      requests[kind].read <= promisedRequests[kind].read &&
      requests[kind].trust <= promisedRequests[kind].trust,
  );
  return { name: "sweep", line, kept: ratio <= promised && isFrugal };
}

const fleets = {
  lists: { seed: seedWithLists, declaration: declarationWithLists },
  rulesets: { seed: seedWithRulesets, declaration: declarationWithRulesets },
};

/** As many sweeps as the default schedule has in a day. */
const sweepsOfDay = 96;

/** What a check of a zone costs on average in so many sweeps that find nothing to do, the list of zones included. */
async function requestsOfCheck(
  kind: keyof typeof promisedRequests,
  rulesetVersions: "trust" | "read",
  sweeps: number,
): Promise<number> {
  const names = namesOfFleet(50);
  await using place = await benchDirectory();
  const { directory } = place;
  await using emulator = await startEmulatorProcess(directory, fleets[kind].seed(names));
  const metrics = createMetrics({ version: "", revision: "", nodeVersion: "" });
  let sent = 0;
  const observer = { request: () => (sent += 1), retry: () => undefined };
  let passedMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + passedMs };
  const choice = { budget: { limit: 1e9, concurrency }, observer, clock };
  await using service = connect(emulator.baseUrl, choice);
  const fleet = { names, text: fleets[kind].declaration(names), clock, rulesetVersions };
  const sweeper = startSweeper(service, metrics, fleet);
  await sweeper.sweep();
  sent = 0;
  for (let nth = 0; nth < sweeps; nth += 1) {
    passedMs += (24 * 3_600_000) / sweepsOfDay;
    await sweeper.sweep();
  }
  await sweeper.end();
  return sent / sweeps / names.length;
}

function requestsText(
  kind: keyof typeof promisedRequests,
  { read, trust }: { readonly read: number; readonly trust: number },
): string {
  const promise = promisedRequests[kind];
  return `${read.toFixed(2)} with read (promised ${promise.read}), ${trust.toFixed(2)} with trust (promised ${promise.trust})`;
}

/** Milliseconds by the clock, and of this process's processors. */
interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

function least(costs: readonly Cost[], which: keyof Cost): number {
  return Math.min(...costs.map((cost) => cost[which]));
}

async function costOf(work: () => Promise<void>): Promise<Cost> {
  const begin = performance.now();
  const cpu = await processorTime(work);
  return { wall: performance.now() - begin, cpu };
}

interface Sweeper {
  /** Looks at every zone once; rejects where one is not in sync. */
  sweep(): Promise<void>;
  end(): Promise<void>;
}

/** A fleet that is swept, and how. */
interface Swept {
  readonly names: readonly string[];
  /** What is declared of it. */
  readonly text: string;
  readonly clock: Clock;
  readonly rulesetVersions: "trust" | "read";
}

/** The loop as the daemon has it, with fleet, metrics and log. */
function startSweeper(
  { service }: TestService,
  metrics: Metrics,
  { names, text, clock, rulesetVersions }: Swept,
): Sweeper {
  const disk = memoryFiles({ "/zones/fleet.yaml": text });
  const desired = new ZoneFileLoader({ path: "/zones", files: disk.port, clock });
  const reporter = createReporter({
    fleet: new Fleet(),
    metrics,
    logger: createLogger({
      level: "info",
      format: "json",
      color: false,
      destination: { write: () => undefined },
      clock,
      scrub: (line) => line,
    }),
    subscribers: [],
    remembered: [],
    source: "/zones",
    now: () => clock.now(),
    credentialOf: () => "main",
    undeclared: () => undefined,
    tokenUses: () => [],
    stepEvents: () => [],
    turned: () => undefined,
    configDiagnostics: () => [],
    declared: () => undefined,
  });
  let left = 0;
  let swept = Promise.withResolvers<void>();
  const reader = createReader(service);
  const reconciler = new Reconciler(
    { ...defaultOptions, concurrency, rulesetVersions },
    {
      ...reporter,
      report: (report) => {
        reporter.report(report);
        if (report.result !== "in_sync") swept.reject(new Error(JSON.stringify(report)));
        left -= 1;
        if (left === 0) swept.resolve();
      },
      bug: (error) => swept.reject(error),
      desired: {
        restore: () => Promise.resolve(undefined),
        load: (signal) => desired.load(signal),
        select: selectZones,
      },
      credentials: oneCredential,
      listZones: (signal) => reader.listZones(signal),
      reader,
      writer: createWriter(writeSender(service)),
      clock,
      store: new MemoryRunStore(),
      random: Math.random,
      runId: () => crypto.randomUUID(),
      schedule: { nextRun: () => undefined },
    },
  );
  const [stop, abort] = [new AbortController(), new AbortController()];
  const running = reconciler.runUntil({ stop: stop.signal, abort: abort.signal });
  return {
    sweep: () => {
      left = names.length;
      swept = Promise.withResolvers();
      reconciler.requestSweep("signal");
      return swept.promise;
    },
    end: () => {
      stop.abort();
      return running;
    },
  };
}

/** Paths of the newest requests that an emulator saw, in their order. */
async function lastPaths(url: string, count: number): Promise<readonly string[]> {
  const answer: unknown = await (await fetch(`${url}/_emulator/journal`)).json();
  const entries = listIn(isJsonObject(answer) ? answer["entries"] : undefined);
  return entries.slice(-count).map((entry) => textIn(entry, "path"));
}

/** Sends GETs, so many side by side, and reads their answers as JSON. */
async function askBare(url: string, paths: readonly string[]): Promise<void> {
  const dispatcher = new Agent({ connections: concurrency, allowH2: false });
  const headers = { authorization: `Bearer ${plantedToken}`, accept: "application/json" };
  const next = paths.values();
  const work = async (): Promise<void> => {
    for (const each of next) {
      const { body } = await request(`${url}${each}`, { dispatcher, headers });
      JSON.parse(await body.text());
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await dispatcher.close();
}
