/** Survivors in `plan` that were looked at. */
export const equivalentInPlan = [
  {
    file: "src/plan/guard/release.ts",
    how: "accept.length === 0 → false",
    why: "An empty list includes no hash; it saves the hash of a plan.",
  },
  {
    file: "src/plan/guard/release.ts",
    how: "other, write → write, other",
    why: "Two writes are equal in either order.",
  },
  {
    file: "src/plan/policies/plan-policies.ts",
    how: "adopt && fields.length === 0 && live !== undefined → (adopt && fields.length === 0)",
    why: "A policy that is not live differs in its fields; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-effect.ts",
    how: '"" → "mutant"',
    line: 'none: "",',
    why: "A policy that is not in force is never told by this word: the sentences leave it out.",
  },
  {
    file: "src/plan/policies/policy-effect.ts",
    how: "!isInForce || before === undefined || after === undefined → (!isInForce || before === undefined)",
    why: "A policy that is not there is not in force; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-effect.ts",
    how: "!isInForce || before === undefined → (!isInForce)",
    why: "A policy that is not there is not in force; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-effect.ts",
    how: "strength[is] > strength[was] → ((strength[is]) >= (strength[was]))",
    why: "Two forces that differ have different strengths.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "gain, loss → loss, gain",
    why: "Two demands overlap in either order.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: '"" → "mutant"',
    line: 'const { owner = "", key = "" } = unmarked(live.description);',
    why: "A duplicate bears a mark; the compiler does not know it.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: 'write.call !== "delete-policy" → false',
    why: "No other write has the id of a policy that the plan deletes; the compiler does not know it.",
  },
  {
    file: "src/plan/write-order.ts",
    how: "10 → 11",
    why: "Any number over 2 keeps the directions apart.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "break; → ;",
    why: "There is a step to take while steps wait; the compiler does not know it.",
  },
  {
    file: "src/plan/saved/already-applied.ts",
    how: "write.rules[index] ?? {} → (write.rules[index])",
    why: "Both lists have the same length; the compiler does not know it.",
  },
  {
    file: "src/plan/saved/confirm.ts",
    how: "first === undefined → false",
    why: "The write itself is among those that are missed; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-match.ts",
    how: "was === undefined || keys.has(was) → (keys.has(was))",
    why: "No key is undefined; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-force.ts",
    how: "2 → 3",
    line: "export const strength = { none: 0, reports: 1, blocks: 2 } as const;",
    why: "The order of the forces counts.",
  },
  {
    file: "src/plan/change.ts",
    how: "change.before, change.after → change.after, change.before",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: '"" → "mutant"',
    line: 'const { owner = "", key = "" } = unmarked(coerceText(description));',
    why: "A policy that is created bears a mark; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-match.ts",
    how: "mark.owner === owner → true",
    line: "return mark.owner === owner ? mark.description : description;",
    why: "A policy with the mark of another owner matches none of ours: the check is a defense.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "waiting.length > 0 → ((waiting.length) >= (0))",
    why: "Where no step waits, none is taken, and the loop ends in its body.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "next === undefined → false",
    why: "There is a step to take while steps wait; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "!isMixed(other) || !isMixed(step) → (!isMixed(step))",
    why: "Steps that only strengthen go first in any case.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "gained.length === 0 → false",
    why: "Nothing that is gained takes over nothing; it saves comparisons.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "some → every",
    line: 'return changes.some(({ verb, effect }) => verb === "update" && effect.direction === "unclear");',
    why: "A step for a policy has one change.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "has === undefined || strengthsOf(has).most === 0 → (strengthsOf(has).most === 0)",
    why: "An update has a policy before and after it; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "lacks === undefined || strengthsOf(has).most > strengthsOf(lacks).least → (strengthsOf(has).most > strengthsOf(lacks).least)",
    why: "An update has a policy before and after it; the compiler does not know it.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: "hostsOf(a.expression), hostsOf(b.expression) → hostsOf(b.expression), hostsOf(a.expression)",
    why: "Two sets of hosts overlap in either order.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: 'change.verb === "create" → false',
    why: "Beside a create, only deletes can have its key, and they go last in any case.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: '"create" → ""',
    why: "Beside a create, only deletes can have its key, and they go last in any case.",
  },
  {
    file: "src/plan/policies/policy-order.ts",
    how: '"" → "mutant"',
    why: "Beside a create, only deletes can have its key, and they go last in any case.",
  },
  {
    file: "src/plan/adoption.ts",
    how: "every → some",
    why: "A write that takes ownership makes one change.",
  },
  {
    file: "src/plan/ownership.ts",
    how: 'change.verb === "update" && change.adopted → (change.adopted)',
    why: "Only an update has the field; the compiler does not know it.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: "!isDuplicate || live === undefined → (!isDuplicate)",
    why: "The delete of a policy that is gone is done, and not asked about.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: '"gone" → ""',
    why: "Only the name of a stale object is told.",
  },
  {
    file: "src/plan/saved/fingerprint.ts",
    how: "live.settings?.[name] ?? notFound → (live.settings?.[name])",
    why: "Either text is one that no fingerprint of a setting has.",
  },
  {
    file: "src/plan/write-order.ts",
    how: "3 → 4",
    why: "The order of the directions counts.",
  },
  {
    file: "src/plan/write-order.ts",
    how: "2 → 3",
    line: "const verbOrder = { create: 0, update: 1, delete: 2 } as const;",
    why: "The order of the verbs counts.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "?.enabled → .enabled",
    why: "Only a live rule moves; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "rank.get(live) ?? 0 → (rank.get(live))",
    why: "The rule that moves is enabled, and so among these; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "0 → 1",
    line: "const self = { was: before.findIndex((rule) => rule === live), is: rank.get(live) ?? 0 };",
    why: "The rule that moves is enabled, and so among these; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "0 → 1",
    line: ".filter(({ was, is = 0 }) => was < self.was !== is < self.is);",
    why: "What has no place was left out in the line before; the compiler does not know it.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "was < self.was → ((was) <= (self.was))",
    line: ".filter(({ was, is = 0 }) => was < self.was !== is < self.is);",
    why: "A rule has its place alone, and it is none of those that it passes.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "is < self.is → ((is) <= (self.is))",
    why: "A rule has its place alone, and it is none of those that it passes.",
  },
  {
    file: "src/plan/rules/rule-positions.ts",
    how: "was < self.was → ((was) <= (self.was))",
    line: "const movesForward = was < self.was;",
    why: "A rule has its place alone, and it is none of those that it passes.",
  },
  {
    file: "src/plan/rules/rule-effect.ts",
    how: "was.filter((name) => is.includes(name)), is.filter((name) => was.includes(name)) → is.filter((name) => was.includes(name)), was.filter((name) => is.includes(name))",
    why: "Two lists are equal in either order.",
  },
] as const;
