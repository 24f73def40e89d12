import { describe, it } from "vitest";

import { listAnswer } from "../support/ask.ts";
import { control, type Example, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop } from "../support/running.ts";

const ghost = "zones: [{ name: ghost.example.com, page_shield: { settings: { enabled: true } } }]";

const contradiction = `zones:
  - { match: { name: "old.*" }, page_shield: { settings: { enabled: true } } }
  - { match: { name: "*.brand.example", status: active }, page_shield: { settings: { enabled: false } } }
`;

/** The example, with a second credential whose token the service does not take, and without zone files. */
async function withTwoCredentials(): Promise<Example> {
  const config = `credentials:
- { name: main, token_env: ZONEWARDEN_API_TOKEN, zones: [blog.example.com] }
- { name: other, token_file: token }`;
  const example = await exampleWithEmulator({ config });
  await example.place.write("token", "no-token-of-the-emulator");
  await example.place.remove("zones");
  return example;
}

describe("a declared zone that cannot be found", () => {
  it("is reported once, and every other zone is planned and written", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/ghost.yaml", ghost);
    const plan = await example.place.run("plan");
    expect(plan.code).toBe(5);
    expect(plan.stdout).toContain("~ policy/checkout");
    expect((plan.stdout + plan.stderr).match(/ZONE_NOT_LISTED/g)).toHaveLength(1);

    const apply = await example.place.run("apply");
    expect(apply.code).toBe(5);
    expect(writesSeenBy(example.emulator)).toHaveLength(5);
  });

  it("is reported if it is declared by its id", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write(
      "zones/ghost.yaml",
      ghost.replace("name: ghost.example.com", `id: "${"0".repeat(32)}"`),
    );
    const { code, stderr } = await example.place.run("apply");
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /ghost\.yaml:1:9: error: no token can read the zone 0{32} \[ZONE_NOT_LISTED\]/,
    );
  });

  it("is not reported for another zone", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/ghost.yaml", ghost);
    const { code, stdout, stderr } = await example.place.run("plan", "blog.example.com");
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("ghost");
  });
});

describe("a credential whose zones cannot be listed", () => {
  const everyZone =
    'zones: [{ match: { name: "*" }, page_shield: { settings: { enabled: true } } }]';
  const line =
    /^credential other: its zones cannot be listed: API_UNAUTHORIZED: GET \/zones: 40[13].*; .+$/m;

  it("is reported once, and the command ends as partially done", async ({ expect }) => {
    await using example = await withTwoCredentials();
    await example.place.write("zones/all.yaml", everyZone);
    for (const args of [["plan"], ["apply"], ["apply", "--check"], ["inventory", "scripts"]]) {
      const { code, stderr } = await example.place.run(...args);
      expect({ args, code }).toEqual({ args, code: 5 });
      expect(stderr.match(new RegExp(line, "gm"))).toHaveLength(1);
    }
    const { code, stdout, stderr } = await example.place.run("suggest", "shop.example.com");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(line);
  });

  it("is why a zone that is declared by its name is not found", async ({ expect }) => {
    await using example = await withTwoCredentials();
    await example.place.write("zones/shop.yaml", ghost.replace("ghost", "shop"));
    const { code, stdout } = await example.place.run("plan");
    expect(code).toBe(1);
    expect(stdout).toContain("credential other: its zones cannot be listed");
    expect(stdout).not.toContain("check the name");
  });
});

describe("a credential whose zones are not answered", () => {
  it("delays no zone of another credential", async ({ expect }) => {
    const answer = Promise.withResolvers<void>();
    const config = `credentials:
- { name: main, token_env: ZONEWARDEN_API_TOKEN, zones: [blog.example.com] }
- { name: other, token_env: ZONEWARDEN_API_TOKEN }`;
    await using example = await exampleWithEmulator({ config, sleep: () => answer.promise });
    const { place } = example;
    await place.edit("zonewarden.yaml", "api: {", "api: { concurrency: 1,");
    const [blog] = await listAnswer(example.emulator, "/zones?name=blog.example.com");
    const path = `*/zones/${blog?.id}/*`;
    await control(example, "faults", { fault: "latency", milliseconds: 1, path });
    const daemon = place.start("run");
    await logged(daemon, "plan applied", { zone: "shop.example.com" });
    await logged(daemon, "plan applied", { zone: "www.brand.example" });
    answer.resolve();
    expect(await stop(daemon)).toBe(0);
  });
});

describe("selectors that contradict each other", () => {
  it("hold their zone, are reported as an error, and hold no other zone", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/contradiction.yaml", contradiction);
    const { code, stderr } = await example.place.run("apply");
    expect(stderr).toContain("contradiction.yaml");
    expect(code).toBe(3);
    expect(writesSeenBy(example.emulator)).toHaveLength(5);
  });
});

const unknownHash = "0123456789abcdef".repeat(4);

describe("a hash that releases nothing", () => {
  it("is an error before anything is written", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("apply", "--accept", unknownHash);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`${unknownHash}.*no plan`));
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });
});

describe("the last line", () => {
  it("counts the zones that are in sync now, those that were just written included", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("apply");
    expect(stdout).toContain("3 of 3 zones in sync");
  });
});
