import { describe, it } from "vitest";

import { exampleWithEmulator, writesSeenBy, type Example } from "../support/example.ts";

const shop = "shop.example.com";

/** Runs a command on the entry point of the shop. */
function onEntrypoint(
  { place }: Example,
  name: string,
  ...more: readonly string[]
): ReturnType<Example["place"]["run"]> {
  return place.run("rulesets", name, shop, "managed_rules", ...more);
}

describe("rulesets", () => {
  it("lists those of a zone, including the managed ones of its account", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stdout } = await example.place.run("rulesets", "list", shop);
    expect(code).toBe(0);
    expect(stdout).toContain("Cloudflare OWASP Core Ruleset");
    expect(stdout).toMatch(/^default +zone +http_request_firewall_managed +1 /m);
  });

  it.for([
    { flags: [], count: "33 rules" },
    { flags: ["--tag", "paranoia-level-3"], count: "8 of 33 rules" },
    { flags: ["--account", "--tag", "paranoia-level-3"], count: "8 of 33 rules" },
  ])("shows the OWASP ruleset with $flags", async ({ flags, count }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("rulesets", "show", shop, "owasp", ...flags);
    expect(stdout.split("\n", 1)[0]).toContain(count);
  });

  it("finds one by the name in the list", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("rulesets", "show", shop, "default");
    expect(stdout).toContain("default, version 1, http_request_firewall_managed, 2 rules");
  });

  it.for([
    { section: "custom_rules", says: "http_request_firewall_custom, 2 rules", rule: "Monitoring" },
    { section: "rate_limiting_rules", says: "http_ratelimit, 1 rule", rule: "Login attempts" },
    { section: "managed_rules", says: "http_request_firewall_managed, 2 rules", rule: "Probes of" },
  ])("shows the rules of $section", async ({ section, says, rule }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("rulesets", "show", shop, section);
    expect(stdout).toContain(says);
    expect(stdout).toContain(rule);
  });

  it("shows the difference of versions, and prunes old ones after a confirmation", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    await example.place.run("apply", shop);
    const versions = await onEntrypoint(example, "versions", "--format", "json");
    const listed: unknown = JSON.parse(versions.stdout);
    expect(listed).toMatchObject([{ version: "1" }, { version: "2" }]);

    const diff = await onEntrypoint(example, "diff", "1");
    expect(diff.stdout).toContain("version 1 → 2: 1 difference");
    expect(diff.stdout).toContain("~ changed, place 2: OWASP core rules");
    expect(diff.stdout).toContain("paranoia-level-2; enabled: false");

    const before = writesSeenBy(example.emulator);
    const asked = await onEntrypoint(example, "prune", "--keep", "1");
    expect(asked.code).toBe(4);
    expect(asked.stderr).toContain("nothing was deleted; --yes deletes 1 of 2 versions");
    expect(writesSeenBy(example.emulator)).toEqual(before);

    const pruned = await onEntrypoint(example, "prune", "--keep", "1", "--yes");
    expect(pruned.stdout).toContain("deleted 1 of 2 versions");
    const left = await onEntrypoint(example, "versions", "--format", "json");
    const kept: unknown = JSON.parse(left.stdout);
    expect(kept).toMatchObject([{ version: "2" }]);
    expect((await onEntrypoint(example, "prune", "--keep", "1", "--yes")).stdout).toContain(
      "nothing to delete",
    );
  });

  it.for([
    {
      what: "mode: observe",
      config: "mode: observe",
      says: "held by observe: the mode is observe",
    },
    {
      what: "a freeze",
      config:
        'windows: [{ name: always, type: freeze, start: "* * * * *", duration: 1h, strengthening: allow }]',
      says: 'held by freeze: the freeze window "always" is open',
    },
    {
      what: "a suspension",
      zones: `zones: [{ name: ${shop}, suspend: { reason: "a load test" } }]`,
      says: "held by suspend: the zone is suspended (a load test)",
    },
    {
      what: "a zone that observes",
      zones: `zones: [{ name: ${shop}, mode: observe }]`,
      says: "held by observe",
    },
    {
      what: "a zone that no file declares",
      zones: "zones: [{ name: blog.example.com }]",
      says: `held by undeclared: the files do not declare ${shop}`,
    },
  ])("prune writes nothing with $what", async ({ config, zones, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { place, emulator } = example;
    await place.run("apply", shop);
    if (config !== undefined) {
      const text = await place.read("zonewarden.yaml");
      const rest = config.startsWith("mode") ? text.replace(/^mode: .*/, "") : text;
      await place.write("zonewarden.yaml", `${rest}\n${config}\n`);
    }
    if (zones !== undefined) {
      await place.remove("zones");
      await place.write("zones/all.yaml", `${zones}\n`);
    }
    const before = writesSeenBy(emulator);
    const { code, stdout, stderr } = await onEntrypoint(example, "prune", "--keep", "1", "--yes");
    expect({ code, stdout }, stderr).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(`nothing was deleted: ${says}`);
    expect(writesSeenBy(emulator)).toEqual(before);
  });

  it.for([
    { args: ["show", shop, "nothing"], says: 'shop.example.com has no ruleset "nothing"' },
    { args: ["show", "*.example.com", "owasp"], says: "2 zones match; name one, or give its id" },
    { args: ["prune", shop, "managed_rules", "--keep", "0"], says: "Write a number from 1 up" },
    { args: ["show", shop, "managed_rules", "--ruleset-version", "99"], says: "API_NOT_FOUND" },
    { args: ["show", shop, "managed_rules", "--version", "1"], says: "unknown option '--version'" },
  ])("says what is wrong with $args", async ({ args, says }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stdout, stderr } = await example.place.run("rulesets", ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  });
});
