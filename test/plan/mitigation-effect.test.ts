import { describe, it } from "vitest";

import { effectWords } from "../../src/render/change-text.ts";
import type { RuleState } from "../../src/zone/live-zone.ts";
import type { MitigateAction, MitigateRule, RateLimit, Rule } from "../../src/zone/resource.ts";
import {
  block,
  declared,
  entrypoint,
  exception,
  liveException,
  liveRule,
  rateLimit,
  skipNothing,
} from "../support/model.ts";
import { plannedRules } from "../support/planned.ts";
import { effectBetween, type RuleEffect, testRule } from "../support/test-rules.ts";

const admin = 'http.request.uri.path eq "/admin"';
function mitigate(name: MitigateAction, more: Partial<RuleState> = {}): RuleState {
  const action = { type: "mitigate", name, response: undefined } as const;
  return testRule(action, { expression: admin, ...more });
}

function limited(more: Partial<RateLimit> = {}): RuleState {
  return mitigate("block", { ratelimit: { ...rateLimit, ...more } });
}

describe("the effect of a rule that acts against requests", () => {
  it.for<RuleEffect>([
    {
      when: "a block comes",
      after: mitigate("block"),
      yields: "▲ strengthens, may break",
      reason: ["blocks requests"],
    },
    {
      when: "a challenge goes",
      before: mitigate("js_challenge"),
      yields: "▼ weakens",
      reason: ["no longer challenges requests"],
    },
    {
      when: "a limit comes",
      after: limited(),
      yields: "▲ strengthens, may break",
      reason: ["blocks requests over a rate"],
    },
    { when: "a log comes", after: mitigate("log"), yields: "· neutral", reason: [] },
    {
      when: "a block is switched off",
      before: mitigate("block"),
      after: mitigate("block", { enabled: false }),
      yields: "▼ weakens",
      reason: ["no longer blocks requests"],
    },
    {
      when: "a block selects more",
      before: mitigate("block"),
      after: mitigate("block", { expression: "true" }),
      yields: "▲ strengthens, may break",
      reason: ["applies to more requests"],
    },
    {
      when: "a challenge selects fewer",
      before: mitigate("challenge", { expression: "true" }),
      after: mitigate("challenge"),
      yields: "▼ weakens",
      reason: ["applies to fewer requests"],
    },
    {
      when: "a log selects more",
      before: mitigate("log"),
      after: mitigate("log", { expression: "true" }),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "a block becomes a log that selects more",
      before: mitigate("block"),
      after: mitigate("log", { expression: "true" }),
      yields: "▼ weakens",
      reason: ["the action block → log"],
    },
    {
      when: "a log becomes a challenge that selects fewer",
      before: mitigate("log", { expression: "true" }),
      after: mitigate("managed_challenge"),
      yields: "▲ strengthens, may break",
      reason: ["the action log → managed_challenge"],
    },
    {
      when: "one challenge becomes the other",
      before: mitigate("challenge"),
      after: mitigate("js_challenge"),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "only the response is another",
      before: mitigate("block"),
      after: mitigate("block", {
        action: {
          type: "mitigate",
          name: "block",
          response: { status_code: 418, content_type: "text/plain", content: "no" },
        },
      }),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "a limit allows more",
      before: limited(),
      after: limited({ requests_per_period: 50 }),
      yields: "▼ weakens",
      reason: ["requests_per_period 5 → 50"],
    },
    {
      when: "a limit allows fewer",
      before: limited(),
      after: limited({ requests_per_period: 4 }),
      yields: "▲ strengthens, may break",
      reason: ["requests_per_period 5 → 4"],
    },
    {
      when: "a limit acts for a shorter time",
      before: limited(),
      after: limited({ mitigation_timeout: 0 }),
      yields: "▼ weakens",
      reason: ["mitigation_timeout 600 → 0"],
    },
    {
      when: "a limit has a shorter period",
      before: limited(),
      after: limited({ period: 10 }),
      yields: "◆ may break",
      reason: ["period 60 → 10"],
    },
    {
      when: "a limit counts by something else",
      before: limited(),
      after: limited({ characteristics: ["cf.colo.id"] }),
      yields: "◆ may break",
      reason: ["counts by other characteristics"],
    },
    {
      when: "a limit counts only what reaches the origin",
      before: limited(),
      after: limited({ requests_to_origin: true }),
      yields: "▼ weakens",
      reason: ["counts only requests to the origin"],
    },
    {
      when: "a limit counts all that its rule does not select too",
      before: limited(),
      after: limited({ counting_expression: "true" }),
      yields: "▲ strengthens, may break",
      reason: ["counts more requests"],
    },
    {
      when: "a limit counts what its rule selects, said in two ways",
      before: limited(),
      after: limited({ counting_expression: admin }),
      yields: "· neutral",
      reason: [],
    },
    {
      when: "a limit counts other requests",
      before: limited(),
      after: limited({ counting_expression: "ssl" }),
      yields: "◆ may break",
      reason: ["counts other requests"],
    },
    {
      when: "a limit adds up scores instead of requests",
      before: limited(),
      after: limited({
        requests_per_period: undefined,
        score_per_period: 100,
        score_response_header_name: "x-score",
      }),
      yields: "◆ may break",
      reason: [
        "requests_per_period 5 → –",
        "score_per_period – → 100",
        "takes the score from another header",
      ],
    },
    {
      when: "a limit allows more for a longer time",
      before: limited(),
      after: limited({ requests_per_period: 6, mitigation_timeout: 3_600 }),
      yields: "◆ may break",
      reason: ["requests_per_period 5 → 6", "mitigation_timeout 600 → 3600"],
    },
  ])("when $when", ({ before, after, yields, reason }, { expect }) => {
    expect(effectBetween(before, after)).toEqual({ yields, reason });
  });
});

