import { it } from "vitest";

import { rulesetDiff } from "../../src/render/ruleset-diff.ts";
import type { Ruleset } from "../../src/zone/ruleset.ts";

/** A ruleset of rules by id; `b!` is a `b` that does something else. */
function ruleset(version: string, ...ids: readonly string[]): Ruleset {
  const head = { id: "r", name: "", description: "", kind: "zone", phase: "", lastUpdated: "" };
  const rules = ids.map((name) => {
    const id = name.replace("!", "");
    const action = name.endsWith("!") ? "log" : "block";
    const wire = { id, action, version };
    const facts = { ref: id, description: "", expression: "true", enabled: true, categories: [] };
    return { id, action, ...facts, scoreThreshold: undefined, wire };
  });
  return { ...head, version, rules };
}

it.for([
  { when: "nothing differs", before: ["a", "b"], after: ["a", "b"], yields: [] },
  { when: "a rule came", before: ["a"], after: ["b", "a"], yields: ["added b 1"] },
  { when: "a rule went", before: ["a", "b"], after: ["a"], yields: ["removed b 2"] },
  { when: "a rule changed", before: ["a", "b"], after: ["a", "b!"], yields: ["changed b 2"] },
  {
    when: "the last came first",
    before: ["a", "b", "c"],
    after: ["c", "a", "b"],
    yields: ["moved c 1"],
  },
  {
    when: "the first came last",
    before: ["a", "b", "c"],
    after: ["b", "c", "a"],
    yields: ["moved a 3"],
  },
  { when: "one came between", before: ["a", "b"], after: ["a", "c", "b"], yields: ["added c 2"] },
  {
    when: "everything happened",
    before: ["a", "b", "c", "d"],
    after: ["d", "a", "e", "c!"],
    yields: ["moved d 1", "added e 3", "changed c 4", "removed b 2"],
  },
])("tells, when $when: $yields", ({ before, after, yields }, { expect }) => {
  const diffs = rulesetDiff(ruleset("1", ...before), ruleset("2", ...after));
  expect(diffs.map(({ verb, rule, place }) => `${verb} ${rule.id} ${place}`)).toEqual(yields);
});

it("names the fields that changed, without those that the service counts", ({ expect }) => {
  const [diff] = rulesetDiff(ruleset("1", "a"), ruleset("2", "a!"));
  expect(diff?.fields).toEqual([{ field: "action", before: "block", after: "log" }]);
});
