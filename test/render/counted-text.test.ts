import { describe, it } from "vitest";

import type { MeasuredEffect } from "../../src/plan/measured-effect.ts";
import { measuredText } from "../../src/render/counted-text.ts";
import { change } from "../support/reports.ts";

const week = {
  before: "log",
  after: "block",
  extent: "all",
  count: 214,
  requests: 1_234_567,
  isEstimate: false,
  hours: 168,
  ofHours: 168,
} as const;

function ofRule(...effects: readonly (MeasuredEffect | undefined)[]): string {
  return measuredText(effects.map((measured) => ({ ...change("custom_rule/logins"), measured })));
}

function ofPolicy(...effects: readonly MeasuredEffect[]): string {
  return measuredText(effects.map((measured) => ({ ...change("policy/checkout"), measured })));
}

describe("the measured effect in words", () => {
  it.for<readonly [MeasuredEffect, string]>([
    [week, "would now block: this rule logged 214 requests of 1.2 million in 7 days"],
    [
      { ...week, before: "block", after: "pass", count: 3_412, requests: 98_765, hours: 167 },
      "would no longer block: this rule blocked 3,412 requests of 98,765 in 167 of 168 hours",
    ],
    [
      { ...week, before: "block", after: "challenge", isEstimate: true },
      "would only challenge: this rule blocked about 214 requests of 1.2 million in 7 days",
    ],
    [
      { ...week, after: "challenge", extent: "some" },
      "would now challenge some of these: this rule logged 214 requests of 1.2 million in 7 days",
    ],
    [
      { ...week, before: "challenge", extent: "more", count: 1, requests: undefined },
      "would now block these and more: this rule challenged 1 request in 7 days; all requests were not measured",
    ],
    [
      { ...week, before: "mixed", after: "pass" },
      "would no longer block or challenge: this rule blocked or challenged 214 requests of 1.2 million in 7 days",
    ],
    [
      { ...week, count: 0, hours: 1 },
      "would now block: this rule logged none of 1.2 million requests in 1 of 168 hours",
    ],
    [
      { ...week, count: 0, isEstimate: true },
      "would now block: this rule logged none of a sample of 1.2 million requests in 7 days",
    ],
    [{ ...week, count: 0, requests: 0 }, "would now block: this rule had no traffic in 7 days"],
    [{ why: "there is no store" }, "not measured: there is no store"],
  ])("is, of a rule: %j", ([effect, text], { expect }) => {
    expect(ofRule(effect)).toBe(text);
  });

  it("counts the violations of a policy", ({ expect }) => {
    expect(ofPolicy(week)).toBe(
      "would now block: this policy reported 214 violations at 1.2 million requests in 7 days",
    );
    expect(ofPolicy({ ...week, count: 0 }, { ...week, count: 1, requests: 9 })).toBe(
      "would now block: these policies reported 1 violation at 1.2 million requests in 7 days",
    );
    expect(ofPolicy({ ...week, before: "block", after: "pass", count: 0 })).toBe(
      "would no longer block: this policy blocked no violation at 1.2 million requests in 7 days",
    );
  });

  it("adds the counts of several zones, and says how many are missing", ({ expect }) => {
    const less = { ...week, count: 6, requests: 1_000_000, isEstimate: true, hours: 20 };
    expect(ofRule(week, less, { why: "there is no store" }, week, undefined)).toBe(
      "would now block: these rules logged about 434 requests of 3.5 million in 20 of 168 hours; not measured in 2 of 5 zones",
    );
    expect(ofRule({ why: "no" }, { why: "no" })).toBe("not measured: no");
    expect(ofRule({ why: "no" }, { why: "denied" })).toBe(
      "not measured, for 2 reasons: each zone by itself shows its own",
    );
  });

  it("is nothing where nobody looked", ({ expect }) => {
    expect(ofRule(undefined)).toBe("");
    expect(measuredText([])).toBe("");
  });

  it("shows no control characters of a reason", ({ expect }) => {
    expect(ofRule({ why: "EIO \u001b[31m" })).not.toContain("\u001b");
  });
});
