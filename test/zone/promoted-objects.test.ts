import { describe, expect, it } from "vitest";

import { noContent, type ZoneContent } from "../../src/zone/desired-zone.ts";
import { atSteps, promotedObjects, withStepValues } from "../../src/zone/promoted-objects.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import {
  block,
  customRuleset,
  declared,
  deployment,
  exception,
  policy,
  promotion,
  untuned,
} from "../support/model.ts";

const levels = promotion({ field: "paranoia_level", steps: [1, 2, 3] });
const scores = promotion({ field: "score_threshold", steps: [60, 40] });

const content: ZoneContent = {
  ...noContent,
  policies: declared([
    policy("cart", { action: "allow" }),
    policy("checkout", { action: "allow", promotion: promotion({ steps: ["log", "allow"] }) }),
  ]),
  rules: {
    custom_rules: declared([block("admin", { promotion: promotion() }), exception("health")]),
    managed_rules: declared([
      deployment("owasp", { tuning: { ...untuned, paranoiaLevel: 3 }, promotion: levels }),
    ]),
  },
  customRulesets: declared([
    customRuleset("payments", {
      rules: [block("amounts"), block("bots", { promotion: promotion() })],
    }),
    customRuleset("shop", { rules: [block("bots"), exception("health")] }),
  ]),
};

const promoted: readonly ResourceKey[] = [
  "policy/checkout",
  "custom_rule/payments/bots",
  "custom_rule/admin",
  "managed_rule/owasp",
];

function stepsIn(of: ZoneContent): ReadonlyMap<ResourceKey, number | undefined> {
  return new Map([...promotedObjects(of)].map(([key, object]) => [key, object.promotion.at]));
}

describe("promotedObjects", () => {
  it("gives the policies and rules with steps, also those of custom rulesets", () => {
    const found = promotedObjects(content);
    expect([...found.keys()].toSorted()).toEqual(promoted.toSorted());
    expect(found.get("custom_rule/payments/bots")).toBe(content.customRulesets?.items[0]?.rules[1]);
  });

  it("gives none of content without steps", () => {
    expect(promotedObjects(noContent).size).toBe(0);
  });
});

describe("atSteps", () => {
  it("sets the steps of the objects that have some, and leaves the rest as it is", () => {
    const steps = new Map<ResourceKey, number>([
      ["policy/checkout", 1],
      ["custom_rule/payments/bots", 2],
      ["managed_rule/owasp", 0],
    ]);
    const stepped = atSteps(content, steps);
    expect(stepsIn(stepped)).toEqual(new Map([...steps, ["custom_rule/admin", undefined]]));
    expect(stepped.policies?.items[0]).toBe(content.policies?.items[0]);
    expect(stepped.customRulesets?.items[1]).toBe(content.customRulesets?.items[1]);
    expect(stepped.rules.custom_rules).toBe(content.rules.custom_rules);
    expect(stepped.policies?.items[1]?.action).toBe("allow");
  });

  it.each<{ when: string; steps: readonly (readonly [ResourceKey, number])[] }>([
    { when: "no step is known", steps: [] },
    { when: "only objects without steps have one", steps: [["policy/cart", 1]] },
    { when: "only others have one", steps: [["policy/gone", 1]] },
    { when: "a number is no step of its object", steps: [["policy/checkout", 2]] },
    { when: "a number is below the first step", steps: [["custom_rule/admin", -1]] },
    { when: "a number is between two steps", steps: [["custom_rule/admin", 0.5]] },
    { when: "a number is none", steps: [["custom_rule/admin", NaN]] },
  ])("gives the same content where $when", ({ steps }) => {
    expect(atSteps(content, new Map(steps))).toBe(content);
  });

  it("gives the same content where the steps are set already", () => {
    const steps = new Map<ResourceKey, number>([["custom_rule/admin", 1]]);
    const stepped = atSteps(content, steps);
    expect(stepped).not.toBe(content);
    expect(atSteps(stepped, new Map(steps))).toBe(stepped);
  });
});

describe("withStepValues", () => {
  it.each([
    { promoted: scores, at: 0, gives: { scoreThreshold: 60, paranoiaLevel: 2 } },
    { promoted: scores, at: 1, gives: { scoreThreshold: 40, paranoiaLevel: 2 } },
    { promoted: levels, at: 0, gives: { scoreThreshold: 40, paranoiaLevel: 1 } },
    { promoted: promotion(), at: 1, gives: { action: "managed_challenge" } },
  ])("gives a deployment the $promoted.field of step $at", ({ promoted: of, at, gives }) => {
    const tuning = { paranoiaLevel: 2, scoreThreshold: 40, action: "block" } as const;
    const rules = { managed_rules: declared([deployment("owasp", { tuning, promotion: of })]) };
    const steps = new Map<ResourceKey, { planned: number }>([
      ["managed_rule/owasp", { planned: at }],
    ]);
    const [rule] = withStepValues({ ...noContent, rules }, steps).rules.managed_rules?.items ?? [];
    expect(rule).toMatchObject({ tuning: { ...tuning, ...gives }, promotion: { at } });
  });

  it("leaves objects as they are declared that have no steps or no known one", () => {
    const steps = new Map<ResourceKey, { planned: number }>([
      ["policy/cart", { planned: 0 }],
      ["policy/gone", { planned: 0 }],
    ]);
    expect(withStepValues(content, steps)).toBe(content);
  });
});
