import { setTimeout as sleep } from "node:timers/promises";

import { describe, it } from "vitest";

import { seededRandom } from "../../src/emulator/control/faults.ts";
import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { listAnswer } from "../support/ask.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { eventually, startDaemon } from "../support/processes.ts";

const zones = ["a.example.com", "b.example.com"];
const policiesPerZone = 8;

/** An example of two zones whose policies are created one after the other. */
async function manyWrites(): Promise<Example> {
  const example = await exampleWithEmulator({
    config: "desired: { path: fleet }\nstore: { path: state }",
    seed: {
      zones: zones.map((name) => ({ name, entitlements: { policies: 20 } })),
    },
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  });
  const policies = Array.from({ length: policiesPerZone }, (_, nth) => ({
    key: `p${nth}`,
    action: "log",
    expression: `http.request.uri.path eq "/${nth}"`,
    value: "script-src 'self'",
  }));
  const page_shield = { policies: { items: policies } };
  const files = { zones: zones.map((name) => ({ name, page_shield })) };
  await example.place.write("fleet/zones.yaml", JSON.stringify(files));
  return example;
}

/** `a.example.com policy/p0`, for each policy at the service. */
async function createdIn({ emulator }: Example): Promise<readonly string[]> {
  const listed = await listAnswer(emulator, "/zones?per_page=50");
  const created = await Promise.all(
    listed.map(async ({ id, name }) => {
      const policies = await listAnswer(emulator, `/zones/${coerceText(id)}/page_shield/policies`);
      return policies.map(({ description }) => {
        const [, key] = /\[zonewarden:(\w+)\]/.exec(coerceText(description)) ?? [];
        return `${coerceText(name)} policy/${key}`;
      });
    }),
  );
  return created.flat().toSorted();
}

/** The changes that the history file has with a result, in entries with one of some results. */
async function recorded(
  { place }: Example,
  results: readonly string[],
  of: string,
): Promise<readonly string[]> {
  const { stdout } = await place.run("history", "--format", "json");
  const entries = coerceObjects(coerceObject(JSON.parse(stdout))["entries"]);
  return entries
    .filter(({ result }) => results.includes(coerceText(result)))
    .flatMap(({ zone, changes }) =>
      coerceObjects(changes)
        .filter(({ result }) => result === of)
        .map(({ key }) => `${coerceText(zone)} ${coerceText(key)}`),
    )
    .toSorted();
}

describe("a daemon that is killed between two writes", () => {
  const random = seededRandom(15);
  const moments = Array.from({ length: 4 }, () => ({
    writes: 1 + Math.floor(random() * 10),
    ms: Math.floor(random() * 30),
  }));

  it.for(moments)(
    "has each write in its history once, or as unknown: after $writes writes and $ms ms",
    async ({ writes, ms }, { expect }) => {
      await using example = await manyWrites();
      await control(example, "faults", { fault: "latency", milliseconds: 20, method: "POST" });
      {
        await using daemon = await startDaemon(example.place.directory);
        await eventually("writes are seen", () =>
          writesSeenBy(example.emulator).length >= writes ? true : undefined,
        );
        await sleep(ms);
        await daemon.end("SIGKILL");
      }
      // A request that was sent may be answered after the process has ended.
      await sleep(100);
      const created = await createdIn(example);
      const ended = await recorded(example, ["applied"], "done");
      {
        await using daemon = await startDaemon(example.place.directory);
        await eventually("the zones are as declared", async () =>
          (await createdIn(example)).length === zones.length * policiesPerZone ? true : undefined,
        );
        await daemon.end("SIGTERM");
      }
      const done = await recorded(example, ["interrupted"], "done");
      const unknown = await recorded(example, ["interrupted"], "unknown");
      expect(created).toEqual(expect.arrayContaining([...ended, ...done]));
      expect([...ended, ...done, ...unknown]).toEqual(expect.arrayContaining([...created]));
      expect(done.length + unknown.length, "interrupted").toBeGreaterThan(0);
      // A run sends one write at a time.
      expect(new Set(unknown.map((each) => each.split(" ")[0])).size).toBe(unknown.length);
      const all = await recorded(example, ["interrupted", "applied"], "done");
      expect(new Set(all).size).toBe(all.length);
      expect(await recorded(example, ["running"], "done")).toEqual([]);
    },
  );
});
