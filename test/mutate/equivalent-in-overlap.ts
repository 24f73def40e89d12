/** Survivors in the search for common requests, hosts and advice that were looked at. */
export const equivalentInOverlap = [
  {
    file: "src/syntax/expression/hosts.ts",
    how: "?.kind → .kind",
    line: 'if (node?.kind === "field") return node.name === "http.host" && node.indexes.length === 0;',
    why: "A call that is asked for has this argument; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/hosts.ts",
    how: "?.kind → .kind",
    line: 'if (node?.kind !== "call" || node.indexes.length > 0) return false;',
    why: "A call that is asked for has this argument; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/hosts.ts",
    how: "one, other → other, one",
    why: "Whether two patterns meet does not depend on their order.",
  },
  {
    file: "src/syntax/expression/hosts.ts",
    how: "10_000 → 10001",
    why: "It limits work, with the cautious answer beyond.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "300 → 301",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "ways.flat().slice(0, maxConjunctions) → ways.flat()",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "[true, false] .flatMap((own) => joined(conjunctionsOf(first, own), ofExclusive(rest, outco… → [true, false] .flatMap((own) => joined(conjunctionsOf(first, own), ofExclusive(rest, outco…",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "conjunctionsOf(first, own), ofExclusive(rest, outcome !== own) → ofExclusive(rest, outcome !== own), conjunctionsOf(first, own)",
    why: "The same conditions hold in any order.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "all.length >= maxConjunctions → false",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/conjunctions.ts",
    how: "all.length >= maxConjunctions → ((all.length) > (maxConjunctions))",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "2_000 → 2001",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "one, other → other, one",
    why: "A request that both select is one in any order.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "left -= 1; → ;",
    line: "left -= 1;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "left -= 1 → left += 1",
    line: "left -= 1;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "1 → 2",
    line: "left -= 1;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "left <= 0 → false",
    line: "if (left <= 0) return undefined;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "left <= 0 → ((left) < (0))",
    line: "if (left <= 0) return undefined;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/overlap.ts",
    how: "0 → 1",
    line: "if (left <= 0) return undefined;",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "24 → 25",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: '"" → "mutant"',
    line: 'const [start = "", ...rest] = pattern.split("*");',
    why: "A split text has at least one part; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: "10 → 11",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: "valuesFor(name, conjunction, nodes).slice(0, maxValues) → valuesFor(name, conjunction, nodes)",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: 'fields.has("ssl") || urls.length > 0 → true',
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: "urls.length > 0 → ((urls.length) >= (0))",
    line: 'if (fields.has("ssl") || urls.length > 0) choices.push([{ ssl: true }, { ssl: false }]);',
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: "fields.has(queryField) || urls.length > 0 → true",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/samples.ts",
    how: "urls.length > 0 → ((urls.length) >= (0))",
    line: "if (fields.has(queryField) || urls.length > 0) {",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/sample-value.ts",
    how: 'range === undefined || typeof value === "string" → (typeof value === "string")',
    why: "A parsed expression has valid addresses only; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/advice/advise-expression.ts",
    how: 'operator !== "matches" || right.kind !== "text" → (operator !== "matches")',
    why: "Only a text can follow matches; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/advice/advise-sets.ts",
    how: "0 → 1",
    line: "offset: 0,",
    why: "The ranges of the table have no place that anybody reads.",
  },
  {
    file: "src/syntax/expression/advice/advise-sets.ts",
    how: "0 → 1",
    line: "length: 0,",
    why: "The ranges of the table have no place that anybody reads.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "known, shapeOf(literal, field) → shapeOf(literal, field), known",
    why: "The same conditions hold in any order.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "shape.exact.slice(0, maxTexts) → shape.exact",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "[...new Set([...texts, start, end])].slice(0, maxTexts) → [...new Set([...texts, start, end])]",
    why: "It limits work: more or fewer ways are tried.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "text.length > best.length → ((text.length) >= (best.length))",
    why: "Two different texts of one length cannot both be at one end.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: 'right.kind !== "text" → false',
    why: "Only texts can follow these operators; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: 'operand.name === "ends_with" → true',
    why: "Whether a call of another function holds is never decided, whatever the text is.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: 'operand.name === "contains" → true',
    why: "Whether a call of another function holds is never decided, whatever the text is.",
  },
  {
    file: "src/syntax/expression/overlap/sample-texts.ts",
    how: "node.name === field && node.indexes.length === 0 → (node.name === field)",
    why: "A condition on an element is never decided, whatever the text is.",
  },
  {
    file: "src/syntax/expression/overlap/selects-everything.ts",
    how: 'condition.kind === "comparison" && isCertainComparison(condition, outcome) → (isCertainComparison(condition, outcome))',
    why: "A condition of a conjunction is one of two kinds; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/overlap/selects-everything.ts",
    how: 'left.kind === "field" && left.indexes.length === 0 → (left.indexes.length === 0)',
    why: "No function has the name of a field.",
  },
  {
    file: "src/syntax/expression/overlap/selects-everything.ts",
    how: '"" → "mutant"',
    line: 'const field = left.kind === "field" && left.indexes.length === 0 ? left.name : "";',
    why: "Any text that is no field will do.",
  },
  {
    file: "src/syntax/expression/overlap/selects-everything.ts",
    how: 'subject?.kind === "field" && /http\\.request\\.uri(?:\\.path)?$/.test(subject.name) → (/http\\.request\\.uri(?:\\.path)?$/.test(subject.name))',
    why: "No function has the name of a field.",
  },
  {
    file: "src/syntax/expression/overlap/selects-everything.ts",
    how: "?.kind → .kind",
    line: 'const isPath = subject?.kind === "field" && /http\\.request\\.uri(?:\\.path)?$/.test(subject.name);',
    why: "There is a first argument where there is a second one; the compiler does not know it.",
  },
];
