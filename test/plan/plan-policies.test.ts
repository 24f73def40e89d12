import { describe, it } from "vitest";

import type { Direction } from "../../src/plan/change.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import { carriedOut, declared, livePolicy } from "../support/model.ts";
import { cart, checkout, plannedPolicies } from "../support/planned.ts";

function deleteOfDuplicate(more: Partial<LivePolicy>): readonly Direction[] {
  const live = [carriedOut("p1", checkout), carriedOut("p2", checkout, more)];
  return plannedPolicies(declared([checkout]), live).changes.map(({ effect }) => effect.direction);
}

describe("planning policies", () => {
  it("creates with all five fields and the mark", ({ expect }) => {
    expect(plannedPolicies(declared([checkout]), []).writes).toEqual([
      {
        call: "create-policy",
        changes: ["policy/checkout"],
        body: {
          description: "Scripts of checkout [zonewarden:checkout]",
          action: "log",
          expression: 'http.host eq "shop.example.com"',
          enabled: true,
          value: "script-src 'self'",
        },
      },
    ]);
  });

  it("updates with all five fields, the mark, and what it does not know", ({ expect }) => {
    const live = livePolicy("p1", {
      description: checkout.description,
      enabled: false,
      rest: { future: { a: [1] } },
    });
    expect(plannedPolicies(declared([checkout]), [live]).writes).toEqual([
      {
        call: "update-policy",
        id: "p1",
        changes: ["policy/checkout"],
        body: {
          future: { a: [1] },
          description: "Scripts of checkout [zonewarden:checkout]",
          action: "log",
          expression: 'http.host eq "shop.example.com"',
          enabled: true,
          value: "script-src 'self'",
        },
      },
    ]);
  });

  it("says with the change, and only then, that a policy is adopted", ({ expect }) => {
    const words = { description: checkout.description };
    const changed = plannedPolicies(declared([checkout]), [
      livePolicy("p1", { ...words, enabled: false }),
    ]);
    expect(changed.changes).toMatchObject([{ id: "p1", adopted: true }]);
    const same = plannedPolicies(declared([checkout]), [livePolicy("p1", words)]);
    expect(same).toMatchObject({ changes: [], notes: [] });
  });

  it("lists a declared policy that is not ours, and would stay", ({ expect }) => {
    const theirs = livePolicy("p1", { description: checkout.description });
    const { unowned } = plannedPolicies(declared([checkout]), [theirs]);
    const { description: title } = checkout;
    expect(unowned).toEqual([{ kind: "policy", key: "policy/checkout", id: "p1", ref: "", title }]);
  });

  it("gives each change of a plan a key of its own", ({ expect }) => {
    const live = [1, 2, 3].map((n) => carriedOut(`p${n}`, checkout));
    const keys = plannedPolicies(declared([]), live).changes.map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  it("calls deleting a duplicate neutral only where the policy that stays demands as much", ({
    expect,
  }) => {
    expect(deleteOfDuplicate({})).toEqual(["neutral"]);
    expect(deleteOfDuplicate({ enabled: false })).toEqual(["neutral"]);
    expect(deleteOfDuplicate({ action: "allow" })).toEqual(["weakens"]);
  });

  it("counts as compared what is declared, what is ours, and what is to go", ({ expect }) => {
    const live = [carriedOut("p1", checkout), carriedOut("p2", cart), livePolicy("p3")];
    expect(plannedPolicies(declared([checkout]), live).compared).toBe(2);
    expect(plannedPolicies(declared([checkout], "delete"), live).compared).toBe(3);
  });
});
