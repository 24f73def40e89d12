import { chmod, lstat, readdir, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import type { Emulator } from "../../src/emulator/start-emulator.ts";
import { systemClock } from "../../src/host/clock.ts";
import { emptyRepository, filesOf } from "../support/empty-repository.ts";
import type { Example } from "../support/example.ts";
import { namesOfFleet, seedWithLists } from "../support/large-fleet.ts";

const fleet = seedWithLists(namesOfFleet(21));

/** Zones of which most lack lists of rules: four have all, one only its rate limits. */
const seed: Seed = {
  ...fleet,
  tokens: ["emulator-token", "another-token"].map((value) => ({ name: value, value })),
  zones: fleet.zones.map(({ entrypoint = [], rulesets = [], ...zone }, index) => {
    if (index < 2 || index > 6) return zone;
    if (index > 2) return { ...zone, entrypoint, rulesets };
    return { ...zone, rulesets: rulesets.filter(({ phase }) => phase === "http_ratelimit") };
  }),
};

/** One page of zones, and the score rule of the account. */
const others = 2;
/** Settings, policies and the listing of each zone, and the lists that it names. */
const needed = 21 * 3 + 1 + 4 * 3;

const token = "emulator-token";
const reading = ".zones.reading";

/** A repository beside an emulator with many zones, which a configuration names. */
async function manyZones(ports: Parameters<typeof emptyRepository>[1] = {}): Promise<Example> {
  const example = await emptyRepository(
    undefined,
    {
      env: { ZONEWARDEN_API_TOKEN: token },
      ...ports,
    },
    seed,
  );
  await configure(example);
  return example;
}

function configure({ place, emulator }: Pick<Example, "place" | "emulator">): Promise<void> {
  return place.write(
    "zonewarden.yaml",
    `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\n`,
  );
}

function requestsOf(emulator: Emulator): readonly string[] {
  return emulator.journal().map(({ method, path: where }) => `${method} ${where}`);
}

const init = ["init", "--yes", "--no-workflow"];

/** Runs `init`, or another command, until the service has answered so many requests, and then stops it as Ctrl-C does. */
async function interrupted(
  { place, emulator }: Example,
  after: number,
  args: readonly string[] = init,
): Promise<string> {
  const command = place.start(...args);
  while (emulator.journal().length < after) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  command.signal("SIGINT");
  const { code, stderr } = await command.ended;
  if (code === 0) throw new Error("it was not interrupted");
  return stderr;
}

describe("init of many zones", () => {
  it("requests each part of each zone once, and says before how many requests it needs", async ({
    expect,
  }) => {
    await using example = await manyZones();
    const { code, stdout, stderr } = await example.place.run(...init);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "reading 21 zones: 63 to 126 requests, less than a minute within the request budget\n",
    });
    expect(stdout).toMatch(/^wrote \d+ zone files into zones\n/);
    expect(stdout).toContain("No changes. 21 of 21 zones in sync.");
    const requests = requestsOf(example.emulator);
    expect(requests.length).toBe(new Set(requests).size);
    expect(requests.filter((each) => each.includes("/zones/")).length).toBe(needed);
    expect(requests.length - needed).toBe(others);
    expect(requests.filter((each) => each.endsWith("/entrypoint")).length).toBe(1 + 4 * 3);
    expect(Object.keys(await filesOf(example.place))).not.toContain(reading);
  });

  it("continues where it was interrupted", async ({ expect }) => {
    await using example = await manyZones();
    const { place, emulator } = example;
    const said = await interrupted(example, 50);
    expect(said).toContain(
      `what was read is in ${reading}: the same command continues with it within an hour\n`,
    );
    const { mode } = await lstat(path.join(place.directory, reading));
    expect(mode & 0o777).toBe(0o600);
    const before = emulator.journal().length;
    const { code, stdout, stderr } = await place.run(...init);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^reading \d+ zones \(the other \d+ were read before\): .*\n$/);
    expect(stdout).toContain("No changes. 21 of 21 zones in sync.");
    // Those in flight when it was interrupted, and the list of zones, are requested again.
    const parts = requestsOf(emulator).filter((each) => each.includes("/zones/"));
    expect(parts.length - new Set(parts).size).toBeLessThanOrEqual(8);
    expect(emulator.journal().length - before).toBeLessThan(needed - 20);
    expect(await readdir(place.directory)).not.toContain(reading);
  });

  it("counts the zones of which it read the wanted parts", async ({ expect }) => {
    await using example = await manyZones();
    const rules = ["import", "--only", "rules", "--out", "zones"];
    await interrupted(example, 20, rules);
    const { stderr } = await example.place.run(...rules);
    expect(stderr).toMatch(/^reading \d+ zones \(the other \d+ were read before\): /);
  });

  const ignored: readonly {
    readonly what: string;
    readonly change: (example: Example, file: string) => Promise<void>;
    readonly env?: Record<string, string>;
    readonly ageMs?: number;
  }[] = [
    {
      what: "what somebody forged",
      change: async ({ place }, file) => {
        const text = await place.read(reading);
        const forged = text.replaceAll('"path"', ' "path"').replaceAll("true", "false");
        await writeFile(file, forged);
      },
    },
    { what: "what others may read", change: (_, file) => chmod(file, 0o644) },
    {
      what: "what a link names",
      change: async (_, file) => {
        await rename(file, `${file}.kept`);
        await symlink(`${file}.kept`, file);
      },
    },
    {
      what: "what another token has read",
      change: () => Promise.resolve(),
      env: { ZONEWARDEN_API_TOKEN: "another-token" },
    },
    { what: "what is older than an hour", change: () => Promise.resolve(), ageMs: 3_600_001 },
    { what: "what comes from the future", change: () => Promise.resolve(), ageMs: -60_000 },
  ];

  it.for(ignored)("ignores $what", async ({ change, env, ageMs = 0 }, { expect }) => {
    const variables = { ZONEWARDEN_API_TOKEN: token };
    let shiftMs = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + shiftMs) };
    await using example = await manyZones({ env: variables, clock });
    const { place, emulator } = example;
    await interrupted(example, 50);
    await change(example, path.join(place.directory, reading));
    shiftMs = ageMs;
    Object.assign(variables, env);
    const before = requestsOf(emulator).length;
    const { code, stderr } = await place.run(...init);
    expect(code).toBe(0);
    const again = requestsOf(emulator).slice(before);
    expect(again.filter((each) => each.includes("/zones/")).length).toBe(needed);
    expect(stderr).not.toContain("read before");
    expect(await readdir(place.directory)).not.toContain(reading);
  });
});
