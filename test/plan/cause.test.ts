import { describe, it } from "vitest";

import {
  causesIn,
  causesOf,
  changesWith,
  explained,
  fieldsWith,
} from "../../src/plan/cause/cause.ts";
import type { Cause } from "../../src/plan/change.ts";
import { carriedOut, declared, policy } from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";

const differing = { enabled: false, action: "allow" };
const { changes } = plannedPolicies(
  declared([policy("a"), policy("b"), policy("c")]),
  ["a", "b", "c"].map((key) => carriedOut(key, policy(key), differing)),
);

/** The changes of the policies a, b and c, each with the causes of its fields. */
const explainedChanges = changes.map((change) =>
  explained(change, (field) => {
    const causes: Readonly<Record<string, readonly Cause[]>> = {
      "policy/a action": ["drift", "pending"],
      "policy/a enabled": ["pending"],
      "policy/b action": ["unknown"],
    };
    return causes[`${change.key} ${field}`] ?? [];
  }),
);

describe("the causes of changes", () => {
  const [a, b, c] = explainedChanges;
  if (a === undefined || b === undefined || c === undefined) throw new Error("no three changes");

  it("name the fields that each explains", ({ expect }) => {
    expect(a.causes).toEqual([
      { cause: "drift", fields: ["action"] },
      { cause: "pending", fields: ["action", "enabled"] },
    ]);
    expect(causesOf(a)).toEqual(["drift", "pending"]);
    expect(fieldsWith("pending", a)).toEqual(["action", "enabled"]);
    expect(fieldsWith("unknown", a)).toEqual([]);
    expect(c.causes).toEqual([]);
  });

  it("are listed once for several changes, in one order", ({ expect }) => {
    expect(causesIn([b, a, a])).toEqual(["drift", "pending", "unknown"]);
    expect(causesIn([b, c])).toEqual(["unknown"]);
    expect(causesIn([])).toEqual([]);
  });

  it("select the changes that have them", ({ expect }) => {
    expect(changesWith("drift", explainedChanges)).toEqual([a]);
    expect(changesWith("pending", explainedChanges)).toEqual([a]);
    expect(changesWith("unknown", explainedChanges)).toEqual([b]);
  });
});
