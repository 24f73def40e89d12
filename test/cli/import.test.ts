import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

import * as fc from "fast-check";
import { describe, it } from "vitest";

import { gapsText, writtenFilesText } from "../../src/cli/session/import-zones.ts";
import type { Seed } from "../../src/emulator/seed/seed.ts";
import type { LeftOut } from "../../src/plan/import/candidate.ts";
import { rulePhases } from "../../src/zone/rule-phase.ts";
import { seedZones } from "../support/arbitrary-live.ts";
import { control, listAnswer } from "../support/ask.ts";
import { type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { cases } from "../support/properties.ts";

/** The example, whose files are to be those that an import writes. */
async function emptyPlace(
  dialect: "published" | "specification" = "published",
  seed?: Seed,
): Promise<Example> {
  const example = await exampleWithEmulator({ dialect, ...(seed && { seed }) });
  await example.place.remove("zones");
  return example;
}

async function filesIn(place: Example["place"]): Promise<Readonly<Record<string, string>>> {
  const directory = path.join(place.directory, "zones");
  const names = (await readdir(directory, { recursive: true })).filter((name) =>
    name.endsWith(".yaml"),
  );
  const texts = names
    .toSorted()
    .map(async (name): Promise<[string, string]> => [
      name,
      await readFile(path.join(directory, name), "utf8"),
    ]);
  return Object.fromEntries(await Promise.all(texts));
}

describe.for(["published", "specification"] as const)("an import in the %s dialect", (dialect) => {
  it("is valid, has an empty plan, and sent only GETs", async ({ expect }) => {
    await using example = await emptyPlace(dialect);
    const { place, emulator } = example;
    const imported = await place.run("import", "--out", "zones", "--layout", "profiles");
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout.split("\n")).toEqual([
      "zones/profiles/health-checks.yaml",
      "zones/profiles/page-shield.yaml",
      "zones/blog.example.com.yaml",
      "zones/old.brand.example.yaml",
      "zones/shop.example.com.yaml",
      "zones/www.brand.example.yaml",
      "",
    ]);
    expect(await place.run("validate")).toMatchObject({ code: 0, stderr: "" });
    const plan = await place.run("plan", "--quiet");
    expect(plan).toMatchObject({ code: 0, stderr: "" });
    expect(plan.stdout).toContain("No changes. 4 of 4 zones in sync.");
    expect(writesSeenBy(emulator)).toEqual([]);
  });

  it("gives the same bytes a second time", async ({ expect }) => {
    await using example = await emptyPlace(dialect);
    const { place } = example;
    await place.run("import", "--out", "zones");
    const first = await filesIn(place);
    expect(await place.run("import", "--out", "zones", "--force")).toMatchObject({ code: 0 });
    expect(await filesIn(place)).toEqual(first);
  });
});

describe("an import", () => {
  it("prints one zone file without --out", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place } = example;
    const { stdout, code } = await place.run("import", "*.example.com");
    expect(code).toBe(0);
    expect(stdout.match(/^ {2}- name: .*/gm)).toEqual([
      "  - name: blog.example.com",
      "  - name: shop.example.com",
    ]);
    await place.write("zones/all.yaml", stdout);
    expect(await place.run("plan")).toMatchObject({ code: 0 });
  });

  it("does not overwrite files, and names them", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place } = example;
    await place.write("zones/shop.example.com.yaml", "zones: []\n");
    const refused = await place.run("import", "--out", "zones");
    expect(refused).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "import: these files exist; add --force to overwrite them: zones/shop.example.com.yaml\n",
    });
    expect(Object.keys(await filesIn(place))).toEqual(["shop.example.com.yaml"]);
    expect(await place.run("import", "--out", "zones", "--force")).toMatchObject({ code: 0 });
    expect((await filesIn(place))["shop.example.com.yaml"]).toContain("key: checkout");
  });

  it.for(["--quiet", "--force"])(
    "does not declare a zone that another file declares: %s",
    async (flag, { expect }) => {
      await using example = await emptyPlace();
      const { place } = example;
      await place.write("zones/all.yaml", "zones: [{ name: shop.example.com }]");
      const refused = await place.run("import", "--out", "zones", flag);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("declare these zones; delete that, or write elsewhere: ");
      expect(refused.stderr).toContain("shop.example.com (zones/all.yaml)\n");
      expect(Object.keys(await filesIn(place))).toEqual(["all.yaml"]);
    },
  );

  it("reads and writes only the parts of --only", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place, emulator } = example;
    const { stdout, code } = await place.run("import", "shop.example.com", "--only", "rules");
    expect(code).toBe(0);
    for (const phase of rulePhases) expect(stdout).toContain(`${phase}:`);
    expect(stdout).not.toContain("page_shield:");
    expect(emulator.journal().filter(({ path: where }) => where.includes("page_shield"))).toEqual(
      [],
    );
  });

  it.for([
    { args: ["--only", "rules,polices"], says: "Use one or more of settings, policies, rules" },
    { args: ["--layout", "profile"], says: "Allowed choices are files, profiles" },
    {
      args: ["nobody.example"],
      says: "the service lists no zone that matches",
    },
  ])("ends with 1 on $args", async ({ args, says }, { expect }) => {
    await using example = await emptyPlace();
    const { code, stdout, stderr } = await example.place.run("import", ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  });

  it("prints what a zone file cannot declare, and exits with 5", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place, emulator } = example;
    await control(emulator, "/edit", {
      zone: "shop.example.com",
      policy: {
        description: "Their scripts [team-b:theirs]",
        action: "log",
        expression: "true",
        enabled: true,
        value: "img-src *",
      },
    });
    const { code, stdout, stderr } = await place.run("import", "shop.example.com");
    expect(stderr).toMatch(
      /^shop\.example\.com: policy "Their scripts \[team-b:theirs\]" \([0-9a-f]+\) belongs to team-b\n$/,
    );
    expect(stdout).not.toContain("team-b");
    expect(code).toBe(5);
    await place.write("zones/all.yaml", stdout);
    const plan = await place.run("plan");
    expect(plan.code).toBe(0);
  });

  it("writes nothing where no zone can be read", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place, emulator } = example;
    await control(emulator, "/faults", { fault: "status", status: 403, path: "*/page_shield" });
    const { code, stdout, stderr } = await place.run("import");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.match(/not imported/g)).toHaveLength(4);
  });

  it("continues where one zone cannot be read, and names it", async ({ expect }) => {
    await using example = await emptyPlace();
    const { place, emulator } = example;
    const [shop] = await listAnswer(emulator, "/zones?name=shop.example.com");
    await control(emulator, "/faults", {
      fault: "status",
      status: 403,
      path: `*/zones/${shop?.id ?? ""}/page_shield`,
    });
    const { code, stdout, stderr } = await place.run("import", "--out", "zones");
    expect(stderr).toMatch(/^shop\.example\.com: not imported: /);
    expect(stdout).not.toContain("shop");
    expect(Object.keys(await filesIn(place))).toHaveLength(3);
    expect(code).toBe(5);
  });
});

