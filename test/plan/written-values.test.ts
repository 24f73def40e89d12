import { describe, it } from "vitest";

import { policyValues, ruleValues, settingValues } from "../../src/plan/cause/written-values.ts";
import { liveDeployment, livePolicy } from "../support/model.ts";

const digest = /^[\w-]{12}$/;

describe("the values that a request wrote", () => {
  it("are digests, so that no entry of the audit log is kept with its texts", ({ expect }) => {
    const written = policyValues(livePolicy("p1"), new Set(["action", "value"]));
    expect([...written.keys()]).toEqual(["action", "value"]);
    for (const value of written.values()) expect(value).toMatch(digest);
    const settings = settingValues({ enabled: true, use_connection_url_path: true });
    expect(settings.get("enabled")).toMatch(digest);
    expect(settings.get("enabled")).toBe(settings.get("use_connection_url_path"));
  });

  it("are empty where a rule has no value", ({ expect }) => {
    const written = ruleValues(liveDeployment("r1", {}, { enabled: false }));
    expect(written.get("overrides.enabled")).toMatch(digest);
    expect(written.get("overrides.action")).toBe("");
  });
});
