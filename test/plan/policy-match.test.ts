import { describe, it } from "vitest";

import { summaryOf } from "../../src/plan/change.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { carriedOut, declared, livePolicy, policy } from "../support/model.ts";
import { cart, checkout, plannedPolicies, type Situation } from "../support/planned.ts";

const situations: readonly Situation<Policy, readonly LivePolicy[]>[] = [
  { when: "nothing is declared and nothing is live", given: declared([]), live: [], yields: [] },
  {
    when: "both sides agree",
    given: declared([checkout]),
    live: [carriedOut("p1", checkout)],
    yields: [],
  },
  {
    when: "a policy is not live",
    given: declared([checkout, cart]),
    live: [carriedOut("p1", checkout)],
    yields: ["+ policy/cart"],
  },
  {
    when: "facts differ",
    given: declared([checkout]),
    live: [carriedOut("p1", checkout, { action: "allow", enabled: false })],
    yields: ["~ policy/checkout (action, enabled)"],
  },
  {
    when: "somebody rewrote the words in front of the mark",
    given: declared([checkout]),
    live: [carriedOut("p1", checkout, { description: "Ha! [zonewarden:checkout]" })],
    yields: ["~ policy/checkout (description)"],
  },
  {
    when: "a policy of ours is no longer declared",
    given: declared([]),
    live: [carriedOut("p1", checkout)],
    yields: ["- policy/checkout"],
  },
  {
    when: "a live policy without a mark has the declared description",
    given: declared([checkout]),
    live: [livePolicy("p1", { description: checkout.description, action: "allow" })],
    yields: ["~ policy/checkout (action)"],
  },
  {
    when: "an adopted policy is as declared",
    given: declared([checkout]),
    live: [livePolicy("p1", { description: checkout.description })],
    yields: [],
  },
  {
    when: "a declared policy has no words to be adopted by",
    given: declared([policy("checkout", { description: "" })]),
    live: [livePolicy("p1", { description: "" })],
    yields: ["+ policy/checkout"],
    leaves: ["p1"],
  },
  {
    when: "several live policies have the declared description, and one is as declared",
    given: declared([checkout]),
    live: [
      livePolicy("p1", { description: checkout.description, enabled: false }),
      livePolicy("p2", { description: checkout.description }),
    ],
    yields: [],
    leaves: ["p1"],
  },
  {
    when: "two declared policies share their words with two live ones",
    given: declared([
      policy("a", { description: "Twin", action: "log" }),
      policy("b", { description: "Twin", action: "allow" }),
    ]),
    live: [
      livePolicy("p1", { description: "Twin", action: "allow" }),
      livePolicy("p2", { description: "Twin", action: "log" }),
    ],
    yields: [],
  },
  {
    when: "the declared description carries the mark of another owner",
    given: declared([policy("checkout", { description: "Scripts [team-b:x]" })]),
    live: [livePolicy("p1", { description: "Scripts [team-b:x]" })],
    yields: ["+ policy/checkout"],
    leaves: ["p1"],
  },
  {
    when: "two live policies bear one mark and the second is as declared",
    given: declared([checkout]),
    live: [carriedOut("p1", checkout, { enabled: false }), carriedOut("p2", checkout)],
    yields: ["- policy/p1"],
  },
  {
    when: "two live policies bear one mark and neither is as declared",
    given: declared([checkout]),
    live: [
      carriedOut("p1", checkout, { enabled: false }),
      carriedOut("p2", checkout, { action: "allow" }),
    ],
    yields: ["~ policy/checkout (enabled)", "- policy/p2"],
  },
  {
    when: "two live policies bear one mark that is no longer declared",
    given: declared([]),
    live: [carriedOut("p1", checkout), carriedOut("p2", checkout)],
    yields: ["- policy/checkout", "- policy/p2"],
  },
  {
    when: "a policy was renamed",
    given: declared([policy("new", { was: "checkout", description: checkout.description })]),
    live: [carriedOut("p1", checkout)],
    yields: ["~ policy/new (key)"],
  },
  {
    when: "a policy was renamed and is already live under its new key",
    given: declared([policy("new", { was: "checkout" })]),
    live: [carriedOut("p1", checkout), carriedOut("p2", policy("new"))],
    yields: ["- policy/checkout"],
  },
  {
    when: "the former key is declared again",
    given: declared([policy("new", { was: "checkout" }), checkout]),
    live: [carriedOut("p1", checkout)],
    yields: ["+ policy/new"],
  },
  {
    when: "the former key is declared again, and two live policies bear its mark",
    given: declared([policy("new", { was: "checkout" }), checkout]),
    live: [carriedOut("p1", checkout), carriedOut("p2", checkout)],
    yields: ["+ policy/new", "- policy/p2"],
  },
  {
    when: "two policies say that they were the same one",
    given: declared([policy("a", { was: "checkout" }), policy("b", { was: "checkout" })]),
    live: [carriedOut("p1", checkout)],
    yields: ["+ policy/b", "~ policy/a (key, description)"],
  },
  {
    when: "live policies are not declared",
    given: declared([checkout]),
    live: [carriedOut("p1", checkout), livePolicy("p2")],
    yields: [],
    leaves: ["p2"],
  },
  {
    when: "live policies are not declared, and the zone does not want to hear of them",
    given: declared([checkout], "ignore"),
    live: [carriedOut("p1", checkout), livePolicy("p2")],
    yields: [],
  },
  {
    when: "live policies are not declared, and the zone says that they go",
    given: declared([checkout], "delete"),
    live: [carriedOut("p1", checkout), livePolicy("p2")],
    yields: ["- policy/p2"],
  },
  {
    when: "another owner's policy is live in a zone that wants everything else gone",
    given: declared([], "delete"),
    live: [livePolicy("p1", { description: "Theirs [team-b:checkout]" })],
    yields: [],
    leaves: ["p1"],
  },
  {
    when: "another owner has the same key",
    given: declared([checkout]),
    live: [livePolicy("p1", { description: "Scripts of checkout [team-b:checkout]" })],
    yields: ["+ policy/checkout"],
    leaves: ["p1"],
  },
  {
    when: "another owner's name begins with ours",
    given: declared([]),
    live: [livePolicy("p1", { description: "[zonewarden-b:checkout]" })],
    yields: [],
    leaves: ["p1"],
  },
  {
    when: "a description only resembles a mark",
    given: declared([]),
    live: [
      livePolicy("p1", { description: "[zonewarden:checkout] and more" }),
      livePolicy("p2", { description: "[zonewarden:]" }),
      livePolicy("p3", { description: "[Zonewarden:checkout]" }),
    ],
    yields: [],
    leaves: ["p1", "p2", "p3"],
  },
  {
    when: "a live policy is half empty",
    given: declared([checkout]),
    live: [
      livePolicy("p1", { description: "", action: "", expression: "", value: "" }),
      carriedOut("p2", checkout, { action: "", expression: "", value: "" }),
    ],
    yields: ["~ policy/checkout (action, expression, value)"],
    leaves: ["p1"],
  },
];

describe("knowing live policies again", () => {
  it.for(situations)("when $when", ({ given, live, yields, leaves = [] }, { expect }) => {
    const { changes, unmanaged } = plannedPolicies(given, live);
    expect(changes.map(summaryOf)).toEqual(yields);
    expect(unmanaged.map(({ id }) => id)).toEqual(leaves);
  });
});
