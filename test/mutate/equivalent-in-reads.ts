/** Survivors in the reads of `api` that were looked at. */
export const equivalentInReads = [
  {
    file: "src/api/read/zone-listing.ts",
    how: "0 → 1",
    line: "let total = 0;",
    why: "Every pass sets it.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "pages.at(-1)?.total ?? 0 → (pages.at(-1)?.total)",
    why: "No comparison with undefined is true.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "?.total → .total",
    why: "A listing has at least one page; the compiler does not know it.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "0 → 1",
    line: "total = pages.at(-1)?.total ?? 0;",
    why: "Without a total, a listing that changes holds at least one zone.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "total ?? 0 → (total)",
    why: "No comparison with undefined is true.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "total !== undefined && total > maxZones → (total > maxZones)",
    why: "No comparison with undefined is true.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "shared.get(text) ?? text → (text)",
    why: "Equal texts are in memory more than once.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "shared.set(text, known); → ;",
    why: "Equal texts are in memory more than once.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "text, known → known, text",
    why: "Equal texts are in memory more than once.",
  },
  {
    file: "src/api/read/read-inventory.ts",
    how: '`${number}` → ""',
    line: "throw malformedResult(call(`${number}`), page.answer, `more than ${maxPages} pages`);",
    why: "The error does not show the page.",
  },
  {
    file: "src/api/read/read-inventory.ts",
    how: "page.total ?? 0 → (page.total)",
    why: "No comparison with undefined is true.",
  },
  {
    file: "src/api/read/read-inventory.ts",
    how: "0 → 1",
    line: "if (number === 1 && (page.total ?? 0) > pagesBeforeWhole * perPage) {",
    why: "Either number is below the limit.",
  },
  {
    file: "src/api/read/read-inventory.ts",
    how: "whole.total ?? Infinity → (whole.total)",
    why: "No comparison with undefined is true.",
  },
  {
    file: "src/api/read/read-audit-log.ts",
    how: '"" → "mutant"',
    line: 'const [path = ""] = uri.replace(/^https?:\\/\\/[^/]*/, "").split(/[?#]/);',
    why: "A text has at least one part; the compiler does not know it.",
  },
  {
    file: "src/api/read/read-zone.ts",
    how: "error instanceof ServiceError && error.sentAt !== undefined && error.status === 404 → (error.status === 404)",
    why: "Another error has no status, and every error of a request has its time; the compiler does not know it.",
  },
  {
    file: "src/api/read/read-zone.ts",
    how: "error instanceof ServiceError && error.sentAt !== undefined → ((error instanceof ServiceError) || (error.sentAt !== undefined))",
    why: "Another error has no time, and every error of a request has one; the compiler does not know it.",
  },
  {
    file: "src/api/read/read-zone.ts",
    how: "error instanceof ServiceError && error.sentAt !== undefined → (error instanceof ServiceError)",
    why: "Every error of a request has its time; the compiler does not know it.",
  },
  {
    file: "src/api/read/read-zone.ts",
    how: "error instanceof ServiceError && error.sentAt !== undefined → (error.sentAt !== undefined)",
    why: "Another error has no time; the compiler does not know it.",
  },
  {
    file: "src/api/read/parse-audited-write.ts",
    how: "32 → 33",
    why: "Any id will do.",
  },
  {
    file: "src/api/read/parse-audited-write.ts",
    how: "policy && policyValues(policy, new Set(Object.keys(body))) → (policyValues(policy, new Set(Object.keys(body))))",
    why: "With a valid id there is a policy; the compiler does not know it.",
  },
  {
    file: "src/api/read/read-audit-log.ts",
    how: "1 → 2",
    line: "if (parsed.length % atOnce === atOnce - 1) await setImmediate();",
    why: "Others may go on at any of a hundred entries.",
  },
  {
    file: "src/api/read/item-query.ts",
    how: "noFilters → {}",
    why: "A filter that is missing filters nothing, too.",
  },
  {
    file: "src/api/read/item-query.ts",
    how: "Array.isArray(value) → false",
    why: "The text of a list is its elements with commas between them, too.",
  },
] as const;
