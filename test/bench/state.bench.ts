import { mkdtemp, open as openFile, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { systemClock } from "../../src/host/clock.ts";
import { openDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import type { StateStore } from "../../src/memory/state-store.ts";
import { appliedText } from "../../src/plan/cause/applied-zone.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { declared, deployment, desiredZone, exception, policy } from "../support/model.ts";
import type { BenchResult } from "./run.ts";

const zones = 10_000;
const promisedBytes = 5_000_000;
/** The state is loaded in at most this many times what it takes to read the file and parse its lines. */
const promisedLoad = 8;
/** A changed zone is stored in at most this many times what it takes to append as many bytes and wait for the disk. */
const promisedWrite = 5;
const writes = 50;

/** What the daemon stores of a zone: what was applied to five policies, OWASP and an exception, all of its own. */
function stored(nth: number): string {
  const own = (key: string) =>
    policy(key, { expression: `http.host eq "shop-${nth}.example.com"`, value: `img-src ${nth}` });
  const content = desiredZone({
    settings: [
      { name: "enabled", value: true },
      { name: "use_connection_url_path", value: nth % 2 === 0 },
    ],
    policies: declared(["checkout", "account", "search", "blog", "everywhere"].map(own)),
    rules: declared([
      exception(`uploads-${nth % 7}`),
      deployment("owasp", {
        tuning: { paranoiaLevel: 2, scoreThreshold: 40, action: "block" },
        description: `Tuned for shop ${nth}`,
      }),
    ]),
  }).content;
  return appliedText(nextApplied(undefined, content, documentedScoreRuleId, []));
}

function open(directory: string): Promise<StateStore> {
  return openDirectoryStore(
    { owner: "zonewarden", service: "https://api.example/client/v4" },
    {
      directory: nodeStateDirectory(directory),
      clock: systemClock,
      process: { pid: process.pid, hostName: "bench", isRunning: () => true },
      uniqueId: () => crypto.randomUUID(),
      onFailure: (error) => {
        throw error;
      },
      onRecovery: () => undefined,
      onLost: () => undefined,
    },
  );
}

/** Size, load and one changed zone of the state of 10,000 zones, on this machine's disk. */
export async function bench(): Promise<BenchResult> {
  const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-bench-"));
  try {
    {
      await using store = await open(directory);
      for (let nth = 0; nth < zones; nth += 1) {
        store.set(`applied/shop-${nth}.example.com`, stored(nth));
      }
    }
    const { size } = await stat(path.join(directory, "state.jsonl"));
    const floor = await timeOf(() => parsedLines(path.join(directory, "state.jsonl")));
    const begun = performance.now();
    await using store = await open(directory);
    const load = (performance.now() - begun) / floor;
    const [ours, bare]: [number[], number[]] = [[], []];
    await using plain = await openFile(path.join(directory, "plain"), "a");
    // Taking turns, so that a disk that gets slower or faster does so for both.
    for (let write = 0; write < writes; write += 1) {
      const text = stored(write + zones);
      ours.push(
        await timeOf(async () => {
          store.set(`applied/shop-${write}.example.com`, text);
          await store.flush();
        }),
      );
      bare.push(
        await timeOf(async () => {
          await plain.appendFile(text);
          await plain.datasync();
        }),
      );
    }
    const write = median(ours) / median(bare);
    return {
      name: "state of 10,000 zones",
      line: `${(size / 1e6).toFixed(1)} MB (promised ${promisedBytes / 1e6}), loaded in ${load.toFixed(1)} times the parsing of its lines (promised ${promisedLoad}), one changed zone in ${write.toFixed(1)} times a bare append (promised ${promisedWrite})`,
      kept: size <= promisedBytes && load <= promisedLoad && write <= promisedWrite,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function parsedLines(file: string): Promise<void> {
  for (const line of (await readFile(file, "utf8")).trimEnd().split("\n")) {
    JSON.parse(line.slice(line.indexOf(" ") + 1));
  }
}

/** Milliseconds. */
async function timeOf(work: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
