import { describe, it } from "vitest";

import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";

/** A zone that deploys a ruleset which does not exist: only the service knows that. */
const unknownRuleset = `zones:
  - name: old.brand.example
    managed_rules:
      rules: [{ key: none, deploy: "00000000000000000000000000000000" }]
`;

describe("apply --check", () => {
  it("lets the service check the ruleset writes, and changes nothing", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { code, stderr } = await example.place.run("apply", "--check");
    expect(stderr).toContain(
      "shop.example.com: update-rule managed_rule/owasp: accepted by the service",
    );
    expect(stderr).toContain("shop.example.com: update-policy policy/checkout: cannot be checked");
    expect(code).toBe(0);
    const sent = writesSeenBy(example.emulator);
    expect(sent).toHaveLength(2);
    expect(sent.every((write) => write.includes("dry_run=true"))).toBe(true);
    expect((await example.place.run("plan")).code).toBe(2);
  });

  it("prints what the service would refuse", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await example.place.write("zones/refused.yaml", unknownRuleset);
    const { code, stderr } = await example.place.run("apply", "--check", "old.brand.example");
    expect(stderr).toMatch(/old\.brand\.example: create-entrypoint managed_rule\/none: API_/);
    expect(code).toBe(1);
  });
});
