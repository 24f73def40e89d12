import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { eventually } from "../support/processes.ts";
import { type Replica, ShardedFleet, shardNames } from "../support/sharded-fleet.ts";

/** How often each fault is tried. `CLUSTER_REPETITIONS=50` takes hours. */
const repetitions = Number(process.env["CLUSTER_REPETITIONS"] ?? "2");

const random = seededRandom(Number(process.env["CLUSTER_SEED"] ?? "20261122"));

function report(what: string, seconds: readonly number[]): void {
  const shown = seconds.map((each) => each.toFixed(1)).join(", ");
  process.stdout.write(`${what}: ${shown} s\n`);
}

/** One of the replicas, by chance. */
function any(fleet: ShardedFleet): Replica {
  const replica = fleet.replicas[Math.floor(random() * fleet.replicas.length)];
  if (replica === undefined) throw new Error("there is no replica");
  return replica;
}

describe(`three replicas with eight credentials, ${repetitions} times each`, () => {
  it(
    "spread the credentials, and move those of one that ends or is killed",
    { timeout: 7_200_000 },
    async ({ expect }) => {
      await using fleet = await ShardedFleet.start({ replicas: 3, editEveryMs: 60 });
      const took = { join: [] as number[], term: [] as number[], kill: [] as number[] };
      for (let nth = 0; nth < 2 * repetitions; nth += 1) {
        await fleet.worked(shardNames);
        await sleep(random() * 2_000);
        const leaver = any(fleet);
        const shards = fleet.shardsOf(leaver);
        const isKilled = nth % 2 === 1;
        leaver.daemon.signal(isKilled ? "SIGKILL" : "SIGTERM");
        const seconds = await fleet.moved(shards, leaver);
        (isKilled ? took.kill : took.term).push(seconds);
        if (!isKilled) expect(await leaver.daemon.end("SIGCONT")).toBe(0);
        fleet.drop(leaver);
        await fleet.add();
        took.join.push(await fleet.settled());
      }
      report("another replica starts until the shards are spread", took.join);
      report("SIGTERM until others hold the shards", took.term);
      report("SIGKILL until others hold the shards", took.kill);
      expect(fleet.witness.strayWrites).toEqual([]);
      expect(Math.max(...took.join)).toBeLessThan(10);
      expect(Math.max(...took.term)).toBeLessThan(5);
      expect(Math.max(...took.kill)).toBeLessThan(25);
    },
  );

  it(
    "see no write of a replica that was paused for a minute, when it goes on",
    { timeout: 14_400_000 },
    async ({ expect }) => {
      await using fleet = await ShardedFleet.start({ replicas: 3, editEveryMs: 60 });
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const stale = any(fleet);
        const shards = fleet.shardsOf(stale);
        const since = performance.now();
        stale.daemon.signal("SIGSTOP");
        took.push(await fleet.moved(shards, stale));
        await fleet.worked(shards);
        await sleep(Math.max(1, 60_000 - (performance.now() - since)) + random() * 1_000);
        const losses = lossesOf(stale);
        stale.daemon.signal("SIGCONT");
        await eventually("it finds that it leads no more", () => {
          return lossesOf(stale) === losses + shards.length || undefined;
        });
        expect(fleet.witness.strayWrites).toEqual([]);
        await fleet.settled();
        await fleet.worked(fleet.shardsOf(stale));
        process.stdout.write(
          `${nth + 1}: ${took.at(-1)?.toFixed(1)} s, ${fleet.witness.writes.length} writes\n`,
        );
      }
      report("SIGSTOP until others hold the shards", took);
      expect(fleet.witness.strayWrites).toEqual([]);
    },
  );

  it(
    "see no write after its deadline of a replica that the API server does not answer",
    { timeout: 7_200_000 },
    async ({ expect }) => {
      await using fleet = await ShardedFleet.start({ replicas: 3, editEveryMs: 60 });
      const took: number[] = [];
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 2_000);
        const cut = any(fleet);
        const shards = fleet.shardsOf(cut);
        const losses = lossesOf(cut);
        const since = Date.now();
        fleet.kube.fault = (_method, _path, authorization) =>
          authorization === `Bearer ${cut.name}` ? "hang" : undefined;
        took.push(await fleet.moved(shards, cut));
        expect(lossesOf(cut)).toBe(losses + shards.length);
        await fleet.worked(shards);
        const late = fleet.witness.writes.filter(
          ({ replica, at }) => replica === cut.name && at > since + 10_500,
        );
        expect(late).toEqual([]);
        fleet.kube.fault = () => undefined;
        await fleet.settled();
        await fleet.worked(fleet.shardsOf(cut));
      }
      report("cut from the API server until others hold the shards", took);
      expect(fleet.witness.strayWrites).toEqual([]);
    },
  );
});

/** How often a replica has found that it holds a Lease no more. */
function lossesOf({ daemon }: Replica): number {
  return daemon.output().split('"msg":"leadership lost"').length - 1;
}
