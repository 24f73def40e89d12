import { describe, it } from "vitest";

import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { carriedOut, declared, policy } from "../support/model.ts";
import { hostA, hostB, hostC, on, plannedPolicies, policySteps } from "../support/planned.ts";

describe("the order of policies that zonewarden does not fully know", () => {
  it.for<{
    readonly when: string;
    readonly given: readonly Policy[];
    readonly live: readonly LivePolicy[];
    readonly yields: readonly string[];
  }>([
    {
      when: "two swap their hosts beside one of an unknown action that goes",
      given: [policy("m", on(hostA)), policy("z", on(hostB))],
      live: [
        carriedOut("p1", policy("a", on(hostA)), { action: "teleport" }),
        carriedOut("p2", policy("m", on(hostB))),
        carriedOut("p3", policy("z", on(hostA))),
      ],
      yields: ["~ policy/m (expression)", "~ policy/z (expression)", "- policy/a", "unsafe_order"],
    },
    {
      when: "one gives up a directive that zonewarden does not know",
      given: [
        policy("a", on(hostC, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "future-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostC, { value: "script-src 'self'" }))),
      ],
      yields: ["~ policy/a (expression, value)", "~ policy/z (expression)"],
    },
    {
      when: "one whose action is unknown, and may do nothing, blocks from now on what another gives up",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [
        carriedOut("p1", policy("a", on(hostA))),
        carriedOut("p2", policy("z", on(hostA)), { action: "teleport" }),
      ],
      yields: ["~ policy/z (action)", "~ policy/a (expression)"],
    },
    {
      when: "one whose action is unknown, and may block, only reports where another begins to block",
      given: [policy("a", { expression: hostA }), policy("z", on(hostA))],
      live: [
        carriedOut("p1", policy("a", on(hostA)), { action: "teleport" }),
        carriedOut("p2", policy("z", on(hostC))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (action)"],
    },
    {
      when: "one whose action is unknown is switched off, and takes nothing over",
      given: [policy("a", on(hostC)), policy("z", on(hostA, { enabled: false }))],
      live: [
        carriedOut("p1", policy("a", on(hostA))),
        carriedOut("p2", policy("z", on(hostB)), { action: "teleport" }),
      ],
      yields: ["~ policy/a (expression)", "~ policy/z (action, expression, enabled)"],
    },
  ])("when $when", ({ given, live, yields }, { expect }) => {
    expect(policySteps(given, live)).toEqual(yields);
  });
});

describe("the order of two deletes", () => {
  it("is the same in any order of the list, also where both have one key", ({ expect }) => {
    const marked = carriedOut("x", policy("p1"));
    const twins = ["p0", "p1"].map((id) => carriedOut(id, policy("twin")));
    const { writes } = plannedPolicies(declared([]), [marked, ...twins]);
    expect(writes).toMatchObject([{ id: "p1" }, { id: "x" }, { id: "p0" }]);
    expect(plannedPolicies(declared([]), [...twins, marked]).writes).toEqual(writes);
  });
});
