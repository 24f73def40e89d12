import { describe, it } from "vitest";

import { exampleWithEmulator } from "../support/example.ts";

const shop = "shop.example.com";
const blog = "blog.example.com";
const www = "www.brand.example";

/** The example, whose entries have labels. The profile and an entry with match bring others. */
async function labelled(): ReturnType<typeof exampleWithEmulator> {
  const example = await exampleWithEmulator();
  await example.place.write(
    "zones/labels.yaml",
    `profiles: { brand: { labels: { team: brands } } }
zones:
  - { match: { name: "*.example.com", plan: "*" }, labels: { tier: gold } }
  - { match: { name: "www.*" }, profiles: [brand] }
`,
  );
  for (const name of ["shop", "sites"]) {
    const text = await example.place.read(`zones/${name}.yaml`);
    await example.place.write(
      `zones/${name}.yaml`,
      text.replaceAll(
        /- name: (\S+)/g,
        (entry, zone) =>
          `${entry}\n    layers: true\n    labels: { team: ${zone === "shop.example.com" ? "payments" : "content"} }`,
      ),
    );
  }
  return example;
}

function zonesIn(text: string): readonly string[] {
  return [shop, blog, www].filter((zone) => text.includes(zone));
}

describe("--selector", () => {
  it.for([
    { selector: "team=payments", zones: [shop] },
    { selector: "team!=payments,tier=gold", zones: [blog] },
    { selector: "!tier", zones: [www] },
  ])("$selector limits a plan to $zones", async ({ selector, zones }, { expect }) => {
    await using example = await labelled();
    const { stdout, stderr } = await example.place.run(
      "plan",
      "--selector",
      selector,
      "--format",
      "json",
    );
    expect(zonesIn(stdout), stderr).toEqual(zones);
  });

  it("limits what is adopted", async ({ expect }) => {
    await using example = await labelled();
    const { stdout } = await example.place.run("adopt", "-l", "team=content", "--yes");
    expect(zonesIn(stdout)).toEqual([www]);
  });

  it("limits the inventory", async ({ expect }) => {
    await using example = await labelled();
    const { stdout } = await example.place.run(
      "inventory",
      "scripts",
      "--summary",
      "-l",
      "team=payments",
    );
    expect(zonesIn(stdout)).toEqual([shop]);
  });

  it("limits the table of the files, which tells what needs the listing", async ({ expect }) => {
    await using example = await labelled();
    const { stdout, stderr } = await example.place.run("validate", "--zones", "-l", "team");
    expect(
      stdout.split("\n").map((line) => line.replaceAll(/ {2,}/g, " | ")),
      stderr,
    ).toEqual([
      "ZONE | LABELS | MERGED OVER | PROFILES | GETS",
      'match {"name":"www.*"} | team=brands | brand | by the listing',
      "shop.example.com | tier=gold,team=payments | labels.yaml:3 | baseline | by the listing",
      "blog.example.com | tier=gold,team=content | labels.yaml:3 | baseline | by the listing",
      "www.brand.example | team=content | labels.yaml:4 | brand baseline | enforce: 1 setting, 1 policy, 2 managed rules",
      "",
    ]);
  });

  it.for([
    { args: ["plan", "-l", "team=nobody"], code: 1, says: "no declared zone has these labels" },
    {
      args: ["inventory", "scripts", "-l", "team=nobody"],
      code: 1,
      says: "no declared zone has these labels",
    },
    { args: ["plan", "-l", "Team=x"], code: 1, says: "Write labels like team=payments" },
    { args: ["apply", "--plan", "x", "-l", "team"], code: 1, says: "remove the zones, --selector" },
    {
      args: ["evidence", "--since", "2026-08-01", "--until", "2026-08-02", "--out", "o"],
      code: 1,
      says: "--zone or --selector",
    },
  ])("says what is wrong with $args", async ({ args, code, says }, { expect }) => {
    await using example = await labelled();
    const ran = await example.place.run(...args);
    expect(ran.stderr).toContain(says);
    expect(ran.code).toBe(code);
  });
});
