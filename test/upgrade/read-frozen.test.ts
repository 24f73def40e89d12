import { readdirSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { fileVersion } from "../../src/desired/file-kind.ts";
import { lineOf } from "../../src/memory/directory/journal-line.ts";
import { readPlanFile } from "../../src/render/plan-file.ts";
import { type Workplace, workplace } from "../support/command-line.ts";
import { copyExample } from "./frozen.ts";

/** A directory for each version that was released, and for the one that will be. */
const versions = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);

function frozen(version: string, file: string): Promise<string> {
  return readFile(path.join(import.meta.dirname, version, file), "utf8");
}

/** A directory as a version left it, with the zone files of the example. */
async function leftBy(version: string): Promise<Workplace> {
  const place = await workplace();
  await copyExample(place);
  for (const [from, to] of [
    ["zonewarden.yaml", "zonewarden.yaml"],
    ["history.jsonl", "state/history.jsonl"],
    ["state.jsonl", "state/state.jsonl"],
  ] as const) {
    await place.write(to, await frozen(version, from));
  }
  await cp(path.join(import.meta.dirname, version, "zones"), path.join(place.directory, "zones"), {
    recursive: true,
    force: true,
  });
  return place;
}

describe.for(versions)("what version %s wrote", (version) => {
  it("is a configuration and zone files that are valid", async ({ expect }) => {
    await using place = await leftBy(version);
    expect(await place.run("validate", "--strict")).toMatchObject({ code: 0, stderr: "" });
  });

  it("is a state that tells what was applied: what differs from it now is drift", async ({
    expect,
  }) => {
    await using place = await leftBy(version);
    const { code, stdout, stderr } = await place.run("plan");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(stdout.match(/^\S+ {2}\d changes, .*$/gm)).toEqual([
      "shop.example.com  2 changes, drift",
      "www.brand.example  4 changes, drift",
    ]);
  });

  it("is a history that is intact, and whose runs are printed", async ({ expect }) => {
    await using place = await leftBy(version);
    expect(await place.run("history", "verify")).toMatchObject({ code: 0 });
    const { code, stdout } = await place.run("history", "shop.example.com");
    expect(code).toBe(0);
    // As it was stored.
    expect(stdout).toContain(" rule/owasp");
  });

  it("is a saved plan that is refused: it has other kinds of rules", async ({ expect }) => {
    const error = {
      code: "PLAN_FORMAT",
      message: expect.stringMatching(/make a new plan$/) as unknown,
    };
    expect(readPlanFile(await frozen(version, "plan.json"))).toEqual({ result: "error", error });
  });
});

describe("what a newer version wrote", () => {
  const [latest = ""] = versions.toSorted().toReversed();
  const newer = fileVersion + 1;

  it("is refused with one sentence: a configuration and a zone file", async ({ expect }) => {
    await using place = await leftBy(latest);
    await place.write("zones/next.yaml", `version: ${newer}\nrules: {}\nzones: [{ site: a }]\n`);
    const zones = await place.run("validate");
    expect(zones.code).toBe(3);
    expect(zones.stdout.match(/error:.*/g)).toEqual([
      `error: the file has version ${newer}, and this program reads version ${fileVersion} [FILE_NEWER]`,
    ]);
    await place.write("zonewarden.yaml", `version: ${newer}\nmode: careful\n`);
    const config = await place.run("plan");
    expect(config.code).toBe(3);
    expect(config.stderr.match(/error:.*/g)).toHaveLength(1);
  });

  it("is refused with one sentence: a state, without which the causes are unknown", async ({
    expect,
  }) => {
    await using place = await leftBy(latest);
    const identity = { owner: "zonewarden", service: "http://127.0.0.1:0/client/v4" };
    const header = lineOf({ format: "zonewarden-state", version: 2, ...identity });
    await place.write("state/state.jsonl", header);
    const { stdout, stderr } = await place.run("plan");
    expect(stderr).toMatch(
      /^the store \(\S+\) cannot be used: the state has version 2, known is 1[^\n]*\n$/,
    );
    expect(stdout).toContain("shop.example.com  2 changes, cause unknown");
    expect(await place.read("state/state.jsonl")).toBe(header);
  });

  it("is named by its line in a history, whose other lines are printed", async ({ expect }) => {
    await using place = await leftBy(latest);
    const lines = (await place.read("state/history.jsonl")).trimEnd().split("\n");
    await place.write("state/history.jsonl", `${lines.join("\n")}\n{"entry":{"of":"later"}}\n`);
    const { code, stdout, stderr } = await place.run("history", "shop.example.com");
    expect(code).toBe(5);
    expect(stderr).toContain(String(lines.length + 1));
    expect(stdout).toContain(" rule/owasp");
  });

  it("is refused with one sentence: a saved plan", async ({ expect }) => {
    const text = (await frozen(latest, "plan.json")).replace(
      "zonewarden-plan/1",
      "zonewarden-plan/3",
    );
    expect(readPlanFile(text)).toMatchObject({
      result: "error",
      error: {
        code: "PLAN_FORMAT",
        message: expect.stringContaining("this program reads zonewarden-plan/2") as unknown,
      },
    });
  });
});
