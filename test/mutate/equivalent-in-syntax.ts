/** Survivors in `syntax` that were looked at, without policies, overlaps, hosts and advice. */
export const equivalentInSyntax = [
  {
    file: "src/syntax/by-text.ts",
    how: "a < b → ((a) <= (b))",
    why: "Equal texts are compared before.",
  },
  {
    file: "src/syntax/by-text.ts",
    how: "/[A-Z]/.test(text) → true",
    why: "A text without capitals stays as it is, only slower.",
  },
  {
    file: "src/syntax/error-code.ts",
    how: 'error instanceof Error && "code" in error → (error instanceof Error)',
    why: "A code that is not there is no text.",
  },
  {
    file: "src/syntax/glob.ts",
    how: '"" → "mutant"',
    why: "A split text has at least one part; the compiler does not know it.",
  },
  {
    file: "src/syntax/glob.ts",
    how: "meets[0] ?? false → (meets[0])",
    why: "The first row is always there; the compiler does not know it.",
  },
  {
    file: "src/syntax/glob.ts",
    how: "b.length + 1 → ((b.length) - (1))",
    line: "meets = Array.from({ length: b.length + 1 }, () => false);",
    why: "Every place is set before it is read.",
  },
  {
    file: "src/syntax/glob.ts",
    how: "65_536 → 65537",
    why: "It limits work, with the cautious answer beyond.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: "?.kind → .kind",
    line: 'if (name !== "hash_in_range" || first?.kind !== "integer" || second?.kind !== "integer") {',
    why: "The call has as many arguments as it needs; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: 'a.kind === "comparison" && itemsOf(b, "or").length > 0 → (a.kind === "comparison")',
    why: "A set that is expanded without need takes longer, with the same result.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: 'a.kind === "comparison" && itemsOf(b, "or").length > 0 → ((a.kind === "comparison") || (itemsOf(b, "or").length > 0))',
    why: "A set that is expanded without need takes longer, with the same result.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "budget.steps < 0 → ((budget.steps) <= (0))",
    why: "It limits work: one step more or less.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "20_000 → 20001",
    why: "It limits work: one step more or less.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "known.last < next.last → ((known.last) <= (next.last))",
    why: "An equal end stays as it is.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "a.first < b.first → ((a.first) <= (b.first))",
    why: "Intervals with the same start are merged in any order.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: 'expression.kind === "logic" && expression.connective === connective → (expression.connective === connective)',
    why: "Other expressions have no connective; the compiler does not know that none is read.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "?.length → .length",
    line: "return texts !== undefined && texts.length === values?.length ? texts : undefined;",
    why: "Texts are there only where values are; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "?.length → .length",
    line: "return known !== undefined && known.length === intervals?.length ? known : undefined;",
    why: "They are there only where intervals are; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "other, interval → interval, other",
    why: "Whether two overlap does not depend on their order.",
  },
  {
    file: "src/syntax/expression/expression.ts",
    how: "parsed.size >= maxParsed → true",
    why: "The size of a cache.",
  },
  {
    file: "src/syntax/expression/expression.ts",
    how: "parsed.size >= maxParsed → ((parsed.size) > (maxParsed))",
    why: "The size of a cache.",
  },
  {
    file: "src/syntax/expression/expression.ts",
    how: "parsed.size >= maxParsed → ((parsed.size) < (maxParsed))",
    why: "The size of a cache.",
  },
  {
    file: "src/syntax/expression/expression.ts",
    how: "500 → 501",
    why: "The size of a cache.",
  },
  {
    file: "src/syntax/expression/expression-functions.ts",
    how: '"" → "mutant"',
    line: 'const [call = "", result = ""] = line.trim().split(" -> ");',
    why: "Each line of the table has both; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/expression-functions.ts",
    how: '"" → "mutant"',
    line: 'const [name = "", ...parts] = call.split(" ");',
    why: "A split text has at least one part; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/expression-functions.ts",
    how: '"" → "mutant"',
    line: 'const [, kind = "", types = "", mark = ""] = /^(\\w+):(.*?)([?*]?)$/.exec(text) ?? [];',
    why: "Each parameter of the table has all three; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/expression-functions.ts",
    how: "/^(\\w+):(.*?)([?*]?)$/.exec(text) ?? [] → (/^(\\w+):(.*?)([?*]?)$/.exec(text))",
    why: "Each parameter of the table fits the pattern; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/expression-functions.ts",
    how: '"any" → ""',
    why: "Only the other two kinds are asked for.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "address === undefined → false",
    why: "A parsed expression has valid addresses only; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "range && { of: `ip${address.version}`, first: range.first, last: range.last } → ({ of: `ip${address.version}`, first: range.first, last: range.last })",
    why: "A parsed expression has valid networks only; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "from && to && { ...from, last: to.last } → ({ ...from, last: to.last })",
    why: "The ends of a range are numbers or addresses; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "from && to → (from)",
    why: "The ends of a range are numbers or addresses; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "from && to → (to)",
    why: "The ends of a range are numbers or addresses; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/intervals.ts",
    how: "from && to → ((from) || (to))",
    why: "The ends of a range are numbers or addresses; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/operand-type.ts",
    how: 'type ?? "" → (type)',
    why: "No pattern matches the word undefined.",
  },
  {
    file: "src/syntax/expression/operand-type.ts",
    how: '"" → "mutant"',
    why: "Any text that is no type will do.",
  },
  {
    file: "src/syntax/expression/print-expression.ts",
    how: 'operator === "matches" && right.kind === "text" → (operator === "matches")',
    why: "Only a text can follow matches; the compiler does not know it.",
  },
  {
    file: "src/syntax/regex/regex-class.ts",
    how: "?.codePointAt → .codePointAt",
    why: "The pattern has not ended here; the compiler does not know it.",
  },
  {
    file: "src/syntax/regex/regex-class.ts",
    how: "reader.take(/[^]/uy)?.codePointAt(0) ?? 0 → (reader.take(/[^]/uy)?.codePointAt(0))",
    why: "The pattern has not ended here; the compiler does not know it.",
  },
  {
    file: "src/syntax/regex/regex-class.ts",
    how: "false → true",
    line: "const innerClass: Character = { character: NaN, isByte: false };",
    why: "A class is above no limit, whether it is a byte or not.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: "facts === undefined || misfit === undefined → (misfit === undefined)",
    why: "A function that is not known has no misfit; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: "-1 → 1",
    why: "The last two parameters of a function whose last one repeats are alike.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: 'name !== "hash_in_range" || first?.kind !== "integer" || second?.kind !== "integer" → (name !== "hash_in_range" || first?.kind !== "integer")',
    why: "That both are integers was checked before; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: 'name !== "hash_in_range" || first?.kind !== "integer" → (name !== "hash_in_range")',
    why: "That both are integers was checked before; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/check-call.ts",
    how: "first && typeOfArgument(first) → (typeOfArgument(first))",
    why: "There is a first argument where there is a further one; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "budget.steps -= 1 → budget.steps += 1",
    why: "It limits work.",
  },
  {
    file: "src/syntax/expression/compare-expressions.ts",
    how: "budget.steps -= 1; → ;",
    why: "It limits work.",
  },
  {
    file: "src/syntax/expression/read/read-value.ts",
    how: "?.of → .of",
    why: "The start of a range is a number or an address; the compiler does not know it.",
  },
  {
    file: "src/syntax/expression/read/read-operator.ts",
    how: '"" → "mutant"',
    line: 'const name = reader.peek(/\\w+(?:\\.\\w+)*/y) ?? "";',
    why: "A letter is here; the compiler does not know it.",
  },
  {
    file: "src/syntax/nearest.ts",
    how: "Math.abs(candidate.length - wanted.length) >= least → false",
    why: "What differs more in length is further away: it only need not be computed.",
  },
  {
    file: "src/syntax/nearest.ts",
    how: "Math.abs(candidate.length - wanted.length) >= least → ((Math.abs(candidate.length - wanted.length)) > (least))",
    why: "What differs more in length is further away: it only need not be computed.",
  },
];
