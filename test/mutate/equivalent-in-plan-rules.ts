/** Survivors in `plan/rules` that were looked at. */
export const equivalentInPlanRules = [
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "execute" && after.type === "execute" → ((before.type === "execute") || (after.type === "execute"))',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "execute" && after.type === "execute" → (before.type === "execute")',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "execute" && after.type === "execute" → (after.type === "execute")',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "skip" && after.type === "skip" → ((before.type === "skip") || (after.type === "skip"))',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "skip" && after.type === "skip" → (before.type === "skip")',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "skip" && after.type === "skip" → (after.type === "skip")',
    why: "Two rules with different actions were told apart before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before.type === "skip" && after.type === "skip" → true',
    why: "Only rules that deploy or skip are declared: what is left are two exceptions.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "before.skip, after.skip → after.skip, before.skip",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "before.overrides, after.overrides → after.overrides, before.overrides",
    line: "return isDeepStrictEqual(before.overrides, after.overrides) ? neutral : unclear(repeated, true);",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "before.overrides, after.overrides → after.overrides, before.overrides",
    line: "isSameOrder(before.overrides, after.overrides) &&",
    why: "Two lists have the same order in either order.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "restOf(before), restOf(after) → restOf(after), restOf(before)",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: '"lower" → ""',
    line: 'effectOfNumber(was.scoreThreshold ?? 40, is.scoreThreshold ?? 40, "score threshold", "lower"),',
    why: "Any word but higher is the other direction; the type has two.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: '"lower" → ""',
    line: 'return effectOfNumber(was, is, `score threshold of ${id}`, "lower");',
    why: "Any word but higher is the other direction; the type has two.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: '"threshold" → ""',
    why: "Any text tells a rule with a threshold from one without.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "4 → 5",
    line: "block: 4,",
    why: "The order of the actions counts.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'before ?? "" → (before)',
    why: "A missing action has no severity; the compiler wants a name.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: 'after ?? "" → (after)',
    why: "A missing action has no severity; the compiler wants a name.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: '"" → "mutant"',
    line: 'const was = severity[before ?? ""];',
    why: "No action has this name.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: '"" → "mutant"',
    line: 'const is = severity[after ?? ""];',
    why: "No action has this name.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "is > was → ((is) >= (was))",
    why: "Equal severities were told apart before.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "after > before → ((after) >= (before))",
    why: "Equal numbers were told apart before.",
  },
  {
    file: "src/plan/rules/rule-match.ts",
    how: "found !== undefined → true",
    why: "That no rule is taken is of no effect; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-match.ts",
    how: 'live.action.type === "execute" && live.action.ruleset === target.action.ruleset → (live.action.ruleset === target.action.ruleset)',
    why: "Only a rule that executes a ruleset has one; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-fields.ts",
    how: "fieldsOfOverrides(before), fieldsOfOverrides(after) → fieldsOfOverrides(after), fieldsOfOverrides(before)",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-fields.ts",
    how: "before.overrides, after.overrides → after.overrides, before.overrides",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-match.ts",
    how: "target, { description, expression, enabled, action } → { description, expression, enabled, action }, target",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "orderOf(entry) < index → ((orderOf(entry)) <= (index))",
    why: "The new rule itself is not in the list yet.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "orderOf(entry) > index → ((orderOf(entry)) >= (index))",
    why: "The new rule itself is not in the list yet.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "live !== undefined && lists.differing.has(live) → (lists.differing.has(live))",
    why: "Only live rules differ; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "before, liveOf(after) → liveOf(after), before",
    why: "Two lists have the same order in either order.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "survivors, liveOf(after) → liveOf(after), survivors",
    why: "Two lists have the same order in either order.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "without(before, rule), without(liveOf(after), rule) → without(liveOf(after), rule), without(before, rule)",
    why: "Two lists have the same order in either order.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "mark.owner !== owner || mark.key === undefined → ((mark.owner !== owner) && (mark.key === undefined))",
    why: "A mark of ours has a key, and the rule of another owner is left out in the next line.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "live !== undefined && match !== undefined && isSameOrder(without(before, live), without(li… → (isSameOrder(without(before, live), without(liveOf(after), live)))",
    why: "Only rules move here, none is new, and undeclared ones keep their places: the check is a defense.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "live !== undefined && match !== undefined → ((live !== undefined) || (match !== undefined))",
    why: "Only rules move here, none is new, and undeclared ones keep their places: the check is a defense.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "live !== undefined && match !== undefined → (live !== undefined)",
    why: "Only rules move here, none is new, and undeclared ones keep their places: the check is a defense.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "live !== undefined && match !== undefined → (match !== undefined)",
    why: "Only rules move here, none is new, and undeclared ones keep their places: the check is a defense.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "without(before, live), without(liveOf(after), live) → without(liveOf(after), live), without(before, live)",
    why: "Two lists have the same order in either order.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "live !== undefined && fields.length === 0 → (fields.length === 0)",
    why: "A rule that is not live differs in its fields.",
  },
  {
    file: "src/plan/rules/smallest-write.ts",
    how: "a.length === b.length && a.every((rule, index) => rule === b[index]) → (a.every((rule, index) => rule === b[index]))",
    why: "The two lists have the same rules.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: 'entrypoint.state === "present" → true',
    line: 'ruleset: entrypoint.state === "present" ? entrypoint.id : undefined,',
    why: "An entry point that is absent has no id; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "differing ?? [] → (differing)",
    why: "Only live rules are looked up; the compiler wants no other.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "mark.owner !== owner || mark.key === undefined → (mark.owner !== owner)",
    why: "A mark of ours has a key; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "mark.owner !== owner || mark.key === undefined → (mark.key === undefined)",
    why: "The rule of another owner is left out in the next line, and one without a mark has no key.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "live === undefined → false",
    line: "const position = live === undefined ? undefined : positionChange(match, before, after);",
    why: "A rule that is not live has no position to compare.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: 'entry.match === undefined && entry.live.action.type === "execute" → (entry.match === undefined)',
    why: "Only a rule that executes a ruleset has one; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/plan-rules.ts",
    how: "?.source → .source",
    why: "A plan that needs the score rule ends where it was not read; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-body.ts",
    how: "overrides === undefined → false",
    why: "A member that is undefined is not sent.",
  },
  {
    file: "src/plan/rules/owasp-tuning.ts",
    how: "first === undefined || last === undefined → ((first === undefined) && (last === undefined))",
    why: "A list has a first element where it has a last one; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/owasp-tuning.ts",
    how: "first === undefined || last === undefined → (first === undefined)",
    why: "A list has a first element where it has a last one; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/owasp-tuning.ts",
    how: "first === undefined || last === undefined → (last === undefined)",
    why: "A list has a first element where it has a last one; the compiler does not know it.",
  },
] as const;
