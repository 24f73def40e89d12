import { describe, it } from "vitest";

import { rulesRead, versionInListing } from "../../src/api/read/ruleset-versions.ts";
import type { RulesetHead } from "../../src/zone/ruleset.ts";

const limits: RulesetHead = {
  id: "r1",
  name: "default",
  description: "",
  kind: "zone",
  phase: "http_ratelimit",
  version: "3",
  lastUpdated: "",
};
const others: readonly RulesetHead[] = [
  { ...limits, id: "r2", phase: "http_request_firewall_custom", version: "8" },
  { ...limits, id: "r3", kind: "custom", version: "9" },
  { ...limits, id: "r4", kind: "managed", version: "40" },
];

describe("the version of an entry point in a listing", () => {
  it.for([
    { when: "it is listed", heads: [limits], version: "r1 3" },
    { when: "only rulesets of other kinds and phases are listed", heads: [], version: "absent" },
    { when: "the listing shows no version", heads: [{ ...limits, version: "" }], version: "" },
    { when: "it is listed twice", heads: [limits, { ...limits, id: "r5" }], version: "" },
  ])("is $version where $when", ({ heads, version }, { expect }) => {
    expect(versionInListing([...others, ...heads], "rate_limiting_rules")).toBe(version);
  });
});

describe("entry points that were read", () => {
  const custom = { version: "r2 8", digest: "d2", sentAt: 20 };

  it("are as old as the first of them", ({ expect }) => {
    const limited = { version: "absent", digest: "d1", sentAt: 30 };
    expect(
      rulesRead([
        ["custom_rules", custom],
        ["rate_limiting_rules", limited],
      ])?.readAt,
    ).toBe(20);
  });

  it("cannot be known by their versions where one has none", ({ expect }) => {
    const unknown = { version: "", digest: "d1", sentAt: 30 };
    expect(
      rulesRead([
        ["custom_rules", custom],
        ["rate_limiting_rules", unknown],
      ]),
    ).toBeUndefined();
  });
});
