import { describe, it } from "vitest";

import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const shop = "shop.example.com";

/** The example with `mode: observe`, in the configuration and in the profile of its zones. */
async function observing(ports = {}): Promise<Example> {
  const example = await exampleWithEmulator({ ports: { env: token, ...ports } });
  for (const [file, find, put] of [
    ["zonewarden.yaml", "mode: enforce", "mode: observe"],
    ["zones/baseline.yaml", "baseline:", "baseline:\n    mode: observe"],
  ] as const) {
    await example.place.write(file, (await example.place.read(file)).replace(find, put));
  }
  return example;
}

const token = { ZONEWARDEN_API_TOKEN: "emulator-token" };

describe("apply --enforce", () => {
  it("writes named zones although the mode is observe, and logs each write", async ({ expect }) => {
    await using example = await observing();
    const { place, emulator } = example;
    const plain = await place.run("apply", shop, "--yes");
    expect(plain.code).toBe(4);
    expect(plain.stdout).toContain("apply --enforce");
    expect(writesSeenBy(emulator)).toEqual([]);

    const ran = await place.run("apply", "--enforce", "--yes", shop);
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    const written = writesSeenBy(emulator).length;
    expect(written).toBe(2);
    const lines = ran.stderr.split("\n").filter((line) => line.startsWith("{"));
    const audit = lines.map((line): unknown => JSON.parse(line));
    expect(audit).toMatchObject([
      { audit: true, zone: shop, trigger: "manual", msg: "write done", credential: "default" },
      { audit: true, zone: shop, trigger: "manual", msg: "write done" },
      { zone: shop, trigger: "manual", msg: "plan applied" },
    ]);
    expect((await place.run("plan", shop)).code).toBe(0);
    expect((await place.run("apply")).code).toBe(4);
    expect(writesSeenBy(emulator)).toHaveLength(written);
  });

  it.for([
    { args: [], says: "--enforce needs the names of zones" },
    { args: ["*.example.com"], says: "--enforce needs the names of zones" },
    { args: [shop, "--plan", "plan.json"], says: "--plan applies a whole saved plan" },
    { args: ["--plan", "plan.json"], says: "--plan applies a whole saved plan" },
  ])("is refused with $args", async ({ args, says }, { expect }) => {
    await using example = await observing();
    const ran = await example.place.run("apply", "--enforce", "--yes", ...args);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(says);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("writes nothing without --yes where nobody can be asked", async ({ expect }) => {
    await using example = await observing();
    const ran = await example.place.run("apply", "--enforce", shop);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("nothing was written; --yes writes without asking");
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it.for([
    { answer: true, code: 0, writes: 2 },
    { answer: false, code: 4, writes: 0 },
  ])("asks on a terminal: $answer", async ({ answer, code, writes }, { expect }) => {
    const questions: string[] = [];
    const confirm = (question: string): Promise<boolean> => {
      questions.push(question);
      return Promise.resolve(answer);
    };
    await using example = await observing({ isInteractive: true, confirm });
    const ran = await example.place.run("apply", "--enforce", shop);
    expect(ran.code, ran.stderr).toBe(code);
    expect(questions).toEqual([
      "--enforce writes although the mode may be observe. 2 changes in 1 of 3 zones (shop.example.com). No change weakens the protection. Apply?",
    ]);
    expect(writesSeenBy(example.emulator)).toHaveLength(writes);
  });

  it("does not write a suspended zone", async ({ expect }) => {
    await using example = await observing();
    const text = await example.place.read("zones/shop.yaml");
    const at = `name: ${shop}\n`;
    expect(text).toContain(at);
    await example.place.write("zones/shop.yaml", text.replace(at, `${at}    suspend: true\n`));
    const ran = await example.place.run("apply", "--enforce", "--yes", shop);
    expect(ran.code).toBe(4);
    expect(ran.stdout).toContain("held by suspend");
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });
});
