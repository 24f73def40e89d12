import { describe, it } from "vitest";

import { importLiveZone } from "../../src/plan/import/import-zone.ts";
import type { LivePolicy, LiveRule } from "../../src/zone/live-zone.ts";
import {
  entrypoint,
  liveDeployment,
  liveException,
  livePolicy,
  liveRule,
  liveZone,
  owner,
} from "../support/model.ts";

function imported(policies: readonly LivePolicy[], rules: readonly LiveRule[] = []) {
  const live = liveZone({ policies, entrypoints: { managed_rules: entrypoint(...rules) } });
  return importLiveZone(live, owner, () => undefined);
}

describe("the policies of an imported zone", () => {
  it.for([
    { field: "expression", values: ["ssl", "not ssl"] },
    { field: "action", values: ["allow", "log"] },
    { field: "value", values: ["img-src 'self'", "script-src 'self'"] },
  ] as const)(
    "have the same keys in any order of the list, told apart by $field",
    ({ field, values }, { expect }) => {
      const live = values.map((value, index) =>
        livePolicy(`p${index}`, { description: "Twin", [field]: value }),
      );
      const { content } = imported(live);
      expect(content.policies?.items).toHaveLength(2);
      expect(imported(live.toReversed()).content).toEqual(content);
    },
  );

  it("have the same keys in any order of the list, told apart by id alone", ({ expect }) => {
    const live = ["p1", "p2"].map((id) => livePolicy(id, { description: "", action: "block" }));
    expect(imported(live.toReversed())).toEqual(imported(live));
  });

  it("are in the order of their keys", ({ expect }) => {
    const live = ["Zoo", "Apes", "Lions"].map((description) =>
      livePolicy(description, { description }),
    );
    const { content } = imported(live);
    expect(content.policies?.items.map(({ key }) => key)).toEqual(["apes", "lions", "zoo"]);
  });
});

function reason(action: string): string {
  return `has the action "${action}", which files do not support`;
}

describe("what an import leaves out", () => {
  it("is told with its kind, id and title", ({ expect }) => {
    const { leftOut } = imported(
      [livePolicy("p1", { description: "Odd", action: "block" })],
      [liveRule("r1", { action: "block" }), liveRule("r2", { action: "log", description: "Odd" })],
    );
    expect(leftOut).toEqual([
      { kind: "policy", id: "p1", title: "Odd", reason: reason("block") },
      { kind: "managed_rule", id: "r1", title: "r1", reason: reason("block") },
      { kind: "managed_rule", id: "r2", title: "Odd", reason: reason("log") },
    ]);
  });

  it("is told of fields with the title of the rule", ({ expect }) => {
    const { content, leftOut } = imported([], [liveException("r1", "uploads", { later: 1 })]);
    expect(content.rules.managed_rules?.items).toHaveLength(1);
    expect(leftOut).toMatchObject([{ kind: "managed_rule", id: "r1", title: "r1" }]);
  });
});

describe("the key of an imported rule", () => {
  it("comes from its description where the ruleset has no name", ({ expect }) => {
    const rule = liveDeployment("r1", {
      description: "Our own ruleset",
      action_parameters: { id: "a".repeat(32), version: "latest" },
    });
    expect(imported([], [rule]).content.rules.managed_rules?.items).toMatchObject([
      { key: "our-own-ruleset" },
    ]);
  });

  it("comes from the name of the ruleset, whatever the description says", ({ expect }) => {
    const rule = liveDeployment("r1", { description: "Something else" });
    expect(imported([], [rule]).content.rules.managed_rules?.items).toMatchObject([
      { key: "owasp" },
    ]);
  });
});
