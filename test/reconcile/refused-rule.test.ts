import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { Rule } from "../../src/zone/resource.ts";
import { factsOfPhase, type RulePhase } from "../../src/zone/rule-phase.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import type { Write } from "../../src/zone/write.ts";
import { appliedBy, outcomesBy } from "../support/applied-writes.ts";
import { SimulatedClock } from "../support/clock.ts";
import { emulated } from "../support/emulated.ts";
import { block, declared, desiredZone, owner, rateLimit, readAllAt } from "../support/model.ts";

describe("a rule that the service refuses", () => {
  it.for<{
    readonly when: string;
    readonly tier: string;
    readonly phase: RulePhase;
    /** Whether the phase has no entry point yet. */
    readonly isAbsent?: boolean;
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
    {
      when: "the phase has no entry point, and one of three rules has a wrong operator",
      tier: "free",
      phase: "custom_rules",
      isAbsent: true,
      rules: [
        block("a"),
        block("b", { expression: 'http.request.uri.path matches "^/x"' }),
        block("c"),
      ],
      outcomes: ["a b c done", "a done", "b API_REFUSED", "c done"],
      says: /not entitled/,
    },
    {
      when: "the phase has no entry point, and no room for all rules",
      tier: "free",
      phase: "custom_rules",
      isAbsent: true,
      rules: ["a", "b", "c", "d", "e", "f"].map((key) => block(key)),
      outcomes: [
        "a b c d e f done",
        "a done",
        "b done",
        "c done",
        "d done",
        "e done",
        "f API_QUOTA",
      ],
      says: /6 out of 5/,
    },
    {
      when: "the phase has no entry point, and is to have one rule",
      tier: "free",
      phase: "custom_rules",
      isAbsent: true,
      rules: [block("b", { expression: 'http.request.uri.path matches "^/x"' })],
      outcomes: ["b API_REFUSED"],
      says: /not entitled/,
    },
  ])("holds no other rule, and is told in its words: $when", async (given, context) => {
    const { expect, signal } = context;
    await using service = await emulated({ plan: given.tier });
    const entryPoint = `/rulesets/phases/${factsOfPhase(given.phase).wire}/entrypoint`;
    if (given.isAbsent !== true) await service.send("PUT", entryPoint, { rules: [] });
    const parts = { settings: false, policies: false, rules: [given.phase], scoreRule: false };
    const live = await service.reader.readZone(service.zone, parts, "changed", signal);
    const content = desiredZone({ rules: { [given.phase]: declared(given.rules) } }).content;
    const remainingIn = (now: LiveZone) => plan({ zone: service.zone, content }, now, owner);
    const { writes, changes, waitsFor } = remainingIn(live);
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
      remainingIn,
    });
    const outcomes = report.result === "applied" ? report.outcomes : [];
    const texts = outcomes.map((each) => {
      const keys = each.write.changes.map((key) => key.replace(/^\w+\//, "")).join(" ");
      return `${keys} ${each.status === "failed" ? each.failure.code : each.status}`;
    });
    expect(texts.toSorted()).toEqual(given.outcomes);
    const messages = outcomes.flatMap((each) =>
      each.status === "failed" ? each.failure.message : [],
    );
    expect(messages[0]).toMatch(given.says);
  });
});

describe("an entry point with several rules", () => {
  const phase = "custom_rules";
  const place = { after: "", behind: [], before: "" };
  const rules = ["a", "b", "c"].map((key) => ({ ref: key }));
  const keys = rules.map(({ ref }) => `custom_rule/${ref}` as const);
  const policy: Write = { call: "create-policy", body: {}, changes: ["policy/p"] };
  const whole: Write = { call: "create-entrypoint", phase, rules, changes: keys };
  const single = rules.map((body, nth): Write => {
    const changes = keys.slice(nth, nth + 1);
    return { call: "create-rule", phase, ruleset: "rs", body, position: place, changes };
  });

  /** The outcomes of a policy that is refused and an entry point that fails, and all that was sent. */
  async function sentAfter(failure: ServiceError, isEmptyRefused: boolean) {
    const sent: string[] = [];
    const send = (write: Write): Promise<void> => {
      const count = "rules" in write ? write.rules.length : 1;
      sent.push(`${write.call} ${count}`);
      if (write === policy) throw new ServiceError("API_REFUSED", "no");
      if (write === whole || (count === 0 && isEmptyRefused)) throw failure;
      return Promise.resolve();
    };
    const waitsFor = new Map<Write, readonly Write[]>(
      [policy, whole, ...single].map((each) => [each, []]),
    );
    const remainingIn = () => ({ changes: [], writes: [policy, ...single], waitsFor });
    const outcomes = await outcomesBy([policy, whole], send, { waitsFor, remainingIn });
    return { outcomes, sent };
  }

  it("follows without rules, and these one by one, whatever was refused before", async ({
    expect,
  }) => {
    expect(await sentAfter(new ServiceError("API_REFUSED", "no"), false)).toEqual({
      outcomes: ["failed", "done", "done", "done", "done"],
      sent: [
        "create-policy 1",
        "create-entrypoint 3",
        "create-entrypoint 0",
        ...rules.map(() => "create-rule 1"),
      ],
    });
  });

  it.for([
    {
      when: "it is refused without rules as well",
      failure: new ServiceError("API_QUOTA", "no"),
      count: 3,
    },
    {
      when: "somebody else created it",
      failure: new ServiceError("API_CONFLICT", "no", { transient: true }),
      count: 2,
    },
    {
      when: "its answer is lost",
      failure: new ServiceError("API_UNKNOWN_OUTCOME", "no", { transient: true }),
      count: 2,
    },
    {
      when: "the token may not write it",
      failure: new ServiceError("API_FORBIDDEN", "no"),
      count: 2,
    },
  ])("is left to the next run where $when", async ({ failure, count }, { expect }) => {
    const { outcomes, sent } = await sentAfter(failure, true);
    expect(outcomes).toHaveLength(2);
    expect(sent).toHaveLength(count);
  });
});
