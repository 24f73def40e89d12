import { open as openFile, readFile, stat } from "node:fs/promises";
import path from "node:path";

import { systemClock } from "../../src/host/clock.ts";
import { openDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import type { StateStore } from "../../src/memory/state-store.ts";
import { storedApplied } from "../support/stored-applied.ts";
import { benchDirectory } from "./bench-directory.ts";
import { timesFloor } from "./processor-time.ts";
import type { BenchResult } from "./run.ts";

const zones = 10_000;
const promisedBytes = 5_000_000;
/** The state is loaded in at most this many times the processor time of reading the file and parsing its lines. */
const promisedLoad = 3;
/** A changed zone is stored in at most this many times the processor time of its file operations: a look at the lock, and an append. */
const promisedWrite = 2;
const writes = 50;
const loads = 9;

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
  await using place = await benchDirectory();
  const { directory } = place;
  {
    await using store = await open(directory);
    for (let nth = 0; nth < zones; nth += 1) {
      store.set(`applied/shop-${nth}.example.com`, storedApplied(nth));
    }
  }
  const file = path.join(directory, "state.jsonl");
  const { size } = await stat(file);
  const load = await timesFloor(
    loads,
    async () => {
      await using _store = await open(directory);
    },
    () => parsedLines(file),
  );
  await using store = await open(directory);
  const texts = Array.from({ length: writes }, (_, nth) => storedApplied(zones + nth));
  let nth = 0;
  const write = await timesFloor(
    writes,
    async () => {
      store.set(`applied/shop-${nth}.example.com`, texts[nth]);
      nth += 1;
      await store.flush();
    },
    async () => {
      await readFile(path.join(directory, "state.lock"), "utf8");
      await using plain = await openFile(path.join(directory, "plain"), "a");
      await plain.appendFile(texts[nth] ?? "");
      await plain.datasync();
    },
  );
  return {
    name: "state of 10,000 zones",
    line: `${(size / 1e6).toFixed(1)} MB (promised ${promisedBytes / 1e6}), loaded in ${load.toFixed(1)} times the parsing of its lines (promised ${promisedLoad}), one changed zone in ${write.toFixed(1)} times its file operations (promised ${promisedWrite})`,
    kept: size <= promisedBytes && load <= promisedLoad && write <= promisedWrite,
  };
}

async function parsedLines(file: string): Promise<void> {
  for (const line of (await readFile(file, "utf8")).trimEnd().split("\n")) {
    JSON.parse(line.slice(line.indexOf(" ") + 1));
  }
}
