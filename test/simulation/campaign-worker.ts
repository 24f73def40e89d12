import { parentPort, workerData } from "node:worker_threads";

import { added, noTally, type Share, type Tally } from "./campaign.ts";
import { pairs, singles, somePairs } from "./exhaustive.ts";
import { type Schedule, scheduleOf, wavesOf } from "./schedule.ts";
import { simulate } from "./simulation.ts";

/** So many schedules are told at once. */
const batch = 100;

/** Tries the schedules of a share, and tells of them. */
async function work({ seconds, nth, of, store, ...campaign }: Share): Promise<void> {
  let tally = noTally;
  const tell = (): void => {
    parentPort?.postMessage(tally);
    tally = noTally;
  };
  let index = -1;
  for (const [seed, schedule] of schedulesOf(campaign)) {
    if (store !== undefined && store !== schedule.store) continue;
    index += 1;
    if (index % of !== nth) continue;
    if (performance.now() > seconds * 1_000) break;
    tally = added(tally, await tried(seed, schedule));
    if (tally.schedules === batch) tell();
  }
  tell();
}

function* schedulesOf({
  listed,
  firstSeed,
  seeds,
  inWaves,
}: Pick<Share, "listed" | "firstSeed" | "seeds" | "inWaves">): Generator<
  readonly [number | undefined, Schedule]
> {
  if (listed !== "none") {
    const faults = listed === "all" ? pairs() : somePairs();
    for (const schedule of [...singles(), ...faults]) yield [undefined, schedule];
  }
  const of = inWaves ? wavesOf : scheduleOf;
  for (let seed = firstSeed; seed < firstSeed + seeds; seed += 1) yield [seed, of(seed)];
}

async function tried(seed: number | undefined, schedule: Schedule): Promise<Tally> {
  const before = process.threadCpuUsage();
  const { violation, requests, happened, sweeps } = await simulate(schedule);
  const { user, system } = process.threadCpuUsage(before);
  const counts: Record<string, number> = {};
  for (const name of happened) counts[name] = (counts[name] ?? 0) + 1;
  const failures =
    violation === undefined
      ? []
      : [{ seed, schedule, invariant: violation.invariant, message: violation.message }];
  return {
    schedules: 1,
    requests: requests.length,
    cpuMs: (user + system) / 1_000,
    happened: counts,
    mostSweeps: sweeps,
    failures,
  };
}

function isShare(value: unknown): value is Share {
  return typeof value === "object" && value !== null && "nth" in value && "of" in value;
}

const share: unknown = workerData;
if (!isShare(share)) throw new Error("a thread needs its share");
await work(share);
