import * as fc from "fast-check";

import { canonicalCsp } from "../../src/syntax/csp/csp.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { marked } from "../../src/zone/mark.ts";
import { type Policy, policyActions } from "../../src/zone/resource.ts";
import { otherOwner, someKey, someWords } from "./arbitrary-names.ts";
import { stepsTo } from "./arbitrary-promotions.ts";
import { owner } from "./model.ts";
import { hostExpressions, sources } from "./protection.ts";
import type { Wire } from "./wire-model.ts";

const cspValue = fc
  .dictionary(
    fc.constantFrom("script-src", "img-src", "default-src"),
    fc.subarray(sources.slice(0, 3)),
    { minKeys: 1, noNullPrototype: true },
  )
  .map((lists) =>
    canonicalCsp(
      Object.entries(lists)
        .map(([name, list]) => [name, ...(list.length === 0 ? ["'none'"] : list)].join(" "))
        .join(";"),
    ),
  );

const terms = {
  expression: fc.constantFrom(...hostExpressions.keys()),
  enabled: fc.boolean(),
  value: cspValue,
};

/** A declared policy; only of one that is enabled there are steps. */
export const declaredPolicy: fc.Arbitrary<Policy> = fc
  .record({
    key: someKey,
    was: fc.option(someKey, { nil: undefined, freq: 4 }),
    description: someWords,
    action: fc.constantFrom(...policyActions),
    acknowledge: fc
      .uniqueArray(fc.constantFrom("a.example", "b.example"))
      .map((all) => all.toSorted()),
    ...terms,
  })
  .chain((policy) => {
    const steps = stepsTo("action", policy.enabled ? policy.action : undefined, ["log", "allow"]);
    return steps.map((promotion) => ({ ...policy, promotion }));
  });

const liveWords: fc.Arbitrary<string> = fc.oneof(
  someWords,
  fc.tuple(someWords, someKey).map(([text, name]) => marked(text, owner, name)),
  fc.tuple(someWords, someKey).map(([text, name]) => marked(text, otherOwner, name)),
);

const freeLivePolicy: fc.Arbitrary<LivePolicy> = fc.record({
  id: fc.constant(""),
  description: liveWords,
  action: fc.constantFrom(...policyActions, "block", ""),
  ...terms,
  rest: fc.constantFrom<Wire>({}, { future: [1] }),
});

/** Live policies of all sorts, among them some that were made from the declared ones. */
export function livePolicies(policies: readonly Policy[]): fc.Arbitrary<readonly LivePolicy[]> {
  const carried = policies.map((policy) =>
    fc
      .tuple(freeLivePolicy, fc.subarray(["action", "expression", "enabled", "value"]))
      .map(([free, differs]): LivePolicy => ({
        ...free,
        description: marked(policy.description, owner, policy.key),
        action: differs.includes("action") ? free.action : policy.action,
        expression: differs.includes("expression") ? free.expression : policy.expression,
        enabled: differs.includes("enabled") ? free.enabled : policy.enabled,
        value: differs.includes("value") ? free.value : policy.value,
      })),
  );
  return fc
    .array(fc.oneof(freeLivePolicy, ...carried), { maxLength: 6 })
    .map((list) => list.map((each, index) => ({ ...each, id: `p${index}` })));
}
