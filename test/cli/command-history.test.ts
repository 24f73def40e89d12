import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { coerceObject, coerceObjects } from "../../src/syntax/json.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const shop = "shop.example.com";
const commands = "state/history.jsonl.commands";

async function recording(mode: string): Promise<Example> {
  const example = await exampleWithEmulator({
    config: "history: { path: state/history.jsonl }\n",
    ports: { env: { ZONEWARDEN_API_TOKEN: "emulator-token" } },
  });
  const config = await example.place.read("zonewarden.yaml");
  await example.place.write("zonewarden.yaml", config.replace("mode: enforce", `mode: ${mode}`));
  return example;
}

async function entriesOf({ place }: Example): Promise<readonly unknown[]> {
  const { stdout } = await place.run("history", "--format", "json");
  return coerceObjects(coerceObject(JSON.parse(stdout))["entries"]);
}

describe("the history of commands that write", () => {
  it.for([
    { command: "apply", mode: "enforce", args: ["--yes"] },
    { command: "apply --enforce", mode: "observe", args: ["--enforce", "--yes"] },
  ])("has what $command wrote", async ({ mode, args }, { expect }) => {
    await using example = await recording(mode);
    const { place, emulator } = example;
    const { code, stderr } = await place.run("apply", ...args, shop);
    expect(code, stderr).toBe(0);
    const [entry, ...others] = await entriesOf(example);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      zone: shop,
      trigger: "manual",
      result: "applied",
      status: "in_sync",
    });
    const { changes } = coerceObject(entry);
    expect(coerceObjects(changes)).toHaveLength(writesSeenBy(emulator).length);
    for (const change of coerceObjects(changes)) expect(change["result"]).toBe("done");
  });

  it("has what apply --plan wrote", async ({ expect }) => {
    await using example = await recording("enforce");
    await example.place.run("plan", shop, "--out", "plan.json");
    const { code, stderr } = await example.place.run("apply", "--plan", "plan.json");
    expect(code, stderr).toBe(0);
    expect(await entriesOf(example)).toMatchObject([{ zone: shop, result: "applied" }]);
  });

  it("has a file for each command that wrote, and none for the others", async ({ expect }) => {
    await using example = await recording("enforce");
    const { place } = example;
    const namesIn = (): Promise<readonly string[]> =>
      readdir(path.join(place.directory, commands)).catch(() => []);
    await place.run("plan");
    expect(await namesIn()).toEqual([]);
    const names = ["shop", "blog"].map((name) => `${name}.example.com`);
    await Promise.all(names.map((name) => place.run("apply", "--yes", name)));
    const zones = (await entriesOf(example)).map((entry) => coerceObject(entry)["zone"]);
    expect(await namesIn()).toHaveLength(new Set(zones).size);
    await place.run("apply", "--yes", shop);
    expect(await namesIn()).toHaveLength(new Set(zones).size);
  });

  it("loses the files that are older than the history is kept, and no others", async ({
    expect,
  }) => {
    await using example = await recording("enforce");
    const { place } = example;
    const old = "20010203T040506Z-old.jsonl";
    const foreign = "20010203-notes.txt";
    for (const name of [old, foreign]) await place.write(`${commands}/${name}`, "");
    await place.run("apply", "--yes", shop);
    const names = await readdir(path.join(place.directory, commands));
    expect(names).toContain(foreign);
    expect(names).not.toContain(old);
    expect(names).toHaveLength(2);
  });

  it("that cannot be written is told, and does not stop the command", async ({ expect }) => {
    await using example = await recording("enforce");
    const { place, emulator } = example;
    await place.write("state/history.jsonl", "");
    // A file in the place of the directory stops every user, root too.
    await writeFile(path.join(place.directory, commands), "");
    const { code, stderr } = await place.run("apply", "--yes", shop);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("history file cannot be");
    expect(writesSeenBy(emulator).length).toBeGreaterThan(0);
  });
});
