import { describe, it } from "vitest";

import { workplace } from "../support/command-line.ts";
import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const token = "planted-token-0123456789";

describe("a mistake is reported with the right exit code, and nothing is written", () => {
  it.for([
    { when: "a file is broken", file: "zones: [", code: 3, says: /zones\/bad\.yaml:\d+:\d+/ },
    { when: "a key is unknown", file: "zons: []", code: 3, says: /zons.*zones/s },
    {
      when: "a value is bad",
      file: "zones: [{ name: x.example, managed_rules: { rules: [{ key: a, deploy: owasp, paranoia_level: 7 }] } }]",
      code: 3,
      says: /paranoia_level/,
    },
  ])("when $when", async ({ file, code, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/bad.yaml", file);
    for (const command of ["validate", "plan", "apply"]) {
      const ran = await example.place.run(command);
      expect(ran.code).toBe(code);
      expect(ran.stderr + ran.stdout).toMatch(says);
      expect(ran.stderr).not.toMatch(/\n\s+at /);
    }
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("when the command line names a zone that no file declares", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    for (const command of ["plan", "apply"]) {
      const ran = await example.place.run(command, "shop.example.com", "shpo.example.com");
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/shpo\.example\.com: no declared zone/);
      expect(ran.stdout).toBe("");
    }
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it.for([
    {
      when: "a zone stands where a hash is to stand",
      args: ["--accept", "shop.example.com"],
      says: "shop.example.com' is invalid. Copy the full hash of 64 hexadecimal digits that plan prints; name zones before --accept or after its hash.",
    },
    {
      when: "a second hash stands without --accept",
      args: ["--accept", "0".repeat(64), "b".repeat(64)],
      says: `error: ${"b".repeat(64)}: no declared zone has this name; for a hash, repeat --accept in front of it\n`,
    },
  ])("when $when", async ({ args, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const ran = await example.place.run("apply", ...args);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(says);
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("when the plan cannot be saved", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const ran = await example.place.run("plan", "--out", "missing/plan.json");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/\nmissing\/plan\.json: cannot be written \(ENOENT\); .+\n$/);
    expect(ran.stdout).toMatch(/^Plan: 3 to create/m);
  });

  it.for(["--out", "--full"])(
    "when a plan is to replace a zone file: %s",
    async (option, { expect }) => {
      await using example = await exampleWithEmulator();
      const before = await example.place.read("zones/shop.yaml");
      const ran = await example.place.run("plan", option, "zones/shop.yaml");
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/^error: zones\/shop\.yaml: .*: name another file\n/);
      expect(await example.place.read("zones/shop.yaml")).toBe(before);
    },
  );

  it("when the saved plan does not exist", async ({ expect }) => {
    await using place = await workplace();
    const ran = await place.run("apply", "--plan", "plan.json");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toBe(
      "plan.json: cannot be read: it does not exist; name the file that plan --out wrote\n",
    );
  });

  it.for([["history"], ["measurements", "shop.example.com"], ["history", "verify", "."]])(
    "when a file stands where a directory is to be, or the other way round: %s",
    async (args, { expect }) => {
      await using place = await workplace();
      await place.write("zonewarden.yaml", "mode: observe\nstore: { path: state }\n");
      await place.write("state", "");
      const ran = await place.run(...args);
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(
        /^zonewarden: (ENOTDIR: .*state|.* is a dir).*\nCheck that the path is right/,
      );
    },
  );

  it("when the configuration is missing", async ({ expect }) => {
    await using place = await workplace();
    const ran = await place.run("plan");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/zonewarden\.yaml/);
  });

  it("when there is no token", async ({ expect }) => {
    await using example = await exampleWithEmulator({
      config: "credentials: [{ name: main, token_env: NOT_THERE }]",
    });
    const ran = await example.place.run("plan");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/credential main: .*NOT_THERE/);
  });

  it("when the service rejects the token", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await using place = await workplace({ ZONEWARDEN_API_TOKEN: token });
    await place.write(
      "zonewarden.yaml",
      `mode: enforce\napi: { base_url: "${example.emulator.baseUrl}" }\n`,
    );
    await place.write("zones/a.yaml", "zones: [{ name: shop.example.com }]");
    const ran = await place.run("plan");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/token/);
    expect(ran.stdout + ran.stderr).not.toContain(token);
  });

  it("when the service cannot be reached", async ({ expect }) => {
    await using place = await workplace({ ZONEWARDEN_API_TOKEN: token });
    await place.write(
      "zonewarden.yaml",
      `mode: enforce\napi: { base_url: "http://127.0.0.1:9/client/v4", timeout: 200ms }\n`,
    );
    await place.write("zones/a.yaml", "zones: [{ name: shop.example.com }]");
    const ran = await place.run("apply");
    expect(ran.code).toBe(7);
    expect(ran.stderr).toMatch(/API_UNREACHABLE: .*check api\.base_url/);
    expect(ran.stdout + ran.stderr).not.toContain(token);
  });

  it("when an answer is not JSON", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const path = "/zones/*/page_shield/policies";
    await control(example, "faults", { fault: "malformed_json", path });
    const ran = await example.place.run("apply");
    expect(ran.code).toBe(5);
    expect(ran.stdout).toMatch(/API_MALFORMED/);
  });

  it("when an option is misspelt", async ({ expect }) => {
    await using place = await workplace();
    const ran = await place.run("plan", "--fromat", "json");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/--format/);
  });
});
