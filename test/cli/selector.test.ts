import { describe, it } from "vitest";

import { coerceObject, coerceObjects } from "../../src/syntax/json.ts";
import { labelledExample } from "../support/labelled-example.ts";

const shop = "shop.example.com";
const blog = "blog.example.com";
const www = "www.brand.example";

function zonesIn(text: string): readonly string[] {
  return [shop, blog, www].filter((zone) => text.includes(zone));
}

describe("--selector", () => {
  it.for([
    { selector: "team=payments", zones: [shop] },
    { selector: "team!=payments,tier=gold", zones: [blog] },
    { selector: "!tier", zones: [www] },
  ])("$selector limits a plan to $zones", async ({ selector, zones }, { expect }) => {
    await using example = await labelledExample();
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
    await using example = await labelledExample();
    const { stdout } = await example.place.run("adopt", "-l", "team=content", "--yes");
    expect(zonesIn(stdout)).toEqual([www]);
  });

  it("limits the inventory", async ({ expect }) => {
    await using example = await labelledExample();
    const { stdout } = await example.place.run(
      "inventory",
      "scripts",
      "--summary",
      "-l",
      "team=payments",
    );
    expect(zonesIn(stdout)).toEqual([shop]);
  });

  it("limits the evidence to the zones that it names and the labels", async ({ expect }) => {
    await using example = await labelledExample({ config: "store: { path: state }" });
    const period = ["--since", "2026-08-01", "--until", "2026-08-02", "-l", "team=content"];
    for (const [out, zones, more] of [
      ["all", [blog, www], []],
      ["named", [www], ["--zone", www, shop]],
    ] as const) {
      await example.place.run("evidence", ...period, "--out", out, ...more);
      const pack = coerceObject(JSON.parse(await example.place.read(`${out}/evidence.json`)));
      expect(coerceObjects(pack["zones"]).map(({ zone }) => zone)).toEqual(zones);
    }
  });

  it("limits the table of the files, which tells what needs the listing", async ({ expect }) => {
    await using example = await labelledExample();
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
    await using example = await labelledExample();
    const ran = await example.place.run(...args);
    expect(ran.stderr).toContain(says);
    expect(ran.code).toBe(code);
  });
});
