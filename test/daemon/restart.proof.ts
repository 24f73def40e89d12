import { describe, it } from "vitest";

import { systemClock } from "../../src/host/clock.ts";
import { coerceObject, type JsonObject } from "../../src/syntax/json.ts";
import type { Started } from "../support/command-line.ts";
import {
  control,
  type Example,
  exampleWithEmulator,
  stateOf,
  writesSeenBy,
} from "../support/example.ts";
import { logLines, logged } from "../support/log-lines.ts";
import { jsonFrom, stop } from "../support/running.ts";
import { allRun, settled, started } from "../support/settled-example.ts";
import { applied, untilWaiting, weaken as lowerParanoia } from "../support/waves-of-example.ts";

const config = 'schedule: { cron: "0 * * * *" }\nstore: { path: state }';

/** Lowers what all zones that share the example's profile tolerate. */
async function weaken({ place }: Example): Promise<void> {
  await place.edit("zones/baseline.yaml", "score_threshold: medium", "score_threshold: low");
}

function edit(example: Example, set: object): Promise<void> {
  return control(example, "edit", { zone: "shop.example.com", rule: "zonewarden:owasp", set });
}

function shopOf(daemon: Started): Promise<JsonObject> {
  return jsonFrom(daemon, "api/v1/zones/shop.example.com");
}

/** The keys of what is stored. */
async function keysOf(example: Example): Promise<string> {
  return [...(await stateOf(example)).keys()].join(" ");
}

describe("a daemon that starts again", () => {
  it("goes on holding a revision that was held, restart after restart", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    let daemon = await settled(example);
    const { revision = "" } = await logged(daemon, "revision applied");
    await weaken(example);
    await logged(daemon, "revision held");
    const written = writesSeenBy(example.emulator).length;
    for (let restart = 0; restart < 3; restart += 1) {
      await stop(daemon);
      daemon = example.place.start("run");
      await logged(daemon, "active revision restored from the state", { revision });
      await logged(daemon, "revision held");
      await allRun(daemon);
    }
    await stop(daemon);
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
  });

  it("holds a revision that came while it was down", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await stop(await settled(example));
    const written = writesSeenBy(example.emulator).length;
    await weaken(example);
    const daemon = example.place.start("run");
    const { hold } = await logged(daemon, "revision held");
    expect(hold).toContain("changes 3 and drops 0 of 3 zones");
    await allRun(daemon);
    await stop(daemon);
    expect(writesSeenBy(example.emulator)).toHaveLength(written);
  });

  it("keeps the last good version of a file that broke while it was down", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config });
    await stop(await settled(example));
    await example.place.write("zones/baseline.yaml", "profiles: [");
    // Only the state has the version: what may break a site is not written (forged-files.test.ts).
    await control(example, "edit", { zone: "shop.example.com", settings: { enabled: false } });
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied");
    await stop(daemon);
    expect(logLines(daemon).find(({ msg }) => msg === "plan applied")).toMatchObject({
      zone: "shop.example.com",
      cause: "drift",
    });
  });

  it("knows that a zone drifts, and since when; its history too before a write", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config });
    await stop(await settled(example));
    const setMode = async (mode: string): Promise<void> => {
      await example.place.edit("zonewarden.yaml", /^mode: .*$/m, `mode: ${mode}`);
    };
    await setMode("observe");
    await edit(example, { paranoia_level: 1 });
    const first = example.place.start("run");
    await allRun(first);
    const before = await shopOf(first);
    await stop(first);
    const second = example.place.start("run");
    await allRun(second);
    const after = await shopOf(second);
    await stop(second);
    expect(before).toMatchObject({ status: "drifted", drift: { managed_rule: { weakens: 1 } } });
    expect(after).toMatchObject({
      status: "drifted",
      drift: { managed_rule: { weakens: 1 } },
      drifted_since: before["drifted_since"],
    });

    await setMode("enforce");
    const third = example.place.start("run");
    await logged(third, "plan applied");
    await stop(third);
    const lines = (await example.place.read("state/history.jsonl")).trim().split("\n");
    const head = { msg: "history head", when: "stop", line: lines.length };
    expect(logLines(third).findLast(({ msg }) => msg === head.msg)).toMatchObject(head);
    const entries = lines.map((line) => coerceObject(JSON.parse(line)));
    expect(entries.findLast(({ result }) => result === "running")).toMatchObject({
      drifted_since: before["drifted_since"],
    });
  });

  it("corrects drift in a zone that waits for its wave from what is in force there", async ({
    expect,
  }) => {
    const rollout =
      "rollout: { waves: [{ zones: [shop.example.com] }, { share: 100% }], soak: 24h }";
    let passedMs = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + passedMs) };
    await using example = await exampleWithEmulator({
      config: `${config}\n${rollout}`,
      ports: { clock },
    });
    const zone = "blog.example.com";
    expect((await example.place.run("apply", "--yes")).code).toBe(0);
    const first = await started(example);
    await lowerParanoia(example);
    await untilWaiting(first, zone);
    await stop(first);
    await control(example, "edit", { zone, settings: { enabled: false } });
    const second = example.place.start("run");
    const correction = await logged(second, "plan applied");
    await stop(second);
    expect(correction).toMatchObject({ zone, cause: "drift", changes: 1 });
    expect(applied(second)).toEqual([zone]);

    // When no zone waits any more, the files of the revision before are forgotten.
    expect(await keysOf(example)).toContain("earlier/");
    passedMs = 25 * 3_600_000;
    const third = example.place.start("run");
    await logged(third, "rollout ended");
    await stop(third);
    expect(await keysOf(example)).not.toContain("earlier/");
    expect((await example.place.run("history")).stdout).toContain("rollout");
  });

  it("tells the zones by name whose files disappeared while it was down", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config,
    });
    await stop(await settled(example));
    const file = await example.place.read("zones/shop.yaml");
    await example.place.remove("zones/shop.yaml");
    await example.place.edit("zonewarden.yaml", "min_fleet: 2", "min_fleet: 10");
    const first = example.place.start("run");
    const told = await logged(first, "zone no longer managed");
    expect(told).toMatchObject({ level: "warn", zone: "shop.example.com" });
    expect(await jsonFrom(first, "api/v1/fleet")).toMatchObject({
      removed: [{ zone: "shop.example.com" }],
    });
    await stop(first);
    const { stdout } = await example.place.run("history", "shop.example.com");
    expect(stdout).toContain("no longer declared");

    // It is told once, and is a zone like the others when it comes back.
    const second = example.place.start("run");
    await allRun(second);
    await stop(second);
    expect(logLines(second).filter(({ msg }) => msg === "zone no longer managed")).toEqual([]);
    await example.place.write("zones/shop.yaml", file);
    const third = example.place.start("run");
    await allRun(third);
    expect(await shopOf(third)).toMatchObject({ status: "in_sync" });
    await stop(third);
  });
});
