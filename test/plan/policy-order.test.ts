import { describe, it } from "vitest";

import { type PolicyWrite, orderPolicyWrites } from "../../src/plan/policies/policy-order.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import { carriedOut, declared, policy } from "../support/model.ts";
import {
  hostA,
  hostAOrC,
  hostB,
  hostC,
  on,
  plannedPolicies,
  policySteps,
} from "../support/planned.ts";

describe("the order of policies", () => {
  it.for<{
    readonly when: string;
    readonly given: readonly Policy[];
    readonly live: readonly LivePolicy[];
    readonly yields: readonly string[];
  }>([
    {
      when: "one moves to the host that another leaves",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostC)))],
      yields: ["~ policy/z (expression)", "~ policy/a (expression)"],
    },
    {
      when: "two swap their hosts",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [carriedOut("p1", policy("a", on(hostA))), carriedOut("p2", policy("z", on(hostB)))],
      yields: ["~ policy/a (expression)", "~ policy/z (expression)", "unsafe_order"],
    },
    {
      when: "two swap their hosts beside one that only weakens there",
      given: [
        policy("a", on(hostA, { value: "script-src 'self' cdn.example" })),
        policy("m", on(hostA)),
        policy("z", on(hostB)),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA))),
        carriedOut("p2", policy("m", on(hostB))),
        carriedOut("p3", policy("z", on(hostA))),
      ],
      yields: [
        "~ policy/m (expression)",
        "~ policy/z (expression)",
        "~ policy/a (value)",
        "unsafe_order",
      ],
    },
    {
      when: "two swap their hosts, but neither is in force",
      given: [
        policy("a", on(hostB, { enabled: false })),
        policy("z", on(hostA, { enabled: false })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { enabled: false }))),
        carriedOut("p2", policy("z", on(hostB, { enabled: false }))),
      ],
      yields: ["~ policy/a (expression)", "~ policy/z (expression)"],
    },
    {
      when: "two on one host change the same source for another",
      given: [
        policy("a", on(hostA, { value: "script-src new.example" })),
        policy("z", on(hostA, { value: "script-src new.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src old.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src old.example" }))),
      ],
      yields: ["~ policy/a (value)", "~ policy/z (value)"],
    },
    {
      when: "one takes over a directive that another gives up",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "font-src 'self'" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one takes over one of several directives that another gives up, and more",
      given: [
        policy("a", on(hostA, { value: "connect-src 'self'" })),
        policy("z", on(hostA, { value: "img-src 'self'; script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src 'self'; font-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostC, { value: "img-src 'self'; script-src 'self'" }))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (value)"],
    },
    {
      when: "one takes over by a directive that another one falls back to",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "child-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "frame-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "font-src 'self'" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one takes over by a directive that falls back to another one's",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "frame-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "child-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "font-src 'self'" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one gives up a directive in which another begins to mind a source",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one begins to allow the source that another begins to mind",
      given: [
        policy("a", on(hostA, { value: "script-src q.example" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (value)"],
    },
    {
      when: "one moves to the host on which another lets in more",
      given: [
        policy("a", on(hostA, { value: "script-src x.example y.example" })),
        policy("z", on(hostA, { value: "script-src x.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example w.example" }))),
        carriedOut("p2", policy("z", on(hostC, { value: "script-src x.example" }))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (value)"],
    },
    {
      when: "one selects more and lets in something that another does not mind",
      given: [
        policy("a", on(hostAOrC, { value: "script-src y.example" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/a (expression, value)", "~ policy/z (value)"],
    },
    {
      when: "one leaves a host on which another begins to mind something",
      given: [
        policy("a", on(hostC, { value: "script-src y.example" })),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostAOrC, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (expression, value)"],
    },
    {
      when: "one only reports from now on what another begins to block",
      given: [
        policy("a", { expression: hostA, action: "log", value: "script-src x.example" }),
        policy("z", on(hostA, { value: "script-src r.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example w.example" }))),
        carriedOut("p2", policy("z", on(hostA, { value: "script-src q.example" }))),
      ],
      yields: ["~ policy/z (value)", "~ policy/a (action, value)"],
    },
    {
      when: "one begins to hand trust on where another begins to rule",
      given: [
        policy("a", on(hostA, { value: "script-src x.example 'strict-dynamic'" })),
        policy("z", on(hostA, { value: "script-src x.example" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src x.example" }))),
        carriedOut("p2", policy("z", on(hostC, { value: "script-src x.example" }))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (value)"],
    },
    {
      when: "it is unclear whether their pages overlap",
      given: [policy("a", on(hostB)), policy("z", on(hostA))],
      live: [
        carriedOut("p1", policy("a", on('http.host matches "^a"'))),
        carriedOut("p2", policy("z", on(hostC))),
      ],
      yields: ["~ policy/z (expression)", "~ policy/a (expression)"],
    },
    {
      when: "the pages that one leaves and those that it moves to may overlap",
      given: [policy("a", on(hostB)), policy("z", on(hostA, { value: "img-src x.example" }))],
      live: [
        carriedOut("p1", policy("a", on('http.host matches "^a"'))),
        carriedOut("p2", policy("z", on(hostA, { value: "img-src y.example" }))),
      ],
      yields: ["~ policy/a (expression)", "~ policy/z (value)"],
    },
    {
      when: "they change on different hosts",
      given: [
        policy("a", on(hostA, { value: "img-src 'self'" })),
        policy("z", on(hostB, { value: "script-src 'self'" })),
      ],
      live: [
        carriedOut("p1", policy("a", on(hostA, { value: "script-src 'self'" }))),
        carriedOut("p2", policy("z", on(hostB, { value: "img-src 'self'" }))),
      ],
      yields: ["~ policy/a (value)", "~ policy/z (value)"],
    },
  ])("when $when", ({ given, live, yields }, { expect }) => {
    expect(policySteps(given, live)).toEqual(yields);
  });

  it("costs twice as much for twice as many policies that go", ({ expect }) => {
    /** How often the changes of so many steps are looked at. */
    const looks = (count: number): number => {
      let looked = 0;
      const { changes: oneChange } = plannedPolicies(declared([]), [carriedOut("p", policy("k"))]);
      const writes = Array.from({ length: count }, (_, at): PolicyWrite => ({
        before: policy(`k${at}`),
        after: undefined,
        twin: undefined,
        write: { call: "delete-policy", id: `p${at}`, changes: [] },
        get changes() {
          looked += 1;
          return oneChange;
        },
      }));
      expect(orderPolicyWrites(writes).writes).toHaveLength(count);
      return looked;
    };
    expect(looks(600)).toBeLessThan(3 * looks(300));
  });

  it("names the policies that no order makes safe, and what to do", ({ expect }) => {
    const { holds } = plannedPolicies(declared([policy("a", on(hostB)), policy("z", on(hostA))]), [
      carriedOut("p1", policy("a", on(hostA))),
      carriedOut("p2", policy("z", on(hostB))),
    ]);
    expect(holds).toEqual([
      {
        reason: "unsafe_order",
        message:
          "policy/a gives up what policy/z takes over, and vice versa: between the two writes some pages " +
          "would be less protected than before and after; change one policy at a time",
      },
    ]);
  });
});

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
