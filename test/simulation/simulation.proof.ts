import { readFileSync } from "node:fs";

import { describe, it } from "vitest";

import { cases } from "../support/properties.ts";
import { plantedBugs } from "./bugs/planted-bugs.ts";
import { requestsOfFirstRun } from "./exhaustive.ts";
import { invariants } from "./invariants/invariants.ts";
import { type Schedule, scheduleOf, scheduleText, shrunk, wavesOf } from "./schedule.ts";
import { simulate } from "./simulation.ts";

/** What does not hold in these schedules; a failure names the seed to replay it with. */
async function violationsIn(
  schedules: Iterable<readonly [string, Schedule]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [name, schedule] of schedules) {
    const { violation } = await simulate(schedule);
    if (violation !== undefined) {
      found.push(`${name}: ${violation.message}\n${scheduleText(schedule)}`);
    }
  }
  return found;
}

/** Everything that happens in the schedule of a seed. */
async function traceOf(seed: number): Promise<unknown> {
  const { requests, happened } = await simulate(scheduleOf(seed));
  const lines = requests.map(
    ({ at, method, path, answer, effects }) =>
      `${at} ${method} ${path} ${answer} ${effects.map((effect) => effect.at).join(" ")}`,
  );
  return { happened, lines };
}

function isCutAfterTheSecond({ steps }: Schedule): Promise<boolean> {
  return Promise.resolve(steps.some(({ at, does }) => does === "cut" && at >= 3));
}

describe("a simulation", () => {
  it("without disturbances takes one run, which the exhaustive schedules disturb", async ({
    expect,
  }) => {
    const { violation, requests, sweeps } = await simulate({
      story: "shop",
      store: "directory",
      steps: [],
    });
    expect(violation).toBeUndefined();
    expect(sweeps).toBe(0);
    const run = requests.filter(({ at }) => at < 1_000);
    expect(run).toHaveLength(requestsOfFirstRun);
    expect(run.filter(({ method }) => method !== "GET")).toHaveLength(6);
  });

  // `npm run simulate`, which CI runs as well, tries each fault at each request, a seventh of their pairs, and many more seeds.
  it("holds with the first schedules of seeds (npm run simulate -- --seed N replays one)", async ({
    expect,
  }) => {
    const seeds = Array.from({ length: cases(30).numRuns }, (_, index) => index + 1);
    const schedules = seeds.map((seed) => [`--seed ${seed}`, scheduleOf(seed)] as const);
    expect(await violationsIn(schedules)).toEqual([]);
  });

  it("holds with these schedules where each plan has to be released", async ({ expect }) => {
    const seeds = Array.from({ length: cases(12).numRuns }, (_, index) => index + 1);
    const schedules = seeds.map((seed) => {
      const schedule = { ...scheduleOf(seed), story: "released", store: "database" } as const;
      return [`--seed ${seed}, released, with a database`, schedule] as const;
    });
    expect(await violationsIn(schedules)).toEqual([]);
  });

  it("holds with these schedules where changes go out in waves", async ({ expect }) => {
    const seeds = Array.from({ length: cases(60).numRuns }, (_, index) => index + 1);
    const schedules = seeds.map((seed) => {
      return [`--seed ${seed} --in-waves`, wavesOf(seed)] as const;
    });
    expect(await violationsIn(schedules)).toEqual([]);
  });

  const onceFailed = [
    101_278, 102_746, 102_781, 104_675, 1_011_974, 1_014_600, 1_024_111, 1_040_545, 1_043_612,
    1_073_860, 1_209_458, 1_214_112, 1_235_568, 1_352_334, 1_359_660, 1_377_115,
  ];

  it.for(onceFailed)("holds with seed %i, which failed once", async (seed, { expect }) => {
    const schedule = scheduleOf(seed, "earlier");
    expect(await violationsIn([[`seed ${seed}, as it was`, schedule]])).toEqual([]);
  });

  it("comes to an end with a deadline that is no whole millisecond", async ({ expect }) => {
    expect(await violationsIn([["--seed 100120", scheduleOf(100_120)]])).toEqual([]);
  });

  it("is the same each time", async ({ expect }) => {
    for (const seed of [44, 285]) expect(await traceOf(seed)).toEqual(await traceOf(seed));
  });

  it("shrinks a schedule to what is needed", async ({ expect }) => {
    const smallest = await shrunk(
      {
        story: "fleet",
        store: "database",
        steps: [
          { at: 1, does: "slow" },
          { at: 9, does: "cut" },
          { at: 12, does: "stop" },
        ],
      },
      isCutAfterTheSecond,
    );
    expect(smallest).toEqual({
      story: "shop",
      store: "directory",
      steps: [{ at: 3, does: "cut" }],
    });
    expect(scheduleText(smallest)).toBe(
      "story shop, with a directory\n  request 3: the answer is cut off in the middle (cut)",
    );
  });

  // `npm run proof` plants them, and expects the simulation to catch each.
  it.for(plantedBugs)("finds the text that the bug $name replaces once", (bug, { expect }) => {
    const file = new URL(`../../src/${bug.file}`, import.meta.url);
    expect(readFileSync(file, "utf8").split(bug.from)).toHaveLength(2);
  });

  it("has a sentence for each invariant", ({ expect }) => {
    expect(new Set(invariants.map(({ name }) => name)).size).toBe(invariants.length);
    for (const { sentence } of invariants) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});
