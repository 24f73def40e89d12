import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, it } from "vitest";

import { control, exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const shop = "shop.example.com";

describe("plan --impact", () => {
  it("prints what enforcing a policy blocks, and which rules a paranoia level enables", async ({
    expect,
  }) => {
    await using example = await exampleWithEmulator();
    const { code, stdout, stderr } = await example.place.run("plan", shop, "--impact");
    const note = `checked 2 of 3 zone files: the others do not concern ${shop}; zonewarden validate checks all\n`;
    expect(code).toBe(2);
    expect(stderr).toContain(note);
    const impact = stdout.slice(stdout.indexOf("Impact on"));
    await expect(
      impact
        .replaceAll(/\d{4}-\d\d-\d\d/g, "<day>")
        .replaceAll(/policy\/[0-9a-f]{32}/g, "policy/<id>"),
    ).toMatchFileSnapshot("../golden/plan-impact.txt");
    expect(writesSeenBy(example.emulator)).toEqual([]);
  });

  it("prints JSON that its schema accepts", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("plan", shop, "--impact", "--format", "json");
    const report: unknown = JSON.parse(stdout);
    const schema: unknown = JSON.parse(readFileSync("schemas/plan.schema.json", "utf8"));
    const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
    const validate = ajv.compile<object>(schema instanceof Object ? schema : {});
    validate(report);
    expect(validate.errors).toBe(null);
    expect(report).toMatchObject({
      impact: [
        {
          zone: shop,
          policies: [
            {
              key: "policy/checkout",
              force: "blocks",
              blocked: [{ url: "https://stats.example.org/m.js", already: false }],
            },
            { key: "policy/everywhere", force: "reports" },
            {},
          ],
          deployments: [
            { key: "managed_rule/owasp", on: 17, total: 33, switched_off: [], advice: [] },
          ],
          notes: [],
        },
      ],
    });
  });

  it("is collapsed in the Markdown of a pull request", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("plan", shop, "--impact", "--format", "markdown");
    expect(stdout).toContain("<details><summary>Impact on detected scripts");
    expect(stdout).toMatch(/```text\nImpact on shop\.example\.com\n[^]*```\n\n<\/details>\n$/);
  });

  it("prints what could not be read, and the impact of the rest", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    await control(example, "faults", {
      fault: "status",
      status: 403,
      path: "*/page_shield/scripts",
    });
    const { code, stdout } = await example.place.run("plan", shop, "--impact");
    expect(code).toBe(2);
    expect(stdout).toContain("note: what was detected could not be read: GET");
    expect(stdout).toContain("switches on: 8");
  });

  it("without --impact sends no further request", async ({ expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("plan", shop);
    expect(stdout).not.toContain("Impact");
    expect(example.emulator.journal().some(({ path }) => path.includes("/connections"))).toBe(
      false,
    );
  });
});
