import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

async function edit({ emulator }: Example, body: unknown): Promise<void> {
  const answer = await fetch(`${emulator.url}/_emulator/edit`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

describe("a saved plan", () => {
  it("is carried out as it was reviewed, and only once", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    expect((await place.run("plan", "--out", "plan.json")).code).toBe(2);
    expect(writesSeenBy(emulator)).toEqual([]);
    const applied = await place.run("apply", "--plan", "plan.json");
    expect(applied).toMatchObject({ code: 0, stderr: "" });
    expect(writesSeenBy(emulator)).toHaveLength(5);
    expect((await place.run("plan")).code).toBe(0);

    const again = await place.run("apply", "--plan", "plan.json");
    expect(again.code).toBe(6);
    expect(writesSeenBy(emulator)).toHaveLength(5);
  });

  it("is not carried out where something has moved, and is everywhere else", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await edit(example, {
      zone: "shop.example.com",
      policy: "Scripts of the checkout",
      set: { value: "script-src 'none'" },
    });
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(6);
    expect(stdout).toMatch(/update-policy policy\/checkout: not sent, since the zone has moved/);
    expect(writesSeenBy(emulator).filter((write) => write.startsWith("POST"))).toHaveLength(1);
    expect(writesSeenBy(emulator)).toHaveLength(3);
  });

  it.for([
    { what: "edited", spoil: (text: string) => text.replace('"allow"', '"log"'), says: /hash/ },
    { what: "cut off", spoil: (text: string) => text.slice(0, 500), says: /cut off/ },
    { what: "of another kind", spoil: () => "{}", says: /not a plan/ },
  ])("is refused when it was $what", async ({ spoil, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    const file = path.join(place.directory, "plan.json");
    await writeFile(file, spoil(await readFile(file, "utf8")));
    const { code, stderr } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(3);
    expect(stderr).toMatch(says);
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it("is refused for another service and for another owner", async ({ expect }) => {
    await using here = await exampleWithEmulator();
    await using other = await exampleWithEmulator();
    await here.place.run("plan", "--out", "plan.json");
    const plan = await readFile(path.join(here.place.directory, "plan.json"), "utf8");
    await other.place.write("plan.json", plan);
    expect(await other.place.run("apply", "--plan", "plan.json")).toMatchObject({ code: 3 });
    expect(writesSeenBy(other.emulator)).toEqual([]);

    const config = path.join(here.place.directory, "zonewarden.yaml");
    await writeFile(config, `${await readFile(config, "utf8")}\ndesired: { owner: team-b }\n`);
    const asOther = await here.place.run("apply", "--plan", "plan.json");
    expect(asOther.code).toBe(3);
    expect(asOther.stderr).toContain("team-b");
    expect(writesSeenBy(here.emulator)).toEqual([]);
  });

  it("waits for the end of a freeze that began after it was made", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    const config = path.join(place.directory, "zonewarden.yaml");
    const freeze = 'windows: [{ name: sale, type: freeze, start: "* * * * *", duration: 1h }]';
    await writeFile(config, `${await readFile(config, "utf8")}\n${freeze}\n`);
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(stdout).toContain("FROZEN");
    expect(code).toBe(4);
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it("cannot be joined with zones or hashes", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const ran = await example.place.run("apply", "shop.example.com", "--plan", "plan.json");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("--plan");
  });
});
