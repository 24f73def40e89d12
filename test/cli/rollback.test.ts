import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText } from "../../src/syntax/json.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const shop = "shop.example.com";
const shopFile = "zones/shop.yaml";

/** The files of the shop, applied with a stricter level, which then are what they were before. */
async function revertedChange(config = ""): Promise<Example> {
  const example = await exampleWithEmulator({ config });
  const { place } = example;
  const before = await place.read(shopFile);
  await place.write(
    shopFile,
    before.replace("action: block", "action: block\n          paranoia_level: 4"),
  );
  await place.run("apply", "--accept", await hashOf(example), shop);
  await place.write(shopFile, before);
  return example;
}

/** The hash of the shop's plan. */
async function hashOf({ place }: Example): Promise<string> {
  const { stdout } = await place.run("plan", shop, "--format", "json");
  const [zone = {}] = coerceObjects(coerceObject(JSON.parse(stdout))["zones"]);
  return coerceText(coerceObject(zone["plan"])["hash"]);
}

describe("a revert of a change that was applied", () => {
  it("is planned as the reverse, and is in sync once applied", async ({ expect }) => {
    await using example = await revertedChange();
    const { place } = example;
    const planned = await place.run("plan", shop);
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain("paranoia_level  4 → 2");
    expect((await place.run("apply", shop, "--yes")).code).toBe(0);
    expect((await place.run("plan", shop)).code).toBe(0);
  });

  it("is held where it weakens, and released by its own hash only", async ({ expect }) => {
    await using example = await revertedChange("limits: { weakening: refuse }");
    const { place, emulator } = example;
    const writes = writesSeenBy(emulator).length;
    const reverse = await hashOf(example);
    const held = await place.run("apply", shop, "--yes");
    expect(held.code).toBe(4);
    expect(held.stdout).toContain("held by weakening");
    const other = "0".repeat(64);
    expect((await place.run("apply", "--accept", other, shop, "--yes")).code).toBe(1);
    expect(writesSeenBy(emulator)).toHaveLength(writes);
    expect((await place.run("apply", "--accept", reverse, shop, "--yes")).code).toBe(0);
    expect((await place.run("plan", shop)).code).toBe(0);
  });

  it("makes a plan that was saved before inapplicable", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    const before = await place.read(shopFile);
    await place.run("apply", shop, "--yes");
    await place.write(
      shopFile,
      before.replace("action: block", "action: block\n          paranoia_level: 4"),
    );
    expect((await place.run("plan", shop, "--out", "plan.json")).code).toBe(2);
    await place.write(shopFile, before);
    const writes = writesSeenBy(emulator).length;
    expect((await place.run("apply", "--plan", "plan.json")).code).toBe(6);
    expect(writesSeenBy(emulator)).toHaveLength(writes);
  });
});

describe("a zone that is handed over to the dashboard", () => {
  it("keeps edits by hand until it is handed back", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const before = await place.read(shopFile);
    await place.run("apply", shop, "--yes");
    await place.write(
      shopFile,
      before.replace("    profiles:", "    suspend: { reason: By hand }\n    profiles:"),
    );
    await control(example, "edit", {
      zone: shop,
      rule: "zonewarden:owasp",
      set: { paranoia_level: 3 },
    });
    const planned = await place.run("plan", shop);
    expect(planned.code).toBe(2);
    expect(planned.stdout).toContain("held by suspend");
    expect((await place.run("apply", shop, "--yes")).code).toBe(4);
    await place.run("import", shop, "--out", "live");
    expect(await place.read(`live/${shop}.yaml`)).toContain("paranoia_level: 3");

    await place.write(shopFile, before);
    expect((await place.run("apply", shop, "--yes")).code).toBe(0);
    await place.run("import", shop, "--out", "live", "--force");
    expect(await place.read(`live/${shop}.yaml`)).toContain("paranoia_level: 2");
  });
});
