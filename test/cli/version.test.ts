import { readFileSync } from "node:fs";

import { describe, it } from "vitest";

import { coerceText, isJsonObject } from "../../src/syntax/json.ts";
import { workplace } from "../support/command-line.ts";

const manifest: unknown = JSON.parse(readFileSync("package.json", "utf8"));
const version = isJsonObject(manifest) ? coerceText(manifest["version"]) : "";

/** The formats that the schemas of JSON output name. */
function formatsIn(schema: string): readonly string[] {
  const text = readFileSync(`schemas/${schema}.schema.json`, "utf8");
  return [...text.matchAll(/"const": "(zonewarden-[a-z]+\/\d+)"/g)].map(([, name = ""]) => name);
}

describe("version", () => {
  it.for([
    {
      when: "the image names its commit",
      env: { ZONEWARDEN_REVISION: "4f5d2c1" },
      commit: "4f5d2c1",
    },
    { when: "the commit is not known", env: {}, commit: null },
    { when: "the commit is empty", env: { ZONEWARDEN_REVISION: "" }, commit: null },
  ])("prints what was built, when $when", async ({ env, commit }, { expect }) => {
    await using place = await workplace(env);
    const asJson = await place.run("version", "--json");
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      version,
      commit,
      node: process.versions.node,
    });
    const { code, stdout } = await place.run("version");
    expect(code).toBe(0);
    expect(stdout).toBe(
      `zonewarden ${version}\ncommit ${commit ?? "unknown"}\nNode ${process.versions.node}\n`,
    );
  });

  it("names the formats of the schemas", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("version", "--json");
    const printed: unknown = JSON.parse(stdout);
    const formats = [...formatsIn("plan"), ...formatsIn("doctor")];
    expect(formats.length).toBe(3);
    const named = isJsonObject(printed) ? printed["formats"] : undefined;
    expect(named).toEqual(expect.arrayContaining(formats));
  });
});
