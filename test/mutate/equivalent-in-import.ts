/** Survivors in `plan/import` that were looked at. */
export const equivalentInImport = [
  {
    file: "src/plan/import/import-policies.ts",
    how: 'options[0]?.key ?? "" → (options[0]?.key)',
    why: "A candidate has at least one option; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: '"" → "mutant"',
    line: 'if (item === undefined) rejected.push(leaveOut(kind, candidate, reasons[0] ?? ""));',
    why: "A candidate has at least one option; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "changed.has(`${kind}/${item.key}`) → undefined",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: '`${kind}/${item.key}` → ""',
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: 'changes.filter((change) => change.verb === "delete") → changes',
    why: "All other changes are those of declared policies or rules; the compiler does not know it.",
  },
  {
    file: "src/plan/import/candidate.ts",
    how: "cut > 0 → ((cut) >= (0))",
    why: "A key begins with a letter or digit.",
  },
  {
    file: "src/plan/import/import-policies.ts",
    how: "mark.key ?? [] → (mark.key)",
    why: "A mark of ours has a key; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-policies.ts",
    how: "?.key → .key",
    why: "A candidate has at least one option; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-policies.ts",
    how: '"" → "mutant"',
    line: 'candidates: candidates.toSorted(byText(({ options }) => options[0]?.key ?? "")),',
    why: "A candidate has at least one option; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-policies.ts",
    how: '"\\n" → ""',
    why: "Any order that does not depend on the list will do.",
  },
  {
    file: "src/plan/import/import-rules.ts",
    how: "keyOfRef(owner, ref) ?? [] → (keyOfRef(owner, ref))",
    why: "No key is undefined.",
  },
  {
    file: "src/plan/import/import-rules.ts",
    how: '"other" → ""',
    line: 'case "other":',
    why: "Such a rule was left out before; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-rules.ts",
    how: "[] → undefined",
    line: "return [];",
    why: "Such a rule was left out before; the compiler does not know it.",
  },
  {
    file: "src/plan/import/import-rules.ts",
    how: "canonicalLevels(resolveOverrides(option, scoreRuleId)), expected → expected, canonicalLevels(resolveOverrides(option, scoreRuleId))",
    why: "Two values are equal in either order.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: 'verb !== "delete" → undefined',
    line: 'changes.filter(({ verb }) => verb !== "delete").map(({ key }) => key),',
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "key → undefined",
    line: 'changes.filter(({ verb }) => verb !== "delete").map(({ key }) => key),',
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "choices.filter((choice) => !isChanged(choice)) → choices",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "unchanged.length === choices.length → true",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "choices .filter(isChanged) → choices",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: 'leaveOut(kind, candidate, "a plan of its declaration would not match it") → undefined',
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "kind, candidate → candidate, kind",
    line: 'leaveOut(kind, candidate, "a plan of its declaration would not match it"),',
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "kind, unchanged → unchanged, kind",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "{ items: settled.items, leftOut: [...dropped, ...settled.leftOut] } → undefined",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "[...dropped, ...settled.leftOut] → []",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "dropped → []",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: "settled.leftOut → []",
    line: "return { items: settled.items, leftOut: [...dropped, ...settled.leftOut] };",
    why: "No live resource is known whose import a plan would change: the check is for one that we do not know.",
  },
  {
    file: "src/plan/import/import-zone.ts",
    how: 'reasons[0] ?? "" → (reasons[0])',
    why: "A candidate has at least one option; the compiler does not know it.",
  },
] as const;