describe("an import of arbitrary zones", { timeout: 120_000 }, () => {
  it("has an empty plan, and gives the same bytes a second time", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(seedZones, { minLength: 1, maxLength: 3 }), async (zones) => {
        await using example = await emptyPlace("published", {
          tokens: [{ name: "everything", value: "emulator-token" }],
          zones: zones.map((zone, index) => ({ ...zone, name: `zone-${index}.example` })),
        });
        const { place, emulator } = example;
        const imported = await place.run("import", "--out", "zones", "--layout", "profiles");
        expect([0, 5]).toContain(imported.code);
        expect(imported.code === 5).toBe(imported.stderr !== "");
        const first = await filesIn(place);
        const plan = await place.run("plan");
        expect(plan).toMatchObject({ code: 0 });
        expect(plan.stdout).toContain(`No changes. ${zones.length} of ${zones.length} zone`);
        await place.run("import", "--out", "zones", "--layout", "profiles", "--force");
        expect(await filesIn(place)).toEqual(first);
        expect(writesSeenBy(emulator)).toEqual([]);
      }),
      cases(5),
    );
  });
});

function zonesWith(count: number, leftOut: readonly LeftOut[]) {
  return Array.from({ length: count }, (_, number) => ({ zone: `${number}.example.com`, leftOut }));
}

const theirs: LeftOut = { kind: "policy", id: "a1", title: "Theirs", reason: "belongs to team-b" };
const twin: LeftOut = {
  kind: "managed_rule",
  id: "b2",
  title: "",
  reason: "bears the same ref as another rule",
};

describe("what an import omits", () => {
  it("is listed one by one for a few zones", ({ expect }) => {
    expect(
      gapsText([
        { zone: "shop.example.com", leftOut: [theirs, { ...twin, isFollowUp: true }, twin] },
        { zone: "blog.example.com", failure: "the token may not read it" },
      ]),
    ).toBe(
      `shop.example.com: policy "Theirs" (a1) belongs to team-b
shop.example.com: managed rule b2 bears the same ref as another rule
blog.example.com: not imported: the token may not read it
`,
    );
    expect(gapsText(zonesWith(400, []))).toBe("");
  });

  it("is one line for each reason in a large fleet, the most frequent first", ({ expect }) => {
    const failed = { zone: "blog.example.com", failure: "the token may not read it" };
    const gaps = [failed, ...zonesWith(2, [twin]), ...zonesWith(400, [theirs])];
    expect(gapsText(gaps)).toBe(
      `400 policies left out: belongs to team-b (0.example.com and 399 more)
2 managed rules left out: bears the same ref as another rule (0.example.com and 1 more)
1 zone not imported: the token may not read it (blog.example.com)
To see each of them, import one zone: zonewarden import ZONE
`,
    );
  });

  it("stays on one screen where every resource has a reason of its own", ({ expect }) => {
    const gaps = zonesWith(1_000, [theirs]).map(({ zone }, number) => ({
      zone,
      leftOut: [{ ...theirs, reason: `belongs to team-${number}` }],
    }));
    const lines = gapsText(gaps).trimEnd().split("\n");
    expect(lines).toHaveLength(22);
    expect(lines.at(-2)).toBe("and 980 more reasons");
  });
});

function filesNamed(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `zones/${number}.yaml`);
}

describe("the files of an import", () => {
  it("are listed one by one up to 20", ({ expect }) => {
    expect(writtenFilesText(filesNamed(2), "zones")).toBe("zones/0.yaml\nzones/1.yaml\n");
    expect(writtenFilesText(filesNamed(20), "zones").split("\n")).toHaveLength(21);
    expect(writtenFilesText(filesNamed(21), "zones")).toBe("wrote 21 zone files into zones\n");
  });
});
