import { describe, it } from "vitest";

import { type Workplace, workplace } from "../support/command-line.ts";
import { namesOfFleet } from "../support/large-fleet.ts";
import { loopbackEmulator } from "../support/loopback-emulator.ts";

const token = "planted-token-0123456789";

/** Zone files of ten zones each that all use a profile. */
async function writeZones(place: Workplace, count: number, profile = "base"): Promise<void> {
  const names = namesOfFleet(count);
  for (let from = 0; from < count; from += 10) {
    const zones = names.slice(from, from + 10);
    const entries = zones.map((name) => `  - { name: ${name}, profiles: [${profile}] }\n`);
    await place.write(`zones/brands/b${from}.yaml`, `zones:\n${entries.join("")}`);
  }
}

const levels = (name: string, key: string): string =>
  `profiles:\n  ${name}:\n    managed_rules: { rules: [{ key: owasp, deploy: owasp, ${key}: 1 }] }\n`;

describe("one cause is one finding", () => {
  it.for([
    {
      mistake: "an unknown key of a profile",
      base: levels("base", "paranoia_levl"),
      first: /^zones\/base\.yaml:3:\d+: error: unknown key "paranoia_levl"(.*) \[UNKNOWN_KEY\]$/m,
    },
    {
      mistake: "the name of a profile",
      base: levels("bsae", "paranoia_level"),
      first: /^zones\/brands\/b0\.yaml:2:\d+: error: no file defines the profile "base"(.*) \[/m,
      warnings: 1,
    },
    {
      mistake: "a text that is invalid in each zone",
      base: `profiles:\n  base:\n    custom_rules: { rules: [{ key: a, action: block, expression: 'http.host eqq "\${zone.name}"' }] }\n`,
      first: /^zones\/base\.yaml:3:\d+: error: (?:.*?)(?: \(in .*?\))? \[EXPR_UNKNOWN_OPERATOR\]$/m,
    },
  ])("validate: $mistake", async ({ base, first, warnings = 0 }, { expect }) => {
    for (const count of [1, 120]) {
      await using place = await workplace();
      await place.write("zones/base.yaml", base);
      await writeZones(place, count);
      const { code, stdout, stderr } = await place.run("validate", "zones");
      expect(code).toBe(3);
      const text = stdout + stderr;
      expect(text).toMatch(first);
      expect(text.includes(`(in ${count} zones)`)).toBe(count > 1);
      expect(text).toContain(`\n1 error${warnings === 0 ? "" : ", 1 warning"}\n`);

      const json = await place.run("validate", "zones", "--format", "json");
      expect(JSON.parse(json.stdout)).toMatchObject({ errors: 1 });
      expect(/"zones": (\d+)/.exec(json.stdout)?.[1]).toBe(count > 1 ? String(count) : undefined);

      for (const format of ["sarif", "annotations"]) {
        const other = await place.run("validate", "zones", "--format", format);
        expect(other.stdout.split(`(in ${count} zones)`), format).toHaveLength(count > 1 ? 2 : 1);
        expect(other.stdout.length, format).toBeLessThan(4_000);
      }
    }
  });

  it("validate: a variable that few zones lack is told in each, one that many lack once", async ({
    expect,
  }) => {
    const base = `profiles:\n  base:\n    custom_rules: { rules: [{ key: a, action: block, expression: 'http.host eq "\${vars.domain}"' }] }\n`;
    for (const [count, errors] of [
      [1, 1],
      [10, 10],
      [40, 1],
    ] as const) {
      await using place = await workplace();
      await place.write("zones/base.yaml", base);
      await writeZones(place, count);
      const { stdout, stderr } = await place.run("validate", "zones");
      expect(stdout + stderr).toContain(`\n${errors} error${errors === 1 ? "" : "s"}\n`);
      expect((stdout + stderr).includes(`(in ${count} zones)`)).toBe(count > 10);
    }
  });

  it.for([
    { count: 7, errors: 7 },
    { count: 30, errors: 1 },
  ])(
    "validate: a variable that $count entries lack with all entries below them",
    async ({ count, errors }, { expect }) => {
      const layers = `zones:
  - match: { name: "*" }
    custom_rules: { rules: [{ key: a, action: block, expression: 'http.host eq "\${vars.domain}"' }] }
  - { match: { labels: { team: shop } }, priority: 1, vars: { domain: shop.example } }
  - { name: shop.example, layers: true, labels: { team: shop } }
`;
      const lacking = namesOfFleet(count).map((name) => `  - { name: ${name}, layers: true }\n`);
      await using place = await workplace();
      await place.write("zones/all.yaml", layers + lacking.join(""));
      const { code, stdout, stderr } = await place.run("validate", "zones");
      expect(code).toBe(3);
      expect(stdout + stderr).toContain(`\n${errors} error${errors === 1 ? "" : "s"}\n`);
      expect((stdout + stderr).includes(`(in ${count} zones)`)).toBe(errors === 1);
    },
  );

  it.for([1, 60])(
    "plan and doctor: a token that sees one of two accounts, %i zones",
    async (count, { expect }) => {
      const names = namesOfFleet(count);
      const seen = ["seen-1.example", "seen-2.example", "seen-3.example"];
      await using emulator = await loopbackEmulator({
        accounts: [{ name: "Shops" }, { name: "Brands" }],
        tokens: [{ name: "main", value: token, permissions: "all", accounts: ["Shops"] }],
        rate_limit: false,
        zones: [
          ...seen.map((name) => ({ name, account: "Shops" })),
          ...names.map((name) => ({ name, account: "Brands" })),
        ],
      });
      await using place = await workplace({ ZONEWARDEN_API_TOKEN: token });
      await place.write(
        "zonewarden.yaml",
        `mode: enforce\napi: { base_url: "${emulator.baseUrl}" }\nstore: { path: var/state }\n`,
      );
      await place.write("zones/base.yaml", levels("base", "paranoia_level"));
      await place.write(
        "zones/seen.yaml",
        `zones:\n${seen.map((name) => `  - { name: ${name}, profiles: [base] }\n`).join("")}`,
      );
      await writeZones(place, count);

      const doctor = await place.run("doctor");
      const rows = doctor.stdout.split("\n").filter((line) => /^error +zones /.test(line));
      expect(rows).toHaveLength(1);
      expect(rows[0]?.includes(`(in ${count} zones)`)).toBe(count > 1);
      expect(doctor.stdout.includes("did you mean")).toBe(false);
      expect(doctor.stdout).toMatch(/To mend it: give a token Zone Read/);

      const plan = await place.run("plan");
      expect(plan.code).toBe(5);
      expect(plan.stdout.split("\n").length).toBeLessThan(60);
      expect(plan.stdout.match(/ZONE_NOT_LISTED/g)).toHaveLength(1);
      expect(plan.stdout).toContain("a credential may see the zone");
      expect(plan.stderr).not.toContain("did you mean");
    },
  );
});
