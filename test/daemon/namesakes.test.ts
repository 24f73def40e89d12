import { describe, it } from "vitest";

import type { Seed } from "../../src/emulator/seed/seed.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const id = { old: "a".repeat(32), live: "b".repeat(32), one: "c".repeat(32), two: "d".repeat(32) };
const protectedBy = "page_shield: { settings: { enabled: true } }";

/** A shop that moves from an agency's account to its own, and another that is active in neither yet. */
const seed: Seed = {
  accounts: [{ name: "Agency" }, { name: "Shop" }],
  zones: [
    { name: "shop.example.com", id: id.old, account: "Agency", status: "moved" },
    {
      name: "shop.example.com",
      id: id.live,
      account: "Shop",
      settings: { enabled: false },
      scripts: [{ url: "https://cdn.example/shop.js" }],
    },
    { name: "twin.example.com", id: id.one, account: "Agency", status: "pending" },
    { name: "twin.example.com", id: id.two, account: "Shop", status: "pending" },
  ],
};

async function withZones(...zones: readonly string[]): Promise<Example> {
  const example = await exampleWithEmulator({ seed });
  await example.place.remove("zones");
  const entries = zones.map((entry) => `  - { ${entry}, ${protectedBy} }\n`);
  await example.place.write("zones/a.yaml", `zones:\n${entries.join("")}`);
  return example;
}

describe("a zone name that several accounts have", () => {
  it("means the active zone", async ({ expect }) => {
    await using example = await withZones("name: shop.example.com");
    const { code, stderr } = await example.place.run("apply");
    expect({ code, diagnostic: /\[(\w+)\]/.exec(stderr)?.[1] }).toEqual({
      code: 0,
      diagnostic: "ZONE_NAMESAKE",
    });
    expect(writesSeenBy(example.emulator)).toEqual([expect.stringContaining(id.live)]);
  });

  it.for([
    { by: "its name", entry: "name: twin.example.com", code: 5 },
    { by: "a selector", entry: "match: { name: twin* }", code: 3 },
  ])("is left alone where none is active, and no other zone: by $by", async (row, { expect }) => {
    await using example = await withZones(`id: "${id.live}"`, row.entry);
    const { code, stdout, stderr } = await example.place.run("apply");
    expect(code).toBe(row.code);
    expect(stderr).toContain("[ZONE_AMBIGUOUS]");
    expect(stdout).not.toContain("check the name");
    expect(writesSeenBy(example.emulator)).toHaveLength(1);
  });

  it("can be imported, and then planned", async ({ expect }) => {
    await using example = await withZones("name: shop.example.com");
    const { place } = example;
    await place.remove("zones");
    expect((await place.run("import", "--out", "zones", "shop.example.com")).stdout).toBe(
      `zones/${id.old}.yaml\nzones/${id.live}.yaml\n`,
    );
    const { code, stdout, stderr } = await place.run("plan");
    expect(code).toBe(0);
    expect(stdout).toContain("1 of 1 zone in sync");
    expect(stderr).toContain("[ZONE_NAMESAKE]");
  });

  it("can be selected by id", async ({ expect }) => {
    await using example = await withZones("name: shop.example.com");
    const { place } = example;
    const twice = await place.run("rulesets", "list", "shop.example.com");
    expect(twice.stderr).toMatch(/^shop\.example\.com: 2 zones match; name one, or give its id: /);
    expect([id.old, id.live].every((each) => twice.stderr.includes(each))).toBe(true);
    expect((await place.run("rulesets", "list", id.old)).code).toBe(0);
    expect((await place.run("inventory", "scripts", id.live)).stdout).toContain("shop.js");
    expect((await place.run("suggest", "shop.example.com")).stdout).toContain("cdn.example");
  });
});
