/** Survivors in the language of policies that were looked at. */
export const equivalentInCsp = [
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: '"" → "mutant"',
    line: 'const pair = `${was?.directive ?? ""} ${is?.directive ?? ""}`;',
    why: "Any text that is no directive tells the pairs apart.",
  },
  {
    file: "src/syntax/csp/csp-cover.ts",
    how: "0 → 1",
    line: "return reached.length > 0 && reached.every(({ url, page }) => matchesSource(wide, url, page));",
    why: "What a source reaches from one of the two pages, or encrypted, it reaches from the other one.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: '?.["scheme"] → ["scheme"]',
    why: "A match has groups where its pattern has named ones; the compiler does not know it.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: "algorithm === undefined || digest === undefined → (algorithm === undefined)",
    why: "Both groups match, or neither does.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: "algorithm === undefined || digest === undefined → (digest === undefined)",
    why: "Both groups match, or neither does.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: "$ → (nothing)",
    line: "const noncePattern = /^'nonce-(?<nonce>.*)'$/is;",
    why: "The token ends with a quote, and .* takes as much as it can.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: '"other" → ""',
    line: 'return { kind: "other", text: token, offset, length: token.length };',
    why: "Nothing asks for the kind of a token that is no source.",
  },
  {
    file: "src/syntax/csp/csp-source.ts",
    how: "0 → 1",
    why: "A source on its own has no place that anybody reads.",
  },
  {
    file: "src/syntax/csp/csp.ts",
    how: "hasBad → true",
    why: "Where no entry is bad, none is found.",
  },
  {
    file: "src/syntax/csp/csp-cover.ts",
    how: '"/" → ""',
    line: 'const pages = ["http:", "https:"].map((protocol) => urlOf(protocol, "", "any", "/"));',
    why: "Nothing reads the path of a page.",
  },
  {
    file: "src/syntax/csp/csp-cover.ts",
    how: '"" → "mutant"',
    line: 'const pages = ["http:", "https:"].map((protocol) => urlOf(protocol, "", "any", "/"));',
    why: "The port of a page matters for 'self' only, which is compared before.",
  },
  {
    file: "src/syntax/csp/csp-cover.ts",
    how: '"any" → ""',
    why: "The host of a page matters for 'self' only, which is compared before.",
  },
  {
    file: "src/syntax/csp/csp-cover.ts",
    how: '"*" → ""',
    line: 'const ports = ["", port === "*" ? unusualPort : String(Number(port))];',
    why: "NaN represents an unusual port as well.",
  },
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: 'was?.directive ?? "" → (was?.directive)',
    why: "Any text that is no directive tells the pairs apart.",
  },
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: 'is?.directive ?? "" → (is?.directive)',
    why: "Any text that is no directive tells the pairs apart.",
  },
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: '"isValid" in source && source.isValid → (source.isValid)',
    why: "Where it is not there, it is not true.",
  },
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: 'effects.size > 1 || only === "unclear" || only === "neutral" → (effects.size > 1 || only === "unclear")',
    why: "Neutral ones were taken out; the compiler does not know it.",
  },
  {
    file: "src/syntax/csp/compare-csp.ts",
    how: '"neutral" → ""',
    line: 'return effects.size > 1 || only === "unclear" || only === "neutral" ? "mixed" : only;',
    why: "Neutral ones were taken out; the compiler does not know it.",
  },
];
