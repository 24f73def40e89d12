import path from "node:path";

import { describe, it } from "vitest";

import { deploy } from "../deploy/paths.ts";
import { noPromtool, run } from "../deploy/tools.ts";

const scenarioFile = path.join(deploy, "alerts/zonewarden.rules.test.yaml");

describe("the alert rules", () => {
  // Scenarios of more than a day, minute by minute.
  it.skipIf(noPromtool)(`pass their unit tests ${noPromtool ?? ""}`, async ({ expect }) => {
    const { stdout } = await run("promtool", ["test", "rules", scenarioFile]);
    expect(stdout).toContain("SUCCESS");
  });
});
