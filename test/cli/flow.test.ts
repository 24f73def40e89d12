import { describe, it } from "vitest";

import { isJsonObject } from "../../src/syntax/json.ts";
import { type Named, policiesOf } from "../support/ask.ts";
import { exampleWithEmulator, writesSeenBy } from "../support/example.ts";

const zones = ["blog.example.com", "shop.example.com", "www.brand.example"];

function byHand(policies: readonly Named[]): readonly Named[] {
  return policies.filter(({ description }) => description.startsWith("Made by hand"));
}

const onlyNoStore = /^there is no store\. Not known are: .*\n$/;

describe.for(["published", "specification"] as const)(
  "from the files to the service and back, in the %s dialect",
  (dialect) => {
    it("plans the differences, and sends only GETs", async ({ expect }) => {
      await using example = await exampleWithEmulator({ dialect });
      const { code, stdout, stderr } = await example.place.run("plan");
      expect(stderr).toMatch(onlyNoStore);
      expect(stdout).toContain("~ policy/checkout");
      expect(stdout).toContain("+ managed_rule/owasp");
      expect(code).toBe(2);
      expect(writesSeenBy(example.emulator)).toEqual([]);
    });

    it("costs a request for each declared part of a zone and one for the listing", async ({
      expect,
    }) => {
      await using example = await exampleWithEmulator({ dialect });
      await example.place.run("plan");
      const paths = example.emulator.journal().map(({ path }) => path.replace("/client/v4", ""));
      const perZone = paths.filter((path) =>
        /^\/zones\/[0-9a-f]{32}\/page_shield(\/policies)?$|entrypoint$/.test(path),
      );
      // The blog declares no policies, but rules of all phases: four requests. The score rule is
      // read once for the account. Its custom ruleset costs a request, and one that lists them.
      expect(perZone).toHaveLength(10);
      expect(
        paths.filter(
          (path) => /^\/zones\/[0-9a-f]{32}\/rulesets/.test(path) && !path.endsWith("entrypoint"),
        ),
      ).toHaveLength(2);
      // One policy begins to block: what was seen is read for it.
      expect(paths.filter((path) => path.includes("/page_shield/scripts?"))).toHaveLength(1);
      expect(paths.length).toBeLessThanOrEqual(10 + 2 + 2 + 1);
    });

    it("applies the plan, after which a plan is empty and an apply writes nothing", async ({
      expect,
    }) => {
      await using example = await exampleWithEmulator({ dialect });
      const applied = await example.place.run("apply");
      expect(applied.code).toBe(0);
      expect(applied.stderr).toMatch(onlyNoStore);
      const writes = writesSeenBy(example.emulator);
      expect(writes.length).toBeGreaterThan(0);

      const plan = await example.place.run("plan");
      expect(plan.code).toBe(0);
      expect(plan.stderr).toMatch(onlyNoStore);
      expect(plan.stdout).toContain("No changes. 3 of 3 zones in sync.");
      const second = await example.place.run("apply");
      expect(second.code).toBe(0);
      expect(writesSeenBy(example.emulator)).toEqual(writes);
    });

    it("leaves an unmanaged policy alone", async ({ expect }) => {
      await using example = await exampleWithEmulator({ dialect });
      const before = byHand(await policiesOf(example.emulator, "shop.example.com"));
      expect(before).toHaveLength(1);
      await example.place.run("apply");
      expect(byHand(await policiesOf(example.emulator, "shop.example.com"))).toEqual(before);
    });

    it("prints Markdown for a pull request with the same exit code", async ({ expect }) => {
      await using example = await exampleWithEmulator({ dialect });
      const { code, stdout } = await example.place.run("plan", "--format", "markdown");
      expect(stdout).toContain("### shop.example.com: 2 changes");
      expect(stdout).toContain("| `~` | `policy/checkout` Scripts of the checkout |");
      expect(code).toBe(2);
    });

    it("prints JSON with the same exit code", async ({ expect }) => {
      await using example = await exampleWithEmulator({ dialect });
      const { code, stdout } = await example.place.run("plan", "--format", "json");
      const report: unknown = JSON.parse(stdout);
      expect(report).toMatchObject({
        format: "zonewarden-report/2",
        summary: { changes: { create: 3, update: 3, delete: 0 } },
        sweep: { requests: 13 },
      });
      expect(code).toBe(2);
    });
  },
);

describe("the cost that a plan prints", () => {
  it("is that of a sweep, and its duration where the budget makes it long", async ({ expect }) => {
    const config = "budget: { requests: 60, window: 60m, reserve: 0 }";
    await using example = await exampleWithEmulator({ config });
    const { stdout } = await example.place.run("plan");
    const line = "A sweep of these zones costs 13 requests: about 12 min 3 s within the budget.";
    expect(stdout).toContain(line);
    const markdown = await example.place.run("plan", "shop.example.com", "--format", "markdown");
    expect(markdown.stdout).toContain("A sweep of these zones costs 4 requests");
    const apply = await example.place.run("apply");
    expect(apply.stdout).not.toContain("A sweep");
  });
});

describe("one zone at a time", () => {
  it.for([
    { only: "shop.example.com", names: ["shop.example.com"] },
    { only: "*.example.com", names: ["blog.example.com", "shop.example.com"] },
    { only: "*", names: zones },
  ])("reads $names for $only", async ({ only, names }, { expect }) => {
    await using example = await exampleWithEmulator();
    const { stdout } = await example.place.run("plan", only, "--format", "json");
    const report: unknown = JSON.parse(stdout);
    const reports = isJsonObject(report) && Array.isArray(report["zones"]) ? report["zones"] : [];
    expect(reports.filter(isJsonObject).map(({ zone }) => zone)).toEqual(names);
  });
});