function mitigating(
  key: string,
  action: MitigateAction,
  more: Partial<MitigateRule> = {},
): MitigateRule {
  return block(key, { action, expression: admin, ...more });
}

/** Changes of a list of rules, of which those with these keys are live in this order. */
function effects(rules: readonly Rule[], keys: string): readonly string[] {
  const live = Array.from(keys, (key) => {
    const found = rules.find((each) => each.key === key);
    if (found === undefined) throw new Error(key);
    const { description, expression } = found;
    const ref = `zonewarden:${key}`;
    if (found.action === "skip") {
      const parameters = found.skip.ruleset ? { ruleset: "current" } : { products: ["bic"] };
      const wire = { action_parameters: parameters, expression, description };
      return liveException(key, key, { ref, ...wire });
    }
    return liveRule(key, { ref, description, expression, action: found.action });
  });
  const { changes } = plannedRules(declared(rules), entrypoint(...live), {
    phase: "custom_rules",
  });
  return changes.map(
    ({ key, effect }) => `${key} ${effectWords(effect)}: ${effect.reasons.join("; ")}`,
  );
}

describe("the effect of the order of rules", () => {
  const all = { expression: "true" };
  const elsewhere = { expression: 'http.request.uri.path eq "/shop"' };
  const office = { expression: "ip.src eq 192.0.2.1" };
  const spare = exception("s", { skip: { ...skipNothing, ruleset: true } });
  const product = exception("s", { skip: { ...skipNothing, products: ["bic"] } });

  it.for([
    {
      when: "a block moves behind a challenge that covers it",
      rules: [mitigating("c", "challenge", all), mitigating("b", "block")],
      live: "bc",
      yields: ["custom_rule/b ▼ weakens: zonewarden:c decides before it about requests of both"],
    },
    {
      when: "a block moves before a challenge that covers it",
      rules: [mitigating("b", "block"), mitigating("c", "challenge", all)],
      live: "cb",
      yields: [
        "custom_rule/c ▲ strengthens, may break: zonewarden:b decides before it about requests of both",
      ],
    },
    {
      when: "a block moves behind another one",
      rules: [mitigating("c", "block", all), mitigating("b", "block")],
      live: "bc",
      yields: ["custom_rule/b · neutral: "],
    },
    {
      when: "no request is selected by both",
      rules: [mitigating("c", "challenge", elsewhere), mitigating("b", "block")],
      live: "bc",
      yields: ["custom_rule/b · neutral: "],
    },
    {
      when: "it cannot be told whether both select a request",
      rules: [mitigating("c", "challenge", office), mitigating("b", "block")],
      live: "bc",
      yields: ["custom_rule/b ◆ unclear: zonewarden:c decides before it about requests of both"],
    },
    {
      when: "a block moves behind a log",
      rules: [mitigating("c", "log", all), mitigating("b", "block")],
      live: "bc",
      yields: ["custom_rule/b · neutral: "],
    },
    {
      when: "a block moves behind an exception from the rest of the list",
      rules: [spare, mitigating("b", "block", { expression: "true" })],
      live: "bs",
      yields: ["custom_rule/b ▼ weakens: zonewarden:s spares requests from it"],
    },
    {
      when: "a block moves behind an exception from a product",
      rules: [product, mitigating("b", "block", { expression: "true" })],
      live: "bs",
      yields: ["custom_rule/b · neutral: "],
    },
    {
      when: "a challenge comes before a block that it covers",
      rules: [mitigating("c", "challenge", all), mitigating("b", "block")],
      live: "b",
      yields: [
        "custom_rule/c ◆ may break: challenges requests; decides before zonewarden:b about requests of both",
      ],
    },
    {
      when: "a challenge comes before ten blocks that select nothing it does",
      rules: [
        mitigating("c", "challenge", elsewhere),
        ...Array.from("0123456789", (key) => mitigating(key, "block")),
      ],
      live: "0123456789",
      yields: ["custom_rule/c ◆ may break: challenges requests; may decide before 2 more rules"],
    },
    {
      when: "a challenge comes behind a block",
      rules: [mitigating("b", "block"), mitigating("c", "challenge", all)],
      live: "b",
      yields: ["custom_rule/c ▲ strengthens, may break: challenges requests"],
    },
    {
      when: "a block comes before a challenge",
      rules: [mitigating("b", "block"), mitigating("c", "challenge", all)],
      live: "c",
      yields: ["custom_rule/b ▲ strengthens, may break: blocks requests"],
    },
  ])("when $when", ({ rules, live, yields }, { expect }) => {
    expect(effects(rules, live)).toEqual(yields);
  });
});
