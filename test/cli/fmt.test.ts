import { describe, it } from "vitest";

import { nodeNamedFiles } from "../../src/host/named-files.ts";
import { type Workplace, workplace } from "../support/command-line.ts";

const messy = "zones:\n- mode: observe # for now\n  name: 'shop.example.com'\n";
const neat = "zones:\n  - name: shop.example.com\n    mode: observe # for now\n";
const config = "mode: observe\n";

async function placeWith(files: Readonly<Record<string, string>>): Promise<Workplace> {
  const place = await workplace();
  for (const [file, text] of Object.entries(files)) await place.write(file, text);
  return place;
}

async function ranWith(input: string, ...flags: readonly string[]) {
  const read = (): Promise<Uint8Array> => Promise.resolve(new TextEncoder().encode(input));
  await using place = await workplace({}, { namedFiles: { ...nodeNamedFiles, read } });
  return place.run("fmt", "-", ...flags);
}

describe("fmt", () => {
  it("writes the configuration and its zone files in their form", async ({ expect }) => {
    await using place = await placeWith({
      "zonewarden.yaml": "desired: {path: zones}\nmode: observe\n",
      "zones/a.yaml": messy,
      "zones/deep/b.yml": "profiles: {}\n",
    });
    expect(await place.run("fmt")).toEqual({
      code: 0,
      stdout: "zonewarden.yaml\nzones/a.yaml\n",
      stderr: "",
    });
    expect(await place.read("zonewarden.yaml")).toBe("mode: observe\ndesired: { path: zones }\n");
    expect(await place.read("zones/a.yaml")).toBe(neat);
    expect(await place.run("fmt", "--check")).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("writes nothing with --check or --diff", async ({ expect }) => {
    await using place = await placeWith({ "zonewarden.yaml": config, "zones/a.yaml": messy });
    expect(await place.run("fmt", "--check")).toEqual({
      code: 2,
      stdout: "zones/a.yaml\n",
      stderr: "",
    });
    const diff = `--- zones/a.yaml
+++ zones/a.yaml
@@ -1,3 +1,3 @@
 zones:
-- mode: observe # for now
-  name: 'shop.example.com'
+  - name: shop.example.com
+    mode: observe # for now
`;
    expect(await place.run("fmt", "--diff")).toEqual({ code: 0, stdout: diff, stderr: "" });
    expect(await place.run("fmt", "--diff", "--check")).toMatchObject({ code: 2, stdout: diff });
    expect(await place.read("zones/a.yaml")).toBe(messy);
  });

  it("leaves a broken file as it is, and writes the others", async ({ expect }) => {
    const broken = "zones: [\n";
    await using place = await placeWith({ "zones/a.yaml": broken, "zones/b.yaml": messy });
    const { code, stdout, stderr } = await place.run("fmt", "zones");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "zones/b.yaml\n" });
    expect(stderr).toContain("zones/a.yaml:2:1");
    expect(stderr).toContain("YAML_SYNTAX");
    expect(await place.read("zones/a.yaml")).toBe(broken);
    expect(await place.read("zones/b.yaml")).toBe(neat);
  });

  it.for([
    { args: ["nowhere"], code: 3, says: "DIRECTORY_UNREADABLE" },
    { args: ["tokens.txt"], code: 3, says: "FILE_FOREIGN" },
    { args: ["emulator.yaml"], code: 3, says: "FILE_FOREIGN" },
    { args: ["-", "zones"], code: 1, says: "- stands alone" },
    { args: [], code: 3, says: "FILE_UNREADABLE" },
  ])("refuses $args", async ({ args, code, says }, { expect }) => {
    const seed = "tokens: []\nzones:   []\n";
    await using place = await placeWith({ "tokens.txt": "top-secret\n", "emulator.yaml": seed });
    const ran = await place.run("fmt", ...args);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: "" });
    expect(ran.stderr).toContain(says);
    expect(ran.stderr).not.toContain("top-secret");
    expect(await place.read("emulator.yaml")).toBe(seed);
  });

  it("does not write what it cannot write", async ({ expect }) => {
    const refused = Object.assign(new Error("no"), { code: "EACCES" });
    const namedFiles = { ...nodeNamedFiles, save: () => Promise.reject(refused) };
    await using place = await workplace({}, { namedFiles });
    await place.write("a.yaml", messy);
    const { code, stderr } = await place.run("fmt", "a.yaml");
    expect({ code, stderr: stderr.replace(/^\/.*\//, "") }).toEqual({
      code: 1,
      stderr: "a.yaml: cannot be written (EACCES); name another file\n",
    });
  });
});

describe("fmt -", () => {
  it.for([
    { input: messy, flags: [], code: 0, stdout: neat },
    { input: neat, flags: [], code: 0, stdout: neat },
    { input: messy, flags: ["--check"], code: 2, stdout: "" },
    { input: neat, flags: ["--check"], code: 0, stdout: "" },
    { input: neat, flags: ["--diff"], code: 0, stdout: "" },
  ])("formats standard input: $flags", async ({ input, flags, code, stdout }, { expect }) => {
    expect(await ranWith(input, ...flags)).toEqual({ code, stdout, stderr: "" });
  });

  it("prints nothing for a broken text", async ({ expect }) => {
    const { code, stdout, stderr } = await ranWith("zones: [\n");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("stdin:2:1");
  });
});
