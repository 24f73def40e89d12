import { appendFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { coerceObject, coerceObjects, coerceText, parseJson } from "../../src/syntax/json.ts";
import { type Example, stateOf } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { started } from "../support/settled-example.ts";
import {
  applied,
  fleetLinkOf,
  inWaves,
  untilWaiting,
  weaken,
} from "../support/waves-of-example.ts";

const [blog, brand] = ["blog.example.com", "www.brand.example"] as const;

/** Appends a line to the state, as anybody who may write it can. */
async function forge(
  { place }: Example,
  entry: readonly [key: string, text: string | null],
): Promise<void> {
  await appendFile(path.join(place.directory, "state/state.jsonl"), lineOf([entry]));
}

describe("a daemon whose stored waves were changed", () => {
  it.for([
    { when: "is damaged", forged: () => '{"waits":' },
    {
      when: "says that what waits is in force",
      forged: (active: string) => JSON.stringify({ waits: active }),
    },
    { when: "names a revision that nobody knows", forged: () => '{"waits":"5a40679f"}' },
  ])("holds the one zone of which what is stored $when", async ({ forged }, { expect }) => {
    await using fleet = await inWaves();
    const { example } = fleet;
    let daemon = await started(example);
    await weaken(example);
    await untilWaiting(daemon, blog);
    await stop(daemon);
    const { hash } = coerceObject(parseJson((await stateOf(example)).get("revision") ?? ""));
    expect((await stateOf(example)).get(`wave/${blog}`)).toMatch(/^\{"waits":"[0-9a-f]{64}"\}$/);
    await forge(example, [`wave/${blog}`, forged(coerceText(hash))]);

    fleet.pass(3_600_000);
    daemon = await started(example);
    const { holds } = await jsonFrom(daemon, `api/v1/zones/${blog}`);
    expect(coerceObjects(holds)).toMatchObject([{ reason: "wave" }]);
    expect(await fleetLinkOf(daemon, brand)).toMatchObject({ answer: "partly" });
    await stop(daemon);
    expect(applied(daemon)).toEqual([]);
  });

  it("holds all zones where the key of one that waits is gone", async ({ expect }) => {
    await using fleet = await inWaves();
    const { example } = fleet;
    let daemon = await started(example);
    await weaken(example);
    await untilWaiting(daemon, blog);
    await stop(daemon);
    await forge(example, [`wave/${brand}`, null]);

    fleet.pass(100 * 3_600_000);
    daemon = await started(example);
    for (const zone of [blog, brand]) {
      const { holds } = await jsonFrom(daemon, `api/v1/zones/${zone}`);
      expect(coerceObjects(holds)).toMatchObject([{ reason: "wave" }]);
    }
    await stop(daemon);
    expect(applied(daemon)).toEqual([]);
  });

  it("begins the order and the soak again where the state is lost", async ({ expect }) => {
    await using fleet = await inWaves();
    const { example } = fleet;
    let daemon = await started(example);
    await weaken(example);
    await eventually("the first wave is applied", () => applied(daemon).length === 1 || undefined);
    await stop(daemon);
    await example.place.remove("state");

    fleet.pass(100 * 3_600_000);
    daemon = await started(example);
    const { holds } = await jsonFrom(daemon, `api/v1/zones/${blog}`);
    expect(coerceObjects(holds)).toMatchObject([{ reason: "wave" }]);
    await stop(daemon);
    expect(applied(daemon)).toEqual([]);
    await logged(daemon, "zonewarden started");
  });
});
