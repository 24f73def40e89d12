import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import type { Host } from "../../src/host/host.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { namesOfFleet, policiesOf, seedOfPolicies } from "../support/large-fleet.ts";
import { plantedToken } from "../support/service.ts";

const env = { ZONEWARDEN_API_TOKEN: plantedToken };

/** Twelve zones. The first `weakened` are declared without Page Shield, which is live in all of them. */
async function fleetOf(weakened: number, ports: Partial<Host> = {}, config = ""): Promise<Example> {
  const names = namesOfFleet(12);
  const example = await exampleWithEmulator({
    seed: seedOfPolicies(names),
    ports: { env, ...ports },
    config,
  });
  await example.place.remove("zones");
  await example.place.write("zones/fleet.yaml", policiesOf(names, weakened));
  return example;
}

describe("apply to a fleet", () => {
  it("holds all zones where it would change too many, until their hash is accepted", async ({
    expect,
  }) => {
    await using example = await fleetOf(4);
    const { place, emulator } = example;
    const held = await place.run("apply");
    expect(held.code, held.stderr).toBe(4);
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(held.stderr).toContain(
      "held by fleet_change: would weaken the protection of 4 of 12 declared zones, or may (shop-0.example.com, shop-1.example.com, shop-2.example.com and 1 more); the limit is 3 within an hour",
    );
    const hash = /--accept (sha256-[0-9a-f]{64})\b/.exec(held.stderr)?.[1] ?? "";
    expect(hash).not.toBe("");
    expect(held.stdout.match(/held by fleet_change/g)).toHaveLength(4);

    const other = await place.run("apply", "--accept", "0".repeat(64));
    expect(other.stderr).toContain("no plan has this hash now");
    expect(writesSeenBy(emulator)).toEqual([]);
    const accepted = await place.run("apply", "--accept", hash);
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(4);
    // A revision stays released.
    const again = await place.run("apply", "--accept", hash);
    expect(again.code).toBe(0);
  });

  it.for([
    { when: "the share is within the limit", weakened: 3, config: "", code: 0 },
    {
      when: "the limit is raised",
      weakened: 4,
      config: "limits: { max_fleet_share: 0.5, max_weakened: 4 }",
      code: 0,
    },
    {
      when: "the fleet is small",
      weakened: 4,
      config: "limits: { min_fleet: 13, max_weakened: 4 }",
      code: 0,
    },
    {
      when: "a small fleet is weakened",
      weakened: 4,
      config: "limits: { min_fleet: 13 }",
      code: 4,
    },
    { when: "the share is raised", weakened: 4, config: "limits: { max_fleet_share: 1 }", code: 4 },
    { when: "the limit is lower", weakened: 1, config: "limits: { max_fleet_share: 0 }", code: 4 },
  ])("ends with $code where $when", async ({ weakened, config, code }, { expect }) => {
    await using example = await fleetOf(weakened, {}, config);
    const ran = await example.place.run("apply");
    expect(ran.code, ran.stderr).toBe(code);
    expect(writesSeenBy(example.emulator)).toHaveLength(code === 0 ? weakened : 0);
  });

  it("counts the share of all declared zones where zones are named", async ({ expect }) => {
    await using example = await fleetOf(4);
    const { code } = await example.place.run("apply", "shop-0.example.com", "shop-1.example.com");
    expect(code).toBe(0);
    expect(writesSeenBy(example.emulator)).toHaveLength(2);
  });

  it("checks more zones than the limit without writing them", async ({ expect }) => {
    await using example = await fleetOf(4);
    const ran = await example.place.run("apply", "--check");
    expect(ran.code, ran.stderr).toBe(0);
  });
});

function neverAsked(): Promise<boolean> {
  return Promise.reject(new Error("asked"));
}

