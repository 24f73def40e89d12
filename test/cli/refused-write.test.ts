import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";
import { imported } from "../support/unmarked-example.ts";

/** The service does not know the field of one of three policies. */
const oneRefused = `zones:
  - name: old.brand.example
    page_shield:
      policies:
        items:
          - { key: a, description: A, action: log, expression: 'http.hots eq "a.example"', value: "script-src 'self'" }
          - { key: b, description: B, action: log, expression: 'http.host eq "old.brand.example"', value: "script-src 'self'" }
          - { key: c, description: C, action: log, expression: 'http.host eq "www.old.brand.example"', value: "img-src 'self'" }
    managed_rules:
      rules: [{ key: owasp, deploy: owasp }]
`;

const words = (text: string): string => text.replaceAll(/\s+/g, " ");

describe("a policy that the service refuses", () => {
  it.for(["apply", "apply --plan"])(
    "does not stop the rest of its zone: %s",
    async (command, { expect }) => {
      await using example = await exampleWithEmulator();
      const { place, emulator } = example;
      await place.write("zones/refused.yaml", oneRefused);
      const zone = "old.brand.example";
      if (command === "apply --plan") await place.run("plan", zone, "--out", "plan.json");
      const apply = (): ReturnType<typeof place.run> =>
        command === "apply"
          ? place.run("apply", zone, "--yes")
          : place.run("apply", "--plan", "plan.json", "--yes");
      const first = await apply();
      expect(words(first.stdout), first.stderr).toContain("3 of 4 requests done");
      expect(first.stdout).toMatch(/✗ create-policy policy\/a\n.*API_REFUSED.*http\.hots/s);
      expect(first.stdout).not.toContain("not sent");
      expect(first.code).toBe(1);
      // It is tried again, and nothing else is written.
      const before = writesSeenBy(emulator).length;
      expect(words((await apply()).stdout)).toContain("0 of 1 request done");
      expect(writesSeenBy(emulator).slice(before)).toEqual([
        expect.stringMatching(/^POST .* 400$/),
      ]);
    },
  );

  it("does not stop the adoption of others", async ({ expect }) => {
    await using found = await imported();
    const { place, emulator } = found;
    await control(found, "faults", { fault: "status", status: 400, method: "PUT", count: 1 });
    const adopted = await place.run("adopt", "--yes");
    expect(adopted.stdout, adopted.stderr).toContain("2 of 3 requests done");
    expect(writesSeenBy(emulator)).toHaveLength(3);
    const again = await place.run("adopt", "--yes");
    expect(again.stdout, again.stderr).toContain("1 of 1 request done");
  });
});
