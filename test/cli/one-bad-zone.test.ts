import { describe, it } from "vitest";

import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const ghost = "zones: [{ name: ghost.example.com, page_shield: { settings: { enabled: true } } }]";

const contradiction = `zones:
  - { match: { name: "old.*" }, page_shield: { settings: { enabled: true } } }
  - { match: { name: "*.brand.example", status: active }, page_shield: { settings: { enabled: false } } }
`;

describe("a declared zone that cannot be found", () => {
  it("is told once, and every other zone is planned and written", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/ghost.yaml", ghost);
    const plan = await example.place.run("plan");
    expect(plan.code).toBe(5);
    expect(plan.stdout).toContain("~ policy/checkout");
    expect((plan.stdout + plan.stderr).match(/ZONE_NOT_LISTED/g)).toHaveLength(1);

    const apply = await example.place.run("apply");
    expect(apply.code).toBe(5);
    expect(writesSeenBy(example.emulator)).toHaveLength(5);
  });

  it("is nothing to somebody who asks for another zone", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/ghost.yaml", ghost);
    const { code, stdout, stderr } = await example.place.run("plan", "blog.example.com");
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("ghost");
  });
});

describe("selectors that contradict each other", () => {
  it("hold their zone, are told as a mistake, and no other zone waits for them", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/contradiction.yaml", contradiction);
    const { code, stderr } = await example.place.run("apply");
    expect(stderr).toContain("contradiction.yaml");
    expect(code).toBe(3);
    expect(writesSeenBy(example.emulator)).toHaveLength(5);
  });
});

describe("a hash that releases nothing", () => {
  it("is a mistake, told before anything is written", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("apply", "--accept", "0123456789ab");
    expect(code).toBe(1);
    expect(stderr).toMatch(/0123456789ab.*no plan/);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });
});

describe("the line that counts", () => {
  it("counts the zones that are in sync now, those that were just written included", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("apply");
    expect(stdout).toContain("3 of 3 zones in sync");
  });
});
