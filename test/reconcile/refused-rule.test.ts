import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import type { Rule } from "../../src/zone/resource.ts";
import { factsOf, type RulePhase } from "../../src/zone/rule-phase.ts";
import { appliedBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { emulated } from "../support/emulated.ts";
import { block, declared, desiredZone, owner, rateLimit, readAllAt } from "../support/model.ts";

describe("a rule that the service refuses", () => {
  it.for<{
    readonly when: string;
    readonly tier: string;
    readonly phase: RulePhase;
    readonly rules: readonly Rule[];
    readonly outcomes: readonly string[];
    readonly says: RegExp;
  }>([
    {
      when: "the plan has no such operator",
      tier: "free",
      phase: "custom_rules",
      rules: [
        block("a"),
        block("b", { expression: 'http.request.uri.path matches "^/x"' }),
        block("c"),
      ],
      outcomes: ["a done", "b API_REFUSED", "c done"],
      says: /not entitled/,
    },
    {
      when: "the phase is full",
      tier: "free",
      phase: "custom_rules",
      rules: ["a", "b", "c", "d", "e", "f", "g"].map((key) => block(key)),
      outcomes: ["a done", "b done", "c done", "d done", "e done", "f API_QUOTA", "g API_QUOTA"],
      says: /6 out of 5/,
    },
    {
      when: "a characteristic is missing",
      tier: "enterprise",
      phase: "rate_limiting_rules",
      rules: [
        block("a", { ratelimit: { ...rateLimit, characteristics: ["ip.src"] } }),
        block("b", { ratelimit: rateLimit }),
      ],
      outcomes: ["a API_REFUSED", "b done"],
      says: /missing 'cf\.colo\.id'/,
    },
  ])("holds no other rule, and is told in its words: $when", async (given, context) => {
    const { expect, signal } = context;
    await using service = await emulated({ plan: given.tier });
    const entryPoint = `/rulesets/phases/${factsOf(given.phase).wire}/entrypoint`;
    await service.send("PUT", entryPoint, { rules: [] });
    const parts = { settings: false, policies: false, rules: [given.phase], scoreRule: false };
    const live = await service.reader.readZone(service.zone, parts, "changed", signal);
    const content = desiredZone({ rules: { [given.phase]: declared(given.rules) } }).content;
    const { writes, changes, waitsFor } = plan({ zone: service.zone, content }, live, owner);
    const { reader, writer } = service;
    const readAt = readAllAt(0);
    const clock = new SimulatedClock();
    const report = await appliedBy(writes, {
      live,
      changes,
      waitsFor,
      clock,
      reader,
      writer,
      readAt,
    });
    const outcomes = report.result === "applied" ? report.outcomes : [];
    const texts = outcomes.map((each) => {
      const key = each.write.changes.join().replace(/^\w+\//, "");
      return `${key} ${each.status === "failed" ? each.failure.code : each.status}`;
    });
    expect(texts.toSorted()).toEqual(given.outcomes);
    const messages = outcomes.flatMap((each) =>
      each.status === "failed" ? each.failure.message : [],
    );
    expect(messages[0]).toMatch(given.says);
  });
});
