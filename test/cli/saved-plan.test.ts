import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { endFaults } from "../support/ask.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const freeze = 'windows: [{ name: sale, type: freeze, start: "* * * * *", duration: 1h }]';

describe("a saved plan", () => {
  it.for(["published", "specification"] as const)(
    "is applied as it was reviewed, and only once: %s",
    async (dialect, { expect }) => {
      await using example = await exampleWithEmulator({ dialect });
      const { place, emulator } = example;
      expect((await place.run("plan", "--out", "plan.json")).code).toBe(2);
      expect(writesSeenBy(emulator)).toEqual([]);
      const applied = await place.run("apply", "--plan", "plan.json");
      expect(applied).toMatchObject({ code: 0, stderr: "" });
      expect(writesSeenBy(emulator)).toHaveLength(5);
      expect((await place.run("plan")).code).toBe(0);

      const again = await place.run("apply", "--plan", "plan.json");
      expect(again.code, again.stdout).toBe(0);
      expect(again.stdout).toContain("already applied: policy/checkout");
      expect(again.stdout).toContain("No changes. 2 of 2 zones in sync.");
      expect(writesSeenBy(emulator)).toHaveLength(5);
    },
  );

  it("is alone on stdout with --out -, for a pod without a directory to write to", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const { code, stdout, stderr } = await place.run("plan", "--out", "-");
    expect(code).toBe(2);
    expect(stderr).toContain("+ managed_rule/health-checks");
    expect(stderr).toContain("plan for 2 zones is on stdout");
    await place.write("plan.json", stdout);
    expect(await place.run("apply", "--plan", "plan.json")).toMatchObject({ code: 0, stderr: "" });
    expect((await place.run("plan")).code).toBe(0);
    expect((await readdir(place.directory)).includes("-")).toBe(false);
  });

  it("is continued where it was interrupted: no write is sent twice", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await control(example, "faults", { fault: "status", status: 400, method: "PATCH" });
    const cutOff = await place.run("apply", "--plan", "plan.json");
    expect(cutOff.code, cutOff.stdout).toBe(5);
    await endFaults(emulator);
    const before = writesSeenBy(emulator).length;

    const carriedOn = await place.run("apply", "--plan", "plan.json");
    expect(carriedOn.code, carriedOn.stdout).toBe(0);
    expect(carriedOn.stdout).toContain("already applied");
    expect(writesSeenBy(emulator)).toHaveLength(before + 1);
    expect((await place.run("plan")).code).toBe(0);
  });

  it.for([
    { by: "a freeze that began after it", config: freeze, zones: undefined },
    { by: "a later change of the files", config: "", zones: "zones: []" },
  ])("that was applied is not held by $by", async ({ config, zones }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    await place.run("plan", "--out", "plan.json");
    await place.run("apply", "--plan", "plan.json");
    await place.write("zonewarden.yaml", `${await place.read("zonewarden.yaml")}\n${config}\n`);
    if (zones !== undefined) await place.write("zones/shop.yaml", zones);
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code, stdout).toBe(0);
  });

  it("is not applied where something has changed, and is everywhere else", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await control(example, "edit", {
      zone: "shop.example.com",
      policy: "Scripts of the checkout",
      set: { value: "script-src 'none'" },
    });
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(6);
    expect(stdout).toMatch(
      /update-policy policy\/checkout: not sent, the zone or its files changed after it was planned/,
    );
    expect(writesSeenBy(emulator).filter((write) => write.startsWith("POST"))).toHaveLength(2);
    expect(writesSeenBy(emulator)).toHaveLength(3);
  });

  it("is refused when it was edited", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    const file = path.join(place.directory, "plan.json");
    await writeFile(file, (await readFile(file, "utf8")).replace('"allow"', '"log"'));
    const { code, stderr } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(3);
    expect(stderr).toMatch(/hash/);
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

  it("is held by a freeze that began after it was saved", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await place.write("zonewarden.yaml", `${await place.read("zonewarden.yaml")}\n${freeze}\n`);
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(stdout).toContain("freeze");
    expect(code).toBe(4);
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it.for([
    {
      when: "a zone was suspended",
      edit: { shop: "profiles: [baseline]\n    suspend: true" },
      says: "shop.example.com  2 changes, held",
      reason: "suspend",
      isOtherWritten: true,
    },
    {
      when: "a zone is only observed",
      edit: { shop: "profiles: [baseline]\n    mode: observe" },
      says: "shop.example.com  2 changes, held",
      reason: "observe",
    },
    {
      when: "a limit was tightened",
      edit: { config: "limits: { weakening: refuse, max_update_share: 0 }" },
      says: "limits.max_update_share",
      reason: "too_many_updates",
    },
    {
      when: "a zone is no longer declared",
      edit: { zones: "zones: []" },
      says: "the files no longer declare shop.example.com",
      reason: "undeclared",
    },
    {
      when: "the policies of a zone are no longer declared",
      edit: {
        zones:
          "zones: [{ name: shop.example.com, page_shield: { settings: { enabled: true } }, managed_rules: { rules: [] } }]",
      },
      says: "the files no longer declare the policies of shop.example.com",
      reason: "undeclared",
    },
  ])(
    "holds the zone where, since it was saved, $when",
    async ({ edit: change, says, reason, isOtherWritten }, { expect }) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      await place.run("plan", "--out", "plan.json");
      const { shop, zones, config } = {
        shop: "profiles: [baseline]",
        zones: "",
        config: "",
        ...change,
      };
      const text = await place.read("zones/shop.yaml");
      const edited = text.replace("profiles: [baseline]", shop);
      await place.write("zones/shop.yaml", zones === "" ? edited : zones);
      await place.write("zonewarden.yaml", `${await place.read("zonewarden.yaml")}\n${config}\n`);

      const applied = await place.run("apply", "--plan", "plan.json");
      expect(applied.code, applied.stdout).toBe(4);
      expect(applied.stdout).toContain(`held by ${reason}`);
      expect(applied.stdout.replaceAll(/\n +/g, " ")).toContain(says);
      const [, shopId = "?"] =
        /"id":"([0-9a-f]{32})","name":"shop\.example\.com"/.exec(await place.read("plan.json")) ??
        [];
      const writes = writesSeenBy(emulator);
      expect(writes.filter((write) => write.includes(shopId))).toEqual([]);
      if (isOtherWritten === true) expect(writes).not.toEqual([]);
    },
  );

  it("holds a zone that the files now declare twice", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    await place.run("plan", "--out", "plan.json");
    const [, id = "?"] =
      /"id":"([0-9a-f]{32})","name":"shop\.example\.com"/.exec(await place.read("plan.json")) ?? [];
    await place.write("zones/twice.yaml", `zones: [{ id: ${id} }]`);
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(4);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      `held by undeclared: twice.yaml:1: the zone shop.example.com (${id}) is also declared in shop.yaml, line 4; keep one of the two; until then zonewarden does not manage the zone`,
    );
  });

  it("stays released where limits.accept still has its hash", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "limits: { max_update_share: 0 }" });
    const { place } = example;
    const { stdout } = await place.run("plan");
    const hashes = [...stdout.matchAll(/--accept\s+([0-9a-f]{64})/g)].map(
      ([, hash]) => `"${hash}"`,
    );
    expect(hashes).not.toEqual([]);
    const limits = "limits: { max_update_share: 0";
    const config = await place.read("zonewarden.yaml");
    const accepting = config.replace(limits, `${limits}, accept: [${hashes.join(", ")}]`);
    await place.write("zonewarden.yaml", accepting);
    await place.run("plan", "--out", "plan.json");
    await place.write("zonewarden.yaml", config);
    expect((await place.run("apply", "--plan", "plan.json")).code).toBe(4);
    await place.write("zonewarden.yaml", accepting);
    const released = await place.run("apply", "--plan", "plan.json");
    expect(released.code, released.stdout).toBe(0);
  });

  it("is not applied while the files have errors", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await place.write("zones/shop.yaml", "zones: [");
    const { code, stderr } = await place.run("apply", "--plan", "plan.json");
    expect(code).toBe(3);
    expect(stderr).toContain(
      "plan.json: not applied: the zone files have errors, so it is unknown which zones may be written; correct the files and apply the plan again",
    );
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it.for([
    { zones: ["shop.example.com"], says: "The plan for 1 zone is in plan.json. " },
    { zones: [], says: "The plan for 2 zones is in plan.json. " },
  ])("is reported with its file: $says", async ({ zones, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stderr } = await example.place.run("plan", "--out", "plan.json", ...zones);
    expect(stderr).toContain(says);
  });

  it("cannot be combined with zones or hashes", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const ran = await example.place.run("apply", "shop.example.com", "--plan", "plan.json");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("--plan");
  });
});
