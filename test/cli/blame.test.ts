import { describe, it } from "vitest";

import { compareText } from "../../src/syntax/by-text.ts";
import { control, exampleWithEmulator } from "../support/example.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually } from "../support/processes.ts";
import { stop } from "../support/running.ts";

const shop = "shop.example.com";
const alice = { zone: shop, settings: { enabled: false }, actor: "alice@example.com" };

describe("blame", () => {
  it("prints who changed a zone beside our own runs, oldest first", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "store: { path: state }" });
    const { place } = example;
    await control(example, "edit", alice);
    await control(example, "edit", { ...alice, zone: "blog.example.com" });
    const daemon = place.start("run");
    await eventually("the shop is written", () =>
      logLines(daemon).find(({ msg, zone }) => msg === "plan applied" && zone === shop),
    );
    await stop(daemon);
    await control(example, "edit", { ...alice, actor: "bob@example.com" });

    const { stdout, code } = await place.run("blame", shop);
    expect(code).toBe(0);
    const heads = stdout.split("\n").filter((line) => /^\d{4}-/.test(line));
    expect(heads[0]).toMatch(
      /^\S+Z {2}alice@example\.com {2}dash {2}update setting enabled {2}ray \S+$/,
    );
    expect(heads.at(-1)).toContain("  bob@example.com  dash  update setting enabled");
    const times = heads.map((line) => line.split(" ")[0] ?? "");
    expect(times).toEqual(times.toSorted(compareText));
    const between = heads.slice(1, -1);
    expect(between.some((line) => line.includes("token everything (zonewarden)"))).toBe(true);
    expect(between.some((line) => line.includes(`  ${shop}  applied  `))).toBe(true);
    expect(stdout).not.toContain("blog.example.com");
  });

  it("names who made drift that was corrected before the entry came", async ({ expect }) => {
    await using example = await exampleWithEmulator({ config: "store: { path: state }" });
    await control(example, "faults", { fault: "audit_late", seconds: 120, count: 1 });
    await control(example, "edit", alice);
    const daemon = example.place.start("run");
    await eventually("the shop is written", () =>
      logLines(daemon).find(({ msg, zone }) => msg === "plan applied" && zone === shop),
    );
    await stop(daemon);
    const before = await example.place.run("blame", shop);
    expect(before.stdout).not.toContain("alice@example.com");
    await control(example, "clock", { advance: "120s" });
    const { stdout } = await example.place.run("blame", shop);
    const [name, run] = ["  alice@example.com  dash  update setting ", `  ${shop}  applied  `];
    expect(stdout.indexOf(run)).toBeGreaterThan(stdout.indexOf(name));
    expect(stdout).toContain(name);
  });

  it("names the policy or the rule that an entry wrote, and the phase of a list", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    await example.place.run("apply", "--yes", shop);
    await control(example, "edit", { zone: shop, rule: "owasp", set: { paranoia_level: 1 } });
    const { stdout } = await example.place.run("blame", shop);
    expect(stdout).toMatch(/ {2}update policy [0-9a-f]{32} “Scripts of the checkout/);
    expect(stdout).toMatch(/ {2}dashboard@example\.com .*update rule [0-9a-f]{32} “OWASP/);
    expect(stdout).not.toContain("/zones/");
  });

  it("names custom rulesets and the rules in them", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const zone = "blog.example.com";
    await control(example, "edit", { zone, rule: "zonewarden:bots", set: { enabled: false } });
    const set = { description: "Mine [zonewarden:community]" };
    await control(example, "edit", { zone, ruleset: "community", set });
    const { stdout } = await example.place.run("blame", zone);
    expect(stdout).toMatch(/ {2}dashboard@.* {2}update rule [0-9a-f]{32} “No comments of bots”/);
    expect(stdout).toMatch(/ {2}dashboard@.* {2}update ruleset [0-9a-f]{32} “Mine \[/);
  });

  it("prints the same as JSON", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await control(example, "edit", alice);
    const { stdout } = await example.place.run("blame", shop, "--format", "json");
    expect(JSON.parse(stdout)).toMatchObject({
      format: 1,
      zone: shop,
      entries: [
        {
          kind: "audit",
          zonewarden: false,
          actor: { type: "user", context: "dash", email: "alice@example.com", token_name: null },
          method: "PUT",
        },
      ],
    });
  });

  it("has what changed the managed rulesets that the zone deploys, as audit.actors allows", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator({ config: "audit: { actors: masked }" });
    await control(example, "edit", alice);
    await control(example, "managed", { ruleset: "owasp" });
    const { stdout } = await example.place.run("blame", shop);
    expect(stdout).toContain("  a…@example.com  dash  update setting ");
    expect(stdout).not.toContain("alice");
    expect(stdout.split("\n").filter((line) => line.includes("  system"))).toHaveLength(1);
    // Nothing was applied there yet, so it deploys none.
    const other = await example.place.run("blame", "www.brand.example", "--format", "json");
    expect(JSON.parse(other.stdout)).toMatchObject({ entries: [] });
  });

  it("sends only GETs, and says which permission is missing", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await control(example, "faults", { fault: "denied", path: "*/logs/audit" });
    const { stderr, code } = await example.place.run("blame", shop);
    expect(code).toBe(1);
    expect(stderr).toContain("Account Settings: Read");
    expect(example.emulator.journal().map(({ method }) => method)).not.toContain("PUT");
  });

  it.for([
    { args: [shop, "--since", "soon"], says: "--since and --until take a moment" },
    { args: [shop, "--since", "2099-01-01"], says: "--since is in the future" },
    { args: ["nowhere.example"], says: "no zone that matches nowhere.example" },
    { args: ["*"], says: "zones match; name one, or give its id: " },
  ])("refuses $args", async ({ args, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stderr, code } = await example.place.run("blame", ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(says);
  });

  it("says that nobody changed a zone", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("blame", shop, "--since", "1h");
    expect(stdout).toMatch(/^shop\.example\.com: nobody changed it since /);
  });
});