describe("apply on a terminal", () => {
  it.for([
    { answer: false, flags: [], code: 4, writes: 0, asks: 1 },
    { answer: true, flags: [], code: 0, writes: 2, asks: 1 },
    { answer: false, flags: ["--yes"], code: 0, writes: 2, asks: 0 },
  ])("asked $asks times, answered $answer: writes $writes", async (story, { expect }) => {
    const questions: string[] = [];
    const confirm = (question: string): Promise<boolean> => {
      questions.push(question);
      return Promise.resolve(story.answer);
    };
    await using example = await fleetOf(2, { isInteractive: true, confirm });
    const ran = await example.place.run("apply", ...story.flags);
    expect(ran.code, ran.stderr).toBe(story.code);
    expect(writesSeenBy(example.emulator)).toHaveLength(story.writes);
    expect(questions).toHaveLength(story.asks);
    for (const question of questions) {
      expect(question).toBe(
        "2 changes in 2 of 12 zones (shop-0.example.com, shop-1.example.com). The changes of 2 zones weaken the protection, or may. Apply?",
      );
    }
  });

  it("asks nothing where there is nothing to write", async ({ expect }) => {
    await using example = await fleetOf(0, { isInteractive: true, confirm: neverAsked });
    expect((await example.place.run("apply")).code).toBe(0);
  });

  it("has the hash that plan prints, in each format", async ({ expect }) => {
    await using example = await fleetOf(4);
    const { place } = example;
    const held = await place.run("apply");
    const hash = /--accept (sha256-[0-9a-f]{64})\b/.exec(held.stderr)?.[1] ?? "";
    expect(hash).not.toBe("");
    const text = await place.run("plan");
    expect(text.code).toBe(4);
    expect(text.stdout).toContain(
      "Together held by fleet_change: would weaken the protection of 4 of 12 declared",
    );
    expect(text.stdout).toContain(`apply --accept ${hash}`);
    const markdown = await place.run("plan", "--format", "markdown");
    expect(markdown.stdout).toContain(`\`zonewarden apply --accept ${hash}\``);
    const { stdout } = await place.run("plan", "--format", "json");
    const schema: unknown = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
    const validate = ajv.compile<object>(schema instanceof Object ? schema : {});
    validate(JSON.parse(stdout));
    expect(validate.errors).toBe(null);
    expect(JSON.parse(stdout)).toMatchObject({
      fleet_hold: { reason: "fleet_change", hash, zones: namesOfFleet(4) },
    });
  });

  it.for([
    { what: "few zones change", weakened: 3, config: "" },
    { what: "a person accepted the hash in the configuration", weakened: 4, config: "accept" },
  ])("is not told to be held where $what", async ({ weakened, config }, { expect }) => {
    await using example = await fleetOf(weakened);
    const { place } = example;
    if (config !== "") {
      const { stdout } = await place.run("plan");
      const hash = /apply --accept ([0-9a-f]{64})\b/.exec(stdout)?.[1] ?? "";
      const text = await place.read("zonewarden.yaml");
      await place.write("zonewarden.yaml", `${text}limits: { accept: ["${hash}"] }\n`);
    }
    expect((await place.run("plan")).stdout).not.toContain("fleet_change");
  });

  it("shows the hash in the mode observe too, which writes nothing", async ({ expect }) => {
    await using example = await fleetOf(4);
    const { place } = example;
    const { stdout } = await place.run("plan");
    await place.edit("zonewarden.yaml", "mode: enforce", "mode: observe");
    const hash = /apply --accept ([0-9a-f]{64})\b/.exec(stdout)?.[1] ?? "";
    expect((await place.run("plan")).stdout).toContain(`apply --accept ${hash}`);
  });
});

describe("apply --plan to a fleet", () => {
  it("holds all zones where it would change too many today, until the hash is accepted", async ({
    expect,
  }) => {
    await using example = await fleetOf(4);
    const { place, emulator } = example;
    const saved = await place.run("plan", "--out", "plan.json");
    const [, hash = ""] =
      /--plan plan\.json --accept (sha256-[0-9a-f]{64})\b/.exec(saved.stderr) ?? [];
    expect(hash).not.toBe("");
    const held = await place.run("apply", "--plan", "plan.json");
    expect(held.code, held.stderr).toBe(4);
    expect(held.stderr).toContain(
      "held by fleet_change: would weaken the protection of 4 of 12 declared zones",
    );
    expect(held.stderr).toContain(`--accept ${hash}`);
    const other = await place.run("apply", "--plan", "plan.json", "--accept", "0".repeat(64));
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`the hash of what the files declare is ${hash}`);
    expect(writesSeenBy(emulator)).toEqual([]);

    const accepted = await place.run("apply", "--plan", "plan.json", "--accept", hash);
    expect(accepted.code, accepted.stderr).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(4);
    const again = await place.run("apply", "--plan", "plan.json");
    expect(again.code, again.stderr).toBe(0);
  });

  it("is not held for what is done already", async ({ expect }) => {
    await using example = await fleetOf(4);
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    for (const zone of namesOfFleet(2)) {
      expect((await place.run("apply", zone)).code).toBe(0);
    }
    const rest = await place.run("apply", "--plan", "plan.json");
    expect(rest.code, rest.stderr).toBe(0);
    expect(writesSeenBy(emulator)).toHaveLength(4);
  });
});
