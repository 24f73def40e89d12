import { lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

import { describe, it } from "vitest";

import { planHash } from "../../src/plan/guard/release.ts";
import { planOf } from "../../src/render/read-plan-file.ts";
import { isJsonObject, type JsonObject } from "../../src/syntax/json.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { planFileOf } from "../support/forged-plan-file.ts";

const strict = `limits: { weakening: refuse }
windows: [{ name: sale, type: freeze, start: "* * * * *", duration: 1h, strengthening: allow }]`;

interface SavedZone extends Record<string, unknown> {
  plan: { zone: { id: string; name: string }; writes: JsonObject[]; changes: JsonObject[] };
  fingerprints: Record<string, string>;
}

/** Changes the zones of a saved plan as somebody could who may write the file: the hashes fit again. */
async function forge({ place }: Example, change: (zones: SavedZone[]) => void): Promise<void> {
  const file = path.join(place.directory, "plan.json");
  const json: unknown = JSON.parse(await readFile(file, "utf8"));
  if (!isJsonObject(json)) throw new Error("no object");
  const { hash: _old, ...content } = json;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `plan --out` has just written the file, so its zones have this form
  const zones = content["zones"] as unknown as SavedZone[];
  change(zones);
  for (const zone of zones) {
    const plan: unknown = JSON.parse(JSON.stringify(zone.plan));
    const read = isJsonObject(plan) ? planOf(plan) : undefined;
    if (read === undefined) throw new Error("no plan");
    Object.assign(zone.plan, { hash: planHash(read) });
  }
  await writeFile(file, planFileOf(content));
}

function savedPlanOf(name: string, zones: readonly SavedZone[]): SavedZone {
  const found = zones.find(({ plan }) => plan.zone.name === name);
  if (found === undefined) throw new Error(`no plan of ${name}`);
  return found;
}

/** Turns monitoring off, and says that this strengthens the protection. */
const monitoringOff = {
  writes: [{ call: "update-settings", body: { enabled: false }, changes: ["setting/enabled"] }],
  changes: [
    {
      verb: "update",
      kind: "setting",
      key: "setting/enabled",
      title: "",
      id: "enabled",
      adopted: false,
      fields: [{ field: "enabled", before: true, after: false }],
      effect: { direction: "strengthens", may_break: false, reasons: [] },
      causes: [],
    },
  ],
};

describe("a forged saved plan", () => {
  it.for([
    { when: "that says it strengthens", forged: monitoringOff },
    { when: "that names no change", forged: { ...monitoringOff, changes: [] } },
  ])(
    "sends no write that today's plan does not have: one $when",
    async ({ forged }, { expect }) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      await place.run("plan", "--out", "plan.json");
      await forge(example, (zones) => {
        const shop = savedPlanOf("shop.example.com", zones);
        Object.assign(shop.plan, forged);
        zones.splice(0, zones.length, shop);
      });
      await place.write("zonewarden.yaml", `${await place.read("zonewarden.yaml")}\n${strict}\n`);
      const { code, stdout } = await place.run("apply", "--plan", "plan.json");
      expect(writesSeenBy(emulator)).toEqual([]);
      expect(code, stdout).toBeGreaterThanOrEqual(4);
    },
  );

  it.for<{
    readonly when: string;
    readonly change: (zones: SavedZone[]) => void;
    readonly drop?: string;
    readonly says: RegExp;
  }>([
    {
      when: "has another write than today's plan",
      change: (zones) => {
        const shop = savedPlanOf("shop.example.com", zones);
        Object.assign(shop.plan, monitoringOff);
        zones.splice(0, zones.length, shop);
      },
      // What the file says of its effects is not believed.
      says: /^(?!.*strengthens).*the plan in the file is not the plan of today: today there is no update-settings setting\/enabled/,
    },
    {
      when: "has the name of another zone",
      change: (zones) => {
        const brand = savedPlanOf("www.brand.example", zones);
        brand.plan.zone.name = "blog.example.com";
        zones.splice(0, zones.length, brand);
      },
      drop: "  - name: www.brand",
      says: /the service lists the zone [0-9a-f]{32} as www\.brand\.example/,
    },
    {
      when: "has a zone that the service does not list",
      change: (zones) => {
        const shop = savedPlanOf("shop.example.com", zones);
        shop.plan.zone.id = "f".repeat(32);
        zones.splice(0, zones.length, shop);
      },
      says: /the service lists no zone with the id f{32}/,
    },
    {
      when: "does not say what its writes depend on",
      change: (zones) => {
        for (const zone of zones) zone.fingerprints = {};
      },
      says: /create-policy policy\/site or a write before it acts on a changed resource/,
    },
  ])("is a conflict, and nothing is written, where it $when", async (given, { expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    await forge(example, given.change);
    const sites = await place.read("zones/sites.yaml");
    await place.write("zones/sites.yaml", sites.split(given.drop ?? "\0")[0] ?? "");
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(code, stdout).toBe(6);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(given.says);
  });

  it("is applied in the order of today's plan", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json");
    let planned: readonly unknown[] = [];
    await forge(example, (zones) => {
      const brand = savedPlanOf("www.brand.example", zones);
      planned = brand.plan.writes.map(({ call }) => call);
      brand.plan.writes.reverse();
      zones.splice(0, zones.length, brand);
    });
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code, stdout).toBe(0);
    expect(planned).toEqual(["create-policy", "update-settings", "create-entrypoint"]);
    expect(writesSeenBy(emulator).map((write) => write.replace(/ .*\//, " "))).toEqual([
      "POST policies 200",
      "PUT page_shield 200",
      "POST rulesets 200",
    ]);
  });
});

describe("a saved plan", () => {
  it("is a conflict where the files declare something else now", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("plan", "--out", "plan.json", "www.brand.example");
    await place.edit("zones/sites.yaml", "*.brand-cdn.example", "cdn.example");
    const { code, stdout } = await place.run("apply", "--plan", "plan.json");
    expect(code, stdout).toBe(6);
    expect(writesSeenBy(emulator)).toEqual([]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "the plan in the file is not the plan of today: create-policy policy/site differs",
    );
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("save a new plan");
  });

  it("is written for its owner alone, and never through a symbolic link", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { place } = example;
    const file = path.join(place.directory, "plan.json");
    const link = path.join(place.directory, "link.json");
    const target = path.join(place.directory, "target.json");
    await writeFile(file, "old", { mode: 0o644 });
    await place.run("plan", "--out", "plan.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    await writeFile(target, "kept");
    await symlink(target, link);
    const { code, stderr } = await place.run("plan", "--out", "link.json");
    expect(code).toBe(1);
    expect(stderr).toContain("link.json: cannot be written (ELOOP)");
    expect(await readFile(target, "utf8")).toBe("kept");
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
  });
});
