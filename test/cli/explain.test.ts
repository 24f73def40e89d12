import { describe, it } from "vitest";

import { diagnosticCodes } from "../../src/zone/diagnostic-codes.ts";
import { workplace } from "../support/command-line.ts";

describe("explain", () => {
  it.for(Object.keys(diagnosticCodes))("explains %s with an example", async (code, { expect }) => {
    await using place = await workplace();
    const ran = await place.run("explain", code);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(new RegExp(`^${code} \\((error|warning)\\): .{10}`));
    expect(ran.stdout).toContain("Example:");
    expect(ran.stdout).toMatch(/^Remedy: .|^ {6}→ ./m);
    expect(ran.stdout.split("\n").length).toBeLessThan(50);
  });

  it("reads as this", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("explain", "skip_without_effect");
    expect(stdout)
      .toBe(`SKIP_WITHOUT_EFFECT (warning): an exception comes after all rules that it could skip

Example:

    zones:
      - name: shop.example.com
        managed_rules:
          rules:
            - { key: owasp, deploy: owasp }
            - { key: upload, expression: ssl, skip: { rulesets: [owasp] } }

Diagnostic:

    zones.yaml:6:11: warning: no rule after "upload" is affected by it [SKIP_WITHOUT_EFFECT]
      6 |         - { key: upload, expression: ssl, skip: { rulesets: [owasp] } }
        |           ^
      → move it with \`before:\` and the key of the rule that it is an exception to

    1 warning

To suppress it for one line, write a comment on the line before, with a reason:
    # zonewarden-disable-next-line CODE -- reason
To change its level for some or all files, use \`lint\` in zonewarden.yaml.
`);
  });

  it("lists all codes, and names the nearest", async ({ expect }) => {
    await using place = await workplace();
    const { stdout } = await place.run("explain");
    expect(stdout.trim().split("\n")).toHaveLength(Object.keys(diagnosticCodes).length);
    expect(await place.run("explain", "CSP_NOSELF")).toEqual({
      code: 1,
      stdout: "",
      stderr: "explain: there is no code CSP_NOSELF; did you mean CSP_NO_SELF?\n",
    });
    expect((await place.run("explain", "nothing-like-it")).stderr).toBe(
      "explain: there is no code NOTHING-LIKE-IT; `zonewarden explain` lists all\n",
    );
  });
});
