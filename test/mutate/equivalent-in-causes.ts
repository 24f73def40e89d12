/** Survivors in `plan/cause` that were looked at. */
export const equivalentInCauses = [
  {
    file: "src/plan/cause/explain.ts",
    how: "declared, last → last, declared",
    why: "Two lists are equal in either order.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: 'kind === "policy" && field === "description" && typeof before === "string" → (kind === "policy" && field === "description")',
    why: "The description of a live policy is a text; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/applied-zone.ts",
    how: '"" → "mutant"',
    line: 'return `${fieldCodes[field] ?? ""}${digest}`;',
    why: "Every field that is stored has a code; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: "live, last → last, live",
    why: "Two lists are equal in either order.",
  },
  {
    file: "src/plan/cause/find-authors.ts",
    how: "first === undefined → false",
    line: "if (first === undefined) return [];",
    why: "A group has a first entry; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: "?.before → .before",
    why: "Only fields of the change are asked for; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/applied-zone.ts",
    how: "key → undefined",
    line: "return key;",
    why: "Every key begins with one of the kinds; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/applied-zone.ts",
    how: '"" → "mutant"',
    line: 'const [, name, fieldsText = ""] = resourcePattern.exec(part) ?? [];',
    why: "A text that the pattern finds has both groups; any other is not read.",
  },
  {
    file: "src/plan/cause/applied-zone.ts",
    how: '"" → "mutant"',
    line: 'for (const [match, code = "", digest = ""] of text.matchAll(fieldPattern)) {',
    why: "A text that the pattern finds has both groups; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/author.ts",
    how: '"" → "mutant"',
    line: 'const [first = ""] = name;',
    why: "A name with an @ has a first character; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: 'change.verb === "delete" && change.reason === "unmanaged" → (change.reason === "unmanaged")',
    why: "Only a delete has a reason; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: 'field === undefined || known.get("") === uncertain → (known.get("") === uncertain)',
    why: "Only fields of the change are asked for; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: "!isDrift && !isPending → (!isPending)",
    why: "What is not pending has drifted, in this line or the next.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: 'kind === "setting" → false',
    why: "No plan deletes a setting; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: '"setting" → ""',
    why: "No plan deletes a setting; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: '"unknown" → ""',
    line: 'if (kind === "setting") return "unknown";',
    why: "No plan deletes a setting; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: "0 → 1",
    line: "let place = 0;",
    why: "Places are counted from 1, and rules before the first that moves have the lowest ones.",
  },
  {
    file: "src/plan/cause/find-authors.ts",
    how: "first === undefined → false",
    line: "if (isCertain) return first === undefined ? [] : [{ entry: first, isCertain }];",
    why: "Nothing is certain of no entries; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/find-authors.ts",
    how: "[] → undefined",
    line: "if (first === undefined) return [];",
    why: "A group has a first entry; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/next-applied.ts",
    how: 'change.verb !== "delete" || change.reason === "unmanaged" → (change.reason === "unmanaged")',
    why: "Of a create that is not stored, nothing was known; updates are of what is declared.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: "declared.length + 1 → ((declared.length) - (1))",
    why: "A part of a place keeps the order of rules that do not move.",
  },
  {
    file: "src/plan/cause/explain.ts",
    how: "1 → 2",
    line: "return { name, at: move?.before ?? place + index / (declared.length + 1) };",
    why: "A part of a place keeps the order of rules that do not move.",
  },
  {
    file: "src/plan/cause/next-applied.ts",
    how: "values.length === 0 → false",
    why: "It saves a copy.",
  },
  {
    file: "src/plan/cause/next-applied.ts",
    how: "declared.filter(isRule) → declared",
    why: "What is no rule is listed before: it keeps its place, and equal fields.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: 'verb === "update" && "id" in change → true',
    why: "A change of a setting is an update, and an update has an id; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: 'verb === "update" && "id" in change → ((verb === "update") || ("id" in change))',
    why: "A change of a setting is an update, and an update has an id; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: 'verb === "update" && "id" in change → (verb === "update")',
    why: "A change of a setting is an update, and an update has an id; the compiler does not know it.",
  },
  {
    file: "src/plan/cause/written-values.ts",
    how: 'verb === "update" && "id" in change → ("id" in change)',
    why: "A change of a setting is an update, and an update has an id; the compiler does not know it.",
  },
] as const;
