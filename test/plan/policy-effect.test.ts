import { describe, it } from "vitest";

import { effectOfPolicy } from "../../src/plan/policies/policy-effect.ts";
import { effectWords } from "../../src/render/change-text.ts";
import type { PolicyBehavior } from "../../src/zone/resource.ts";

function terms(more: Partial<PolicyBehavior> = {}): PolicyBehavior {
  return {
    action: "log",
    expression: 'http.host eq "a.example"',
    enabled: true,
    value: "script-src 'self'",
    ...more,
  };
}

const two = 'http.host in {"a.example" "b.example"}';
const wide = "script-src 'self' cdn.example";

describe("the effect of a policy", () => {
  it.for<{
    readonly when: string;
    readonly before?: Partial<PolicyBehavior>;
    readonly after?: Partial<PolicyBehavior>;
    readonly yields: string;
    readonly reason: readonly string[];
  }>([
    {
      when: "one that blocks comes",
      after: { action: "allow" },
      yields: "▲ strengthens, may break",
      reason: ["blocks what it does not allow"],
    },
    {
      when: "one that reports comes",
      after: {},
      yields: "▲ strengthens",
      reason: ["reports violations"],
    },
    { when: "a disabled one comes", after: { enabled: false }, yields: "· neutral", reason: [] },
    {
      when: "one that only adds a header comes",
      after: { action: "add_reporting_directives" },
      yields: "· neutral",
      reason: [],
    },
    {
      when: "one that blocks goes",
      before: { action: "allow" },
      yields: "▼ weakens",
      reason: ["no longer blocks what it does not allow"],
    },
    { when: "a disabled one goes", before: { enabled: false }, yields: "· neutral", reason: [] },
    {
      when: "log becomes allow",
      before: {},
      after: { action: "allow" },
      yields: "▲ strengthens, may break",
      reason: ["blocks what it does not allow"],
    },
    {
      when: "allow becomes log",
      before: { action: "allow" },
      after: {},
      yields: "▼ weakens",
      reason: ["no longer blocks what it does not allow, only reports violations"],
    },
    {
      when: "it is switched off",
      before: {},
      after: { enabled: false, value: wide },
      yields: "▼ weakens",
      reason: ["no longer reports violations"],
    },
    {
      when: "it is switched on",
      before: { enabled: false },
      after: {},
      yields: "▲ strengthens",
      reason: ["reports violations"],
    },
    {
      when: "it is switched on with another value for other requests",
      before: { enabled: false, value: wide, expression: two },
      after: {},
      yields: "▲ strengthens",
      reason: ["reports violations"],
    },
    {
      when: "a blocking one allows more",
      before: { action: "allow" },
      after: { action: "allow", value: wide },
      yields: "▼ weakens",
      reason: ["allows more sources"],
    },
    {
      when: "a blocking one allows less",
      before: { action: "allow", value: wide },
      after: { action: "allow" },
      yields: "▲ strengthens, may break",
      reason: ["allows fewer sources"],
    },
    {
      when: "a reporting one allows less",
      before: { value: wide },
      after: {},
      yields: "▲ strengthens",
      reason: ["allows fewer sources"],
    },
    {
      when: "a blocking one allows other sources",
      before: { action: "allow", value: "script-src a.example" },
      after: { action: "allow", value: "script-src b.example" },
      yields: "◆ may break",
      reason: ["allows some sources more and some less"],
    },
    {
      when: "a reporting one allows other sources",
      before: { value: "script-src a.example" },
      after: { value: "script-src b.example" },
      yields: "◆ unclear",
      reason: ["allows some sources more and some less"],
    },
    {
      when: "it applies to more hosts",
      before: { action: "allow" },
      after: { action: "allow", expression: two },
      yields: "▲ strengthens, may break",
      reason: ["applies to more requests"],
    },
    {
      when: "it applies to fewer hosts",
      before: { expression: two },
      after: {},
      yields: "▼ weakens",
      reason: ["applies to fewer requests"],
    },
    {
      when: "it applies to another host",
      before: { action: "allow" },
      after: { action: "allow", expression: 'http.host eq "b.example"' },
      yields: "◆ may break",
      reason: ["applies to other requests"],
    },
    {
      when: "it blocks now, and allows more",
      before: {},
      after: { action: "allow", value: wide },
      yields: "◆ may break",
      reason: ["blocks what it does not allow", "allows more sources"],
    },
    {
      when: "its action is unknown",
      before: { action: "teleport" },
      after: {},
      yields: "◆ may break",
      reason: ["the action is unknown"],
    },
    {
      when: "its action becomes an unknown one",
      before: {},
      after: { action: "teleport" },
      yields: "◆ may break",
      reason: ["the action is unknown"],
    },
    { when: "nothing of it differs", before: {}, after: {}, yields: "· neutral", reason: [] },
  ])("when $when", ({ before, after, yields, reason }, { expect }) => {
    const effect = effectOfPolicy(before && terms(before), after && terms(after));
    expect(effectWords(effect)).toBe(yields);
    expect(effect.reasons).toEqual(reason);
  });
});
