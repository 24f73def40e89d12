import { describe, it } from "vitest";

import { CountedObjects } from "../../src/measure/counted-objects.ts";
import { CountedZone } from "../../src/measure/counted-zone.ts";
import type { ResourceKey } from "../../src/zone/resource.ts";
import { countingZone } from "../support/counting-service.ts";
import { block, customRuleset, declared, desiredZone, policy } from "../support/model.ts";

const { zone } = countingZone("shop.example", 1, {});

const { content } = desiredZone({
  policies: declared([policy("checkout"), policy("idle", { enabled: false })]),
  rules: { custom_rules: declared([block("logins"), block("off", { enabled: false })]) },
  customRulesets: declared([
    customRuleset("payments", { rules: [block("block"), block("spare", { enabled: false })] }),
    customRuleset("old", { enabled: false, rules: [block("block")] }),
  ]),
});

const live: readonly ResourceKey[] = [
  "policy/checkout",
  "policy/idle",
  "custom_rule/logins",
  "custom_rule/off",
  "custom_ruleset/payments",
  "custom_rule/payments/block",
  "custom_rule/payments/spare",
  "custom_ruleset/old",
  "custom_rule/old/block",
  "setting/enabled",
];

function note(counted: CountedZone, keys: readonly ResourceKey[]): void {
  const ids = new Map(keys.map((key, nth) => [`${nth}`.padStart(32, "0"), key]));
  counted.objects ??= new CountedObjects();
  counted.objects.note(ids, content, 1_000);
}

describe("the objects of a zone whose shares are judged", () => {
  it("are those that are live and enabled", ({ expect }) => {
    const counted = new CountedZone({ zone, content });
    expect(counted.enabledKeys).toEqual([]);
    note(counted, live);
    expect(counted.enabledKeys).toEqual([
      "policy/checkout",
      "custom_rule/logins",
      "custom_ruleset/payments",
      "custom_rule/payments/block",
    ]);
    note(counted, ["custom_rule/logins"]);
    expect(counted.enabledKeys).toEqual(["custom_rule/logins"]);
  });
});
