import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { systemClock } from "../../src/host/clock.ts";
import { appliedText } from "../../src/plan/cause/applied-zone.ts";
import { nextApplied } from "../../src/plan/cause/next-applied.ts";
import { openDirectoryStore } from "../../src/store/directory-store.ts";
import { nodeStateDirectory } from "../../src/store/state-directory.ts";
import type { StateStore } from "../../src/store/state-store.ts";
import { documentedScoreRuleId } from "../../src/zone/managed-ruleset.ts";
import { declared, deployment, desiredZone, exception, policy } from "../support/model.ts";
import type { BenchResult } from "./run.ts";

const zones = 10_000;
const promisedBytes = 5_000_000;
const promisedLoadMs = 300;
const promisedWriteMs = 5;

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
    const begun = performance.now();
    await using store = await open(directory);
    const loadMs = performance.now() - begun;
    const times: number[] = [];
    for (let write = 0; write < 50; write += 1) {
      const start = performance.now();
      store.set(`applied/shop-${write}.example.com`, stored(write + zones));
      await store.flush();
      times.push(performance.now() - start);
    }
    const writeMs = times.toSorted((a, b) => a - b)[25] ?? 0;
    return {
      name: "state of 10,000 zones",
      line: `${(size / 1e6).toFixed(1)} MB (promised ${promisedBytes / 1e6}), loaded in ${loadMs.toFixed(0)} ms (promised ${promisedLoadMs}), one changed zone in ${writeMs.toFixed(1)} ms (promised ${promisedWriteMs})`,
      kept: size <= promisedBytes && loadMs <= promisedLoadMs && writeMs <= promisedWriteMs,
    };
  } finally {
    await rm(directory, { recursive: true });
  }
}
