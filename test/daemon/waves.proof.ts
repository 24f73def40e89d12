import { appendFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { readDirectoryStore } from "../../src/memory/directory/directory-store.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { nodeStateDirectory } from "../../src/memory/directory/state-directory.ts";
import { coerceObject, coerceObjects, coerceText, parseJson } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { applying, started } from "../support/settled-example.ts";
import { applied, fleetLinkOf, untilWaiting, weaken } from "../support/waves-of-example.ts";

const [blog, shop, brand] = ["blog.example.com", "shop.example.com", "www.brand.example"] as const;

const rollout = `rollout: { waves: [{ zones: [${shop}] }, { share: 100% }], soak: 24h }`;

/** A fleet that is as declared; from its next process on, changes go out in waves. */
interface InWaves extends AsyncDisposable {
  readonly example: Example;
  /** Lets the clock go on while no process runs. */
  readonly pass: (ms: number) => void;
}

async function inWaves(): Promise<InWaves> {
  let passed = 0;
  const clock = { ...systemClock, now: () => new Date(Date.now() + passed) };
  const config = 'schedule: { cron: "0 * * * *" }\nstore: { path: state }';
  const example = await exampleWithEmulator({ config, ports: { clock } });
  await stop(await applying(example));
  const text = await example.place.read("zonewarden.yaml");
  await example.place.write("zonewarden.yaml", `${text}${rollout}\n`);
  return {
    example,
    pass: (ms) => (passed += ms),
    [Symbol.asyncDispose]: () => example[Symbol.asyncDispose](),
  };
}

async function stateOf({ place, emulator }: Example): Promise<ReadonlyMap<string, string>> {
  const identity = { owner: "zonewarden", service: emulator.baseUrl };
  const directory = nodeStateDirectory(path.join(place.directory, "state"));
  return (await readDirectoryStore(identity, directory)).entries;
}

/** Appends a line to the state, as anybody who may write it can. */
async function forge(
  { place }: Example,
  entry: readonly [key: string, text: string | null],
): Promise<void> {
  await appendFile(path.join(place.directory, "state/state.jsonl"), lineOf([entry]));
}

describe("a daemon whose changes go out in waves", () => {
  it("goes on where it was, over restarts, and corrects drift in zones that wait", async ({
    expect,
  }) => {
    await using fleet = await inWaves();
    const { example } = fleet;
    let daemon = await started(example);
    await weaken(example);
    await eventually("the first wave is applied", () => applied(daemon).length === 1 || undefined);
    expect(applied(daemon)).toEqual([shop]);
    await untilWaiting(daemon, blog);
    const link = await fleetLinkOf(daemon, brand);
    expect(link).toMatchObject({ answer: "partly" });
    expect(link?.["reason"]).toMatch(
      /^the zone waits for wave 2 of 2: wave 1 is applied, and the next one begins at \S+; what it changes here waits, and drift /,
    );
    await stop(daemon);
    const written = writesSeenBy(example.emulator).length;

    fleet.pass(23 * 3_600_000);
    await control(example, "edit", { zone: blog, settings: { enabled: false } });
    daemon = await started(example);
    await eventually("the drift is corrected", () => applied(daemon).length === 1 || undefined);
    await stop(daemon);
    expect(applied(daemon)).toEqual([blog]);
    expect(writesSeenBy(example.emulator)).toHaveLength(written + 1);

    // Moments are stored in whole minutes.
    fleet.pass(3_600_000 + 60_000);
    daemon = await started(example);
    await eventually("the second wave is applied", () => applied(daemon).length === 2 || undefined);
    expect(await fleetLinkOf(daemon, blog)).toMatchObject({ answer: "passed" });
    await stop(daemon);
    expect(new Set(applied(daemon))).toEqual(new Set([blog, brand]));
    // The files of revisions that are in force nowhere are gone.
    expect([...(await stateOf(example)).keys()].join(" ")).not.toContain("earlier/");
    const began = logLines(daemon).filter(({ msg }) => msg === "wave began");
    expect(new Set(began.map(({ wave }) => wave))).toEqual(new Set([2]));
    const { stdout } = await example.place.run("history");
    const turns = stdout.match(/rollout (began|ended|replaced)|wave \d began/g);
    expect(new Set(turns?.filter((each) => each.startsWith("wave")))).toEqual(
      new Set(["wave 1 began", "wave 2 began"]),
    );
    expect([turns?.[0], turns?.at(-1)]).toEqual(["rollout began", "rollout ended"]);
    expect((await example.place.run("history", shop)).stdout).not.toContain("rollout");
    expect((await example.place.run("history", "verify")).code).toBe(0);
  });

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
