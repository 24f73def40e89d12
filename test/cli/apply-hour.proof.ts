import { describe, it } from "vitest";

import { runProgram } from "../../src/cli/program.ts";
import { hostIn, type Ran } from "../support/command-line.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { namesOfFleet, policiesOf, seedOfPolicies } from "../support/large-fleet.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";
import { plantedToken } from "../support/service.ts";

const env = { ZONEWARDEN_API_TOKEN: plantedToken };
const names = namesOfFleet(14);
const hour = 3_600_000;

interface HourlyFleet extends Example {
  /** Commands see a later time from now on. */
  readonly pass: (ms: number) => void;
}

/** Fourteen zones with Page Shield, as declared. A revision of few of them passes by its share. */
async function fleet(config = "store: { path: state }"): Promise<HourlyFleet> {
  let passed = 0;
  const { clock } = hostIn("/");
  const now = (): Date => new Date(Date.now() + passed);
  const example = await exampleWithEmulator({
    seed: seedOfPolicies(names),
    ports: { env, clock: { ...clock, now } },
    config,
  });
  await example.place.remove("zones");
  await switchOff(example, 0);
  return { ...example, pass: (ms) => (passed += ms) };
}

/** Declares the first zones without Page Shield. */
function switchOff({ place }: Example, count: number): Promise<void> {
  return place.write("zones/fleet.yaml", policiesOf(names, count));
}

const held =
  "held by fleet_change: would weaken the protection of 2 of 14 declared zones, or may (shop-2.example.com, shop-3.example.com), after 2 within the last hour; the limit is 3 within an hour";

/** Runs a command in a process with another number, while that of the place runs. */
async function runElsewhere({ place }: Example, ...args: readonly string[]): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const { clock } = hostIn("/");
  const host = hostIn(place.directory, {
    env,
    clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms === 500 ? 1 : ms, signal) },
    process: { pid: process.pid + 1, hostName: "here", isRunning: () => true },
    stdout: { isTTY: false, write: (text) => stdout.push(text) },
    stderr: { isTTY: false, write: (text) => stderr.push(text) },
  });
  const code = await runProgram(args, host);
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

