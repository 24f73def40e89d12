import { chmod, mkdir, readdir } from "node:fs/promises";
import path from "node:path";

import { afterAll, beforeAll, describe, it } from "vitest";

import { type BuiltProgram, buildProgram, packagesOf } from "../support/built-program.ts";
import { workplace } from "../support/command-line.ts";
import { exampleWithEmulator } from "../support/example.ts";

const zones = "zones:\n  - name: shop.example.com\n";

let program: BuiltProgram;

beforeAll(async () => {
  program = await buildProgram();
}, 120_000);

afterAll(async () => {
  await program[Symbol.asyncDispose]();
});

describe("the program that the build yields", () => {
  it("loads for --version one package, and no command", async ({ expect }) => {
    const ran = await program.run(["--version"], { cwd: program.directory });
    expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(packagesOf(ran)).toEqual(["commander"]);
    expect(ran.modules.filter((url) => url.includes("/commands/"))).toEqual([]);
  });

  it("compiles no schema for files without mistakes", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zones/a.yaml", zones);
    const ran = await program.run(["validate", "zones"], { cwd: place.directory });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.modules.filter((url) => /\/ajv\/dist\/(?!runtime)/.test(url))).toEqual([]);
    expect(ran.modules.filter((url) => url.endsWith("/schema-validators.cjs"))).toHaveLength(1);
  });

  it("says of mistakes what the sources say", async ({ expect }) => {
    await using place = await workplace();
    await place.write("zones/a.yaml", `${zones}    mode: of\n    page_sheild: {}\n  - {}\n`);
    await place.write("zones/b.yaml", 'zones:\n  - name: "b.example\n');
    const ran = await program.run(["validate", "zones"], { cwd: place.directory });
    const { code, stdout } = await place.run("validate", "zones");
    expect(stdout).toContain("UNKNOWN_KEY");
    expect(stdout).toContain("YAML_SYNTAX");
    expect(ran).toMatchObject({ code, stdout });
  });

  it("loads for a plan only what reads, plans and prints", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const ran = await program.run(["plan", "shop.example.com"], {
      cwd: example.place.directory,
      env: { ZONEWARDEN_API_TOKEN: "emulator-token" },
    });
    expect(ran.stdout).toContain("shop.example.com");
    const packages = packagesOf(ran).filter((name) => !name.startsWith("fast-"));
    expect(packages).toEqual(["ajv", "commander", "node-cron", "undici", "yaml"]);
    const modules = ran.modules.map((url) => /\/dist\/([a-z]+)\//.exec(url)?.[1]);
    expect(modules).not.toContain("emulator");
  });
});

describe("compiled code", () => {
  it("is kept for the next command where only the user can write", async ({ expect }) => {
    await using place = await workplace();
    const cache = path.join(place.directory, "cache");
    const env = { NODE_DISABLE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache };
    await program.run(["--version"], { cwd: place.directory, env });
    const [kept = ""] = await readdir(path.join(cache, "zonewarden"));
    expect((await readdir(path.join(cache, "zonewarden", kept))).length).toBeGreaterThan(5);
  });

  it.for([
    { when: "others can write there", mode: 0o777, env: {} },
    { when: "Node is told not to", mode: 0o700, env: { NODE_DISABLE_COMPILE_CACHE: "1" } },
  ])("is not kept where $when", async ({ mode, env }, { expect }) => {
    await using place = await workplace();
    const directory = path.join(place.directory, ".cache/zonewarden");
    await mkdir(directory, { recursive: true });
    await chmod(directory, mode);
    const home = { NODE_DISABLE_COMPILE_CACHE: undefined, HOME: place.directory, ...env };
    const { code } = await program.run(["--version"], { cwd: place.directory, env: home });
    expect(code).toBe(0);
    expect(await readdir(directory)).toEqual([]);
  });

  it("is not kept without a home, or where the directory cannot be made", async ({ expect }) => {
    await using place = await workplace();
    await place.write("file", "");
    for (const home of ["", "relative", path.join(place.directory, "file")]) {
      const env = { NODE_DISABLE_COMPILE_CACHE: undefined, HOME: home };
      const { code } = await program.run(["--version"], { cwd: place.directory, env });
      expect(code).toBe(0);
    }
    expect(await readdir(place.directory)).toEqual(["file"]);
  });
});
