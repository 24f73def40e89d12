import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { eventually } from "../support/processes.ts";
import { type Replica, ShardedFleet, shardNames, zonesOf } from "../support/sharded-fleet.ts";

/** How often a holder ends. `CLUSTER_REPETITIONS=20` takes a quarter of an hour. */
const repetitions = Number(process.env["CLUSTER_REPETITIONS"] ?? "2");

const random = seededRandom(Number(process.env["CLUSTER_SEED"] ?? "20261122"));

async function ready({ daemon }: Replica): Promise<true> {
  return eventually("it is ready", async () => {
    const answer = await fetch(`${daemon.address}/readyz`);
    return answer.status === 200 || undefined;
  });
}

/** How often the log says that a revision is held for a shard. */
function heldFor(fleet: ShardedFleet, shard: string): number {
  const lines = fleet.replicas.flatMap(({ daemon }) => daemon.output().split("\n"));
  const isHeld = (line: string): boolean =>
    line.includes('"msg":"revision held"') && line.includes(`"credential":"${shard}"`);
  return lines.filter(isHeld).length;
}

describe("three replicas with eight credentials", () => {
  it(
    "are replaced one after the other, and every zone is watched all the time",
    { timeout: 900_000 },
    async ({ expect }) => {
      await using fleet = await ShardedFleet.start({ replicas: 3, editEveryMs: 300 });
      await fleet.worked(shardNames);
      fleet.witness.longestGapMs = 0;
      // As a Deployment does it with maxSurge 1 and maxUnavailable 0.
      for (const old of fleet.replicas) {
        await ready(await fleet.add());
        old.daemon.signal("SIGTERM");
        expect(await old.daemon.end("SIGCONT")).toBe(0);
        await sleep(2_000 + random() * 2_000);
        fleet.drop(old);
      }
      await fleet.settled();
      await fleet.worked(shardNames);
      const seconds = (fleet.witness.longestGapMs / 1_000).toFixed(1);
      process.stdout.write(
        `a rolling update: ${fleet.witness.writes.length} writes after ${fleet.witness.edits.length} edits, no zone unwatched for longer than ${seconds} s\n`,
      );
      expect(fleet.witness.longestGapMs).toBeLessThan(20_000);
      expect(fleet.witness.handled.size).toBe([...zonesOf.values()].flat().length);
      expect(fleet.witness.repeatedWrites).toEqual([]);
      expect(fleet.witness.strayWrites).toEqual([]);
    },
  );

  it(
    "hold a revision that one of them holds when it ends, by TERM and KILL",
    { timeout: 7_200_000 },
    async ({ expect }) => {
      await using fleet = await ShardedFleet.start({ replicas: 3, editEveryMs: undefined });
      const { place } = fleet.example;
      await fleet.reconfigure((config) =>
        config.replace("max_fleet_share: 1", "max_fleet_share: 0.3"),
      );
      await sleep(3_000);
      const zones = [...zonesOf.values()].flat();
      const page = { settings: { enabled: false } };
      const declared = zones.map((name) => ({ name, page_shield: page }));
      await place.write("fleet/zones.yaml", JSON.stringify({ zones: declared }));
      await eventually("every shard holds it", () =>
        shardNames.every((shard) => heldFor(fleet, shard) > 0) ? true : undefined,
      );
      const written = fleet.witness.writes.length;
      for (let nth = 0; nth < repetitions; nth += 1) {
        await sleep(random() * 1_000);
        const old = fleet.replicas[Math.floor(random() * fleet.replicas.length)];
        if (old === undefined) throw new Error("there is no replica");
        const shards = fleet.shardsOf(old);
        fleet.drop(old);
        const before = new Map(shards.map((shard) => [shard, heldFor(fleet, shard)]));
        await old.daemon.end(nth % 2 === 0 ? "SIGTERM" : "SIGKILL");
        await eventually("the next holders hold it", () =>
          shards.every((shard) => heldFor(fleet, shard) > (before.get(shard) ?? 0))
            ? true
            : undefined,
        );
        await fleet.add();
        await fleet.settled();
        // The zones are swept each second: nothing of it is written.
        await sleep(2_500);
        expect(fleet.witness.writes).toHaveLength(written);
        process.stdout.write(`${nth + 1}: ${shards.length} shards\n`);
      }
    },
  );
});
