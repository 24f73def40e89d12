import { describe, it } from "vitest";

import { exitCodes } from "../../src/cli/output/exit-codes.ts";
import { control, type Example, exampleWithEmulator } from "../support/example.ts";
import { logged } from "../support/log-lines.ts";
import { stop } from "../support/running.ts";

const [blog, shop] = ["blog.example.com", "shop.example.com"] as const;

/** An example whose zones were applied by a daemon, which has ended and left its state. */
async function appliedExample(actors = "full", limits = ""): Promise<Example> {
  const example = await exampleWithEmulator({
    config: `store: { path: state }\naudit: { actors: ${actors} }\n${limits}`,
  });
  const daemon = example.place.start("run");
  for (const zone of [shop, "www.brand.example"]) await logged(daemon, "plan applied", { zone });
  await stop(daemon);
  return example;
}

function auditReads({ emulator }: Example): number {
  return emulator.journal().filter(({ path }) => path.includes("/logs/audit")).length;
}

describe("plan and apply", () => {
  it("name who made drift, with one read of the log of an account", async ({ expect }) => {
    await using example = await appliedExample();
    await control(example, "edit", {
      zone: blog,
      settings: { enabled: false },
      actor: "alice@example.com",
    });
    await control(example, "edit", {
      zone: shop,
      rule: "zonewarden:owasp",
      set: { paranoia_level: 1 },
      actor: "bob@example.com",
    });
    const text = await example.place.run("plan");
    expect(text.stdout).toContain("possibly changed by alice@example.com in the dashboard, ");
    expect(text.stdout).toContain("  changed by bob@example.com in the dashboard, ");
    expect(auditReads(example)).toBe(1);
    const markdown = await example.place.run("plan", blog, "--format", "markdown");
    expect(markdown.stdout).toMatch(/changed by alice.*example\.com in the dashboard/);
    const json = await example.place.run("plan", blog, "--format", "json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      zones: [
        { plan: { changes: [{ authors: [{ name: "alice@example.com", certain: false }] }] } },
      ],
    });
    const before = auditReads(example);
    const silent = await example.place.run("plan", "--no-audit");
    expect(silent.stdout).not.toContain("changed by");
    expect(auditReads(example)).toBe(before);
    const applied = await example.place.run("apply");
    expect(applied.stdout).toContain("possibly changed by alice@example.com in the dashboard, ");
  });

  it("name for certain who changed what the log says that it was as declared before", async ({
    expect,
  }) => {
    await using example = await appliedExample();
    const off = { zone: blog, settings: { enabled: false } };
    await control(example, "edit", { ...off, actor: "alice@example.com" });
    await example.place.run("apply", blog, "--yes");
    await control(example, "edit", { ...off, actor: "bob@example.com" });
    const { stdout } = await example.place.run("plan", blog);
    expect(stdout).toContain(" changed by bob@example.com in the dashboard, ");
    expect(stdout).not.toContain("possibly");
    expect(stdout).not.toContain("alice");
  });

  it("hold what another writer undoes again, as the daemon does, and name who; apply corrects it", async ({
    expect,
  }) => {
    await using example = await appliedExample("full", "limits: { contended_rounds: 1 }");
    const undo = { zone: shop, rule: "zonewarden:owasp", set: { paranoia_level: 4 } };
    await control(example, "edit", undo);
    const daemon = example.place.start("run");
    await logged(daemon, "plan applied", { zone: shop, cause: "drift" });
    await stop(daemon);
    await control(example, "edit", { ...undo, actor: "bob@example.com" });
    const planned = await example.place.run("plan", shop);
    expect(planned.stdout.replaceAll(/\s+/g, " ")).toContain(
      "held by contended: managed_rule/owasp paranoia_level was corrected 1 times within 60 min, and changed back each time: the other writer is bob@example.com in the dashboard.",
    );
    expect(planned.code).toBe(exitCodes.held);
    const explained = await example.place.run("explain", "zone", shop);
    expect(explained.stdout).toContain("was corrected 1 times");
    expect((await example.place.run("apply", shop, "--yes")).code).toBe(exitCodes.done);
  });

  it("name nobody without the permission, and say nothing about it", async ({ expect }) => {
    await using example = await appliedExample();
    await control(example, "edit", { zone: blog, settings: { enabled: false } });
    await control(example, "faults", { fault: "denied", path: "*/logs/audit" });
    const { stdout, stderr } = await example.place.run("plan", blog);
    expect(stdout).toContain("setting/enabled");
    expect(stdout).not.toContain("changed by");
    expect(stderr).not.toContain("audit");
  });

  it("write people as audit.actors says, and leave them out of a saved plan", async ({
    expect,
  }) => {
    await using example = await appliedExample("masked");
    await control(example, "edit", {
      zone: blog,
      settings: { enabled: false },
      actor: "alice@example.com",
    });
    const { stdout } = await example.place.run("plan", blog, "--out", "plan.json");
    expect(stdout).toContain("changed by a…@example.com in the dashboard, ");
    expect(await example.place.read("plan.json")).not.toContain("example.com in the dashboard");
    expect(await example.place.read("plan.json")).not.toContain("authors");
  });
});
