import { describe, it } from "vitest";

import {
  emptyRepository,
  everything,
  filesOf,
  workflow,
  zoneFiles,
} from "../support/empty-repository.ts";

/** The answers of somebody who wants all zones, the profile `common`, a workflow and an owner. */
const answers = ["conf/..", "zones", "*", "common", "", "@acme/security"];

describe("init on a terminal", () => {
  it("asks, asks again after a wrong answer, and writes what was answered", async ({ expect }) => {
    await using example = await emptyRepository(answers);
    const { place, asked, address } = example;
    const { code, stdout, stderr } = await place.run("init", "--emulator", address);
    expect(code).toBe(0);
    expect(stderr).toContain("Use a directory below");
    expect(asked).toEqual([
      "Directory for the zone files [zones]: ",
      "Directory for the zone files [zones]: ",
      expect.stringContaining("The token sees 4 zones (blog.example.com, "),
      "Name of the profile for what the zones have in common; - for none [baseline]: ",
      `Write ${workflow}, which checks pull requests on GitHub? [y]: `,
      "Who must approve changes on GitHub? @user or @org/team; empty for nobody: ",
    ]);
    expect(Object.keys(await filesOf(place))).toEqual(
      everything.map((name) => name.replace("baseline", "common")),
    );
    expect(stdout).toContain("No changes. 4 of 4 zones in sync.");
  });

  it("writes nothing where the input ends, at whichever question", async ({ expect }) => {
    for (let count = 0; count < answers.length; count += 1) {
      await using example = await emptyRepository(answers.slice(0, count));
      const { place, address } = example;
      const { code, stderr } = await place.run("init", "--emulator", address);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^(?:Use .*\n)?init: stopped; nothing was written\n$/);
      expect(await filesOf(place)).toEqual({});
    }
  });

  it("keeps a configuration that exists, and uses it with the token of a file", async ({
    expect,
  }) => {
    await using example = await emptyRepository(["n", "shop.*", "-", "n", ""]);
    const { place, emulator } = example;
    const config = `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\ndesired: { path: declared }\n`;
    await place.write("zonewarden.yaml", config);
    await place.write("token", "emulator-token\n");
    const { code, stdout } = await place.run("init", "--token-file", "token");
    expect(code).toBe(0);
    expect(stdout).toContain('export ZONEWARDEN_API_TOKEN="$(cat token)"');
    expect(stdout).toContain("add token to .gitignore");
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual([
      "declared/shop.example.com.yaml",
      "token",
      "zonewarden.yaml",
    ]);
    expect(files["zonewarden.yaml"]).toBe(config);
  });

  it.for([
    { name: "keeps", typed: "n" },
    { name: "overwrites", typed: "y" },
  ])("$name files that exist, as answered", async ({ typed }, { expect }) => {
    await using example = await emptyRepository([
      typed,
      ...(typed === "y" ? ["zones"] : []),
      "*",
      "baseline",
      "y",
      "",
      typed,
      typed,
    ]);
    const { place, asked, emulator, address } = example;
    const config = `mode: observe\napi: { emulator: { listen: "${new URL(emulator.url).host}" } }\n`;
    const mine = {
      [workflow]: "# mine\n",
      "zones/shop.example.com.yaml": "zones: []\n",
      "zonewarden.yaml": config,
    };
    for (const [file, text] of Object.entries(mine)) await place.write(file, text);
    const { code } = await place.run("init", "--emulator", address);
    expect(code).toBe(0);
    expect(asked.filter((each) => each.includes("Overwrite"))).toEqual([
      "zonewarden.yaml exists. Overwrite it? [n]: ",
      "1 zone file exists: zones/shop.example.com.yaml. Overwrite? [n]: ",
      `${workflow} exists. Overwrite it? [n]: `,
    ]);
    const files = await filesOf(place);
    expect(Object.keys(files)).toEqual([workflow, ...zoneFiles, "zonewarden.yaml"]);
    const kept = Object.entries(mine).filter(([file, text]) => files[file] === text);
    expect(kept.map(([file]) => file)).toEqual(typed === "n" ? Object.keys(mine) : []);
  });

  it("writes nothing where the service does not answer", async ({ expect }) => {
    await using example = await emptyRepository(["n"], {
      env: { ZONEWARDEN_API_TOKEN: "emulator-token" },
    });
    const { place, emulator } = example;
    const config = `mode: observe\napi: { base_url: "${emulator.baseUrl}" }\n`;
    await place.write("zonewarden.yaml", config);
    await emulator[Symbol.asyncDispose]();
    expect(await place.run("init")).toMatchObject({ code: 7, stdout: "" });
    expect(await filesOf(place)).toEqual({ "zonewarden.yaml": config });
  });
});
