import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { describe, it } from "vitest";

import { loadSeed } from "../../src/emulator/seed/load-seed.ts";
import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import {
  goodSeed,
  listOf,
  resultOf,
  type TestEmulator,
  testEmulator,
  testStart,
} from "../support/emulator.ts";

const shop = "shop.example";
const url = "https://pay.example/pay.js";
const pages = "[https://shop.example/checkout/pay]";

function seedWith(...events: readonly string[]): string {
  const lines = events.map((event) => `      - ${event}\n`).join("");
  return `zones:\n  - name: ${shop}\n    settings: { enabled: true }\n    events:\n${lines}`;
}

async function scriptIn(world: TestEmulator): Promise<JsonObject | undefined> {
  const zone = await world.zoneId(shop);
  const query = "status=active,infrequent,inactive";
  const [found] = listOf(
    await world.call("GET", `/zones/${zone}/page_shield/scripts?${query}`),
  ).map(coerceObject);
  if (found === undefined) return undefined;
  const id = coerceText(found["id"]);
  return resultOf(await world.call("GET", `/zones/${zone}/page_shield/scripts/${id}`));
}

async function advance(world: TestEmulator, by: string): Promise<void> {
  await world.control("POST", "/clock", { advance: by });
}

/** A moment so many days after the start, as the service writes it. */
function at(days: number): string {
  const moment = new Date(testStart.getTime() + days * 86_400_000);
  return moment.toISOString().replace("Z", "000Z");
}

function versionsOf(script: JsonObject | undefined): readonly string[] {
  return coerceObjects(script?.["versions"]).map((each) => coerceText(each["fetched_at"]));
}

describe("the events of a seed", () => {
  it("let a script appear, change and vanish, each at its moment", async (context) => {
    const { expect } = context;
    const seed = goodSeed(
      seedWith(
        `{ after: 4d, script: { url: "${url}", content: "2", score: 3 } }`,
        `{ after: 1d, script: { url: "${url}", pages: ${pages}, content: "1" } }`,
        `{ after: 5d, script: { url: "${url}", vanish: true } }`,
      ),
    );
    await using world = await testEmulator(context, { seed });
    expect(await scriptIn(world)).toBe(undefined);
    await advance(world, "25h");
    expect(await scriptIn(world)).toMatchObject({ url, first_seen_at: at(1), fetched_at: at(1) });
    await advance(world, "3d");
    const changed = await scriptIn(world);
    expect(changed).toMatchObject({ last_seen_at: at(4), js_integrity_score: 3 });
    expect(versionsOf(changed)).toEqual([at(4), at(1)]);
    await advance(world, "1d");
    expect(await scriptIn(world)).toBe(undefined);
    await world.control("POST", "/reset");
    await advance(world, "1d");
    expect(versionsOf(await scriptIn(world))).toEqual([at(1)]);
  });

  it("load a script again and again, until its next event", async (context) => {
    const { expect } = context;
    const seed = goodSeed(
      seedWith(
        `{ after: 1d, every: 12h, script: { url: "${url}", content: "1" } }`,
        `{ after: 10d, script: { url: "${url}", content: "2" } }`,
      ),
    );
    await using world = await testEmulator(context, { seed });
    await advance(world, "9d");
    expect(await scriptIn(world)).toMatchObject({ status: "active", last_seen_at: at(9) });
    await advance(world, "6d");
    const last = await scriptIn(world);
    expect(last).toMatchObject({ last_seen_at: at(10) });
    expect(versionsOf(last)).toEqual([at(10), at(1)]);
  });

  it("switch monitoring off and on: nothing is detected meanwhile", async (context) => {
    const { expect } = context;
    const seed = goodSeed(
      seedWith(
        "{ after: 1d, monitoring: false }",
        `{ after: 2d, every: 1d, script: { url: "${url}", content: "1" } }`,
        "{ after: 90h, monitoring: true }",
      ),
    );
    await using world = await testEmulator(context, { seed });
    const settings = async (): Promise<JsonObject> =>
      resultOf(await world.call("GET", `/zones/${await world.zoneId(shop)}/page_shield`));
    await advance(world, "3d");
    expect(await settings()).toMatchObject({ enabled: false, updated_at: at(1) });
    expect(await scriptIn(world)).toBe(undefined);
    await advance(world, "1d");
    expect(await settings()).toMatchObject({ enabled: true, updated_at: at(3.75) });
    expect(await scriptIn(world)).toMatchObject({ first_seen_at: at(4) });
  });

  it("go on after a restart with the state file", async ({ expect }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "zonewarden-events-"));
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => rm(directory, { recursive: true }));
    const seed = goodSeed(
      seedWith(
        `{ after: 1d, script: { url: "${url}", content: "1" } }`,
        `{ after: 3d, script: { url: "${url}", content: "2" } }`,
      ),
    );
    const options = { seed, statePath: path.join(directory, "state") };
    {
      await using world = await testEmulator({ expect }, options);
      await advance(world, "2d");
      expect(versionsOf(await scriptIn(world))).toEqual([at(1)]);
    }
    await using world = await testEmulator({ expect }, options);
    expect(versionsOf(await scriptIn(world))).toEqual([at(1)]);
    await advance(world, "1d");
    expect(versionsOf(await scriptIn(world))).toEqual([at(3), at(1)]);
  });

  it.for([
    { event: "{ after: soon, monitoring: true }", says: "after is no duration; write 90s" },
    { event: "{ after: 1d }", says: "missing required field" },
    {
      event: "{ after: 1d, monitoring: true, script: { url: a } }",
      says: "must match exactly one",
    },
    { event: "{ after: 1d, every: 1s, script: { url: a } }", says: "every is at least 1m" },
    { event: "{ after: 1d, script: { url: a, page: b } }", says: 'unknown field "page"' },
    { event: "{ after: 999999999d, monitoring: true }", says: "beyond the year 9999" },
  ])("are checked: $event", ({ event, says }, { expect }) => {
    const loaded = loadSeed(seedWith(event), "seed.yaml");
    const diagnostics = "diagnostics" in loaded ? loaded.diagnostics : [];
    expect(diagnostics.map(({ message }) => message).join("\n")).toContain(says);
    expect(diagnostics[0]?.line).toBe(5);
  });
});
