import type { PlantedBug } from "./planted-bug.ts";

const file = "plan/rules/plan-custom-rulesets.ts";

/** Bugs of custom rulesets and of the rules that execute them, which other writers change as well. */
export const rulesetBugs: readonly PlantedBug[] = [
  {
    name: "mark-of-a-ruleset-is-not-known",
    file: "plan/rules/ruleset-match.ts",
    from: "const byKey = Map.groupBy(ours, (each) => markOfRuleset(each).key);",
    to: "const byKey = Map.groupBy(ours, ({ id }) => id);",
    story: "teams",
    steps: [],
    invariant: "executed-while-it-is-there",
  },
  {
    name: "description-is-written-with-the-rules",
    file,
    from: "const body = { description };",
    to: "const body = { description, rules: bodiesIn(inside) };",
    story: "teams",
    steps: [{ at: 40, does: "take_ruleset_mark_off" }],
    invariant: "foreign-rules-stay",
  },
  {
    name: "ruleset-goes-with-rules-of-others",
    file,
    from: "  return found.slice(0, 1).map(",
    to: "  return found.slice(0, 0).map(",
    story: "teams",
    steps: [{ at: 40, does: "files_other" }],
    invariant: "foreign-rules-stay",
  },
  {
    name: "ruleset-comes-after-its-rule",
    file,
    from: '  return write.call === "create-ruleset";\n',
    to: '  return write.call !== "create-ruleset";\n',
    story: "teams",
    steps: [],
    invariant: "executed-while-it-is-there",
  },
  {
    name: "ruleset-goes-while-it-is-executed",
    file,
    from: "return [{ changes: [], write, waitsFor: [planned.write] }];",
    to: "return [{ changes: [], write, waitsFor: [] }];",
    story: "teams",
    steps: [{ at: 28, does: "forbidden" }],
    invariant: "executed-while-it-is-there",
  },
  {
    name: "rule-executes-a-ruleset-always",
    file,
    from: "    description,\n    expression,\n    enabled,\n    position,",
    to: '    description,\n    expression: live === undefined ? expression : "true",\n    enabled,\n    position,',
    story: "teams",
    steps: [],
    invariant: "in-sync-is-true",
  },
  {
    name: "every-ruleset-of-others-is-counted",
    file,
    from: "executorsOf(each, entrypoint).length > 0);",
    to: "executorsOf(each, entrypoint).length >= 0 || each.rules === undefined).slice(1);",
    story: "teams",
    steps: [],
    invariant: "metrics-are-true",
  },
  {
    name: "rule-of-somebody-is-not-seen",
    file,
    from: "marks.set(first, { owner, key: deploymentKey(mark.key) });",
    to: "marks.set(first, { owner, key: `custom_rule/${mark.key}` });",
    story: "teams",
    steps: [{ at: 5, does: "take_deployment" }],
    invariant: "executed-while-it-is-there",
  },
];
