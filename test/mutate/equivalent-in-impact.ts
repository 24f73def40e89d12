/** Survivors in `impact` that were looked at. */
export const equivalentInImpact = [
  {
    file: "src/impact/csp-impact.ts",
    how: 'policy === undefined || !["blocks", "reports"].includes(forceOf(policy)) → (!["blocks", "reports"].includes(forceOf(policy)))',
    why: "Where there is no policy, the force is none; the compiler does not know it.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: 'terms === undefined || force === "none" → (force === "none")',
    why: "Where there is no policy, the force is none; the compiler does not know it.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: "known.get(page) ?? selectsPage(tree, page) → (selectsPage(tree, page))",
    why: "What is known is only not computed again.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: "known.set(page, selected); → ;",
    why: "What is known is only not computed again.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: "found !== undefined → false",
    why: "What is known is only not computed again.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: "known.set(key, pages); → ;",
    why: "What is known is only not computed again.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: "key, pages → pages, key",
    why: "Nothing is known then, so that all is computed again.",
  },
  {
    file: "src/impact/policy-decision.ts",
    how: 'source.kind === "host" → true',
    why: "Other sources have no path, and nothing reads one of them.",
  },
  {
    file: "src/impact/ruleset-impact.ts",
    how: "pair.before, pair.after → pair.after, pair.before",
    why: "Whether two are equal does not depend on their order.",
  },
  {
    file: "src/impact/ruleset-impact.ts",
    how: "own, rest → rest, own",
    why: "Whether two are equal does not depend on their order.",
  },
  {
    file: "src/impact/ruleset-impact.ts",
    how: "each, rest(each.rule) → rest(each.rule), each",
    why: "Whether two are equal does not depend on their order.",
  },
  {
    file: "src/impact/selects-page.ts",
    how: "^ → (nothing)",
    why: "No name of a field has raw. anywhere but at its start.",
  },
  {
    file: "src/impact/selects-page.ts",
    how: '"" → "mutant"',
    line: 'const [text = ""] = texts;',
    why: "Only a set can be empty, and it is not compared by its first text.",
  },
  {
    file: "src/impact/suggest-policy.ts",
    how: 'granularity === "hash" && resource.kind === "script" → (granularity === "hash")',
    why: "Connections have no hash; the compiler does not know that none is read.",
  },
];