describe("apply within an hour", () => {
  it("counts the zones that an apply before it weakened", async ({ expect }) => {
    await using example = await fleet();
    const { place, emulator } = example;
    await switchOff(example, 2);
    expect((await place.run("apply")).code).toBe(0);
    await switchOff(example, 4);
    const planned = await place.run("plan");
    expect(planned.code).toBe(4);
    expect(planned.stdout).toContain(held);
    const second = await place.run("apply");
    expect(second.code, second.stderr).toBe(4);
    expect(second.stderr).toContain(held);
    expect(writesSeenBy(emulator)).toHaveLength(2);
    const hash = /--accept (sha256-[0-9a-f]{64})\b/.exec(second.stderr)?.[1] ?? "";
    expect((await place.run("apply", "--accept", hash)).code).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(4);
    // What a person accepted does not count: one more makes three.
    await switchOff(example, 5);
    expect((await place.run("apply")).code).toBe(0);
    await switchOff(example, 6);
    expect((await place.run("apply", "shop-*")).code).toBe(4);
    example.pass(hour);
    expect((await place.run("apply")).code).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(6);
  });

  it("prints the hash of all files for zones that are named", async ({ expect }) => {
    await using example = await fleet();
    const { place } = example;
    await switchOff(example, 2);
    expect((await place.run("apply")).code).toBe(0);
    await switchOff(example, 4);
    const text = await place.read("zones/fleet.yaml");
    const at = text.lastIndexOf("  - name: ");
    await place.write("zones/fleet.yaml", text.slice(0, at));
    await place.write("zones/last.yaml", `zones:\n${text.slice(at)}`);
    const [all, two] = [await place.run("plan"), await place.run("plan", ...names.slice(2, 4))].map(
      ({ stdout }) => /--accept (sha256-[0-9a-f]{64})\b/.exec(stdout)?.[1],
    );
    expect(all).toBeDefined();
    expect(two).toBe(all);
  });

  it("counts for a saved plan, and what a saved plan weakened", async ({ expect }) => {
    await using example = await fleet();
    const { place, emulator } = example;
    await switchOff(example, 2);
    await place.run("plan", "--out", "first.json");
    expect((await place.run("apply", "--plan", "first.json")).code).toBe(0);
    await switchOff(example, 4);
    const saved = await place.run("plan", "--out", "second.json");
    expect(saved.stderr).toMatch(/--plan second\.json --accept sha256-[0-9a-f]{64}\b/);
    const second = await place.run("apply", "--plan", "second.json");
    expect(second.code, second.stderr).toBe(4);
    expect(second.stderr).toContain(held);
    expect(writesSeenBy(emulator)).toHaveLength(2);
  });

  it("counts zones that are named in full by themselves, one by one too", async ({ expect }) => {
    await using example = await fleet();
    const { place, emulator } = example;
    await switchOff(example, 3);
    expect((await place.run("apply")).code).toBe(0);
    await switchOff(example, 9);
    for (const nth of [3, 4, 5]) {
      expect((await place.run("apply", `shop-${nth}.example.com`)).code).toBe(0);
    }
    const fourth = await place.run("apply", "shop-6.example.com");
    expect(fourth.code).toBe(4);
    expect(fourth.stderr).toContain("after 3 within the last hour");
    // More names than the limit are no few zones.
    const many = [5, 6, 7, 8].map((nth) => `shop-${nth}.example.com`);
    expect((await place.run("apply", ...many)).code).toBe(4);
    expect(writesSeenBy(emulator)).toHaveLength(6);
  });

  it("counts nothing where no zone is weakened, and leaves the state alone", async ({ expect }) => {
    await using example = await fleet();
    const { place } = example;
    expect((await place.run("apply")).code).toBe(0);
    await expect(place.read("state/state.jsonl")).rejects.toThrow("ENOENT");
  });

  it("counts anew without a state directory", async ({ expect }) => {
    await using example = await fleet("");
    const { place, emulator } = example;
    for (const count of [3, 6]) {
      await switchOff(example, count);
      expect((await place.run("apply")).code).toBe(0);
    }
    expect(writesSeenBy(emulator)).toHaveLength(6);
  });

  it("reads the count while a daemon holds the state, and says that it adds nothing", async ({
    expect,
  }) => {
    await using example = await fleet();
    const { place, emulator } = example;
    await switchOff(example, 2);
    expect((await place.run("apply")).code).toBe(0);
    const text = await place.read("zonewarden.yaml");
    await place.write("daemon.yaml", text.replace("mode: enforce", "mode: observe"));
    const daemon = place.start("run", "--config", "daemon.yaml");
    await eventually("it runs", () => daemon.stdout().includes("state loaded") || undefined);
    await switchOff(example, 3);
    const one = await runElsewhere(example, "apply");
    expect(one.code, one.stderr).toBe(0);
    expect(one.stderr).toContain("what this command weakens does not count for the next hour");
    expect(one.stderr).toContain(`is in use by process ${process.pid} on here`);
    await switchOff(example, 5);
    const two = await runElsewhere(example, "apply");
    expect(two.code, two.stderr).toBe(4);
    expect(two.stderr).toContain("after 2 within the last hour");
    expect(writesSeenBy(emulator)).toHaveLength(3);
    await stop(daemon);
  });

  it("corrects few zones that somebody strengthened by hand, and holds each one more", async ({
    expect,
  }) => {
    await using example = await fleet();
    const { place, emulator } = example;
    const daemon = place.start("run");
    await eventually(
      "all zones are in sync",
      () => daemon.stdout().includes("writing begins") || undefined,
    );
    await stop(daemon);
    for (const zone of names.slice(2, 7)) {
      await control(example, "edit", {
        zone,
        policy: "zonewarden:checkout",
        set: { action: "allow" },
      });
    }
    await switchOff(example, 1);
    const before = writesSeenBy(emulator).length;
    const why =
      "policy/checkout protects more than declared, since somebody changed it by hand: to correct that would weaken the zone";

    const planned = await place.run("plan");
    expect(planned.code, planned.stdout).toBe(4);
    const ran = await place.run("apply");
    expect(ran.code, ran.stderr).toBe(4);
    for (const { stdout } of [planned, ran]) {
      expect(stdout.replaceAll(/\s+/g, " ").split(why), stdout).toHaveLength(3);
    }
    // Three corrections, and the zone that the files weaken.
    expect(writesSeenBy(emulator)).toHaveLength(before + 4);
    expect((await place.run("apply", "shop-*")).code).toBe(4);
    expect(writesSeenBy(emulator)).toHaveLength(before + 4);

    // A zone that is named in full is counted by itself.
    const [, , , , , sixth = "", seventh = ""] = names;
    expect((await place.run("apply", sixth)).code).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(before + 5);
    example.pass(hour);
    expect((await place.run("apply")).code).toBe(0);
    expect((await place.run("plan", seventh)).code).toBe(0);
  });
});
