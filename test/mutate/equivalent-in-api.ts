/** Survivors in the budget and the reads of `api` that were looked at. */
export const equivalentInApi = [
  {
    file: "src/api/budget/budget.ts",
    how: "this.#permitAtOnce(rank, since) ?? this.#wait(rank, since, signal) → (this.#wait(rank, since, signal))",
    why: "A request that need not wait is served in the same moment: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "this.#nextRequestAt(priority, now) <= now → ((this.#nextRequestAt(priority, now)) < (now))",
    why: "A request that need not wait is served in the same moment: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "priority, now → now, priority",
    line: "const isFree = this.#waiters.length === 0 && this.#nextRequestAt(priority, now) <= now;",
    why: "A request that need not wait is served in the same moment: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "isFree ? this.#permit(priority, now) : undefined → undefined",
    why: "A request that need not wait is served in the same moment: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "isFree → false",
    why: "A request that need not wait is served in the same moment: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "true → false",
    line: 'signal.addEventListener("abort", abort, { once: true });',
    why: "The listener is removed when the request no longer waits.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "this.#waiters.length === 0 → false",
    line: "if (this.#waiters.length === 0) return;",
    why: "Where nobody waits there is nobody to serve: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "return; → ;",
    line: "if (this.#waiters.length === 0) return;",
    why: "Where nobody waits there is nobody to serve: it costs time.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "first === undefined → false",
    line: "if (first === undefined) return undefined;",
    why: "Where there is no first there are no others: the first is the answer.",
  },
  {
    file: "src/api/budget/budget.ts",
    how: "ceil → floor",
    line: "this.#cancelAlarm = this.#clock.alarm(Math.max(1, Math.ceil(at - now)), () => {",
    why: "An alarm that rings before its time is set again.",
  },
  {
    file: "src/api/budget/circuit-breaker.ts",
    how: "0 → 1",
    line: "return this.#openMs > 0;",
    why: "The time is 0, or at least a second.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "this.#ended, now - keepMs → now - keepMs, this.#ended",
    why: "Old moments stay in the list: that costs memory and changes no answer.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "0 → 1",
    line: "if ((moments[middle] ?? 0) > limit) high = middle;",
    why: "The index is always in the list; the compiler does not know it.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "0 → 1",
    line: "const most = Math.max(left, this.#maxLeft.get(name) ?? 0);",
    why: "The reserve of one request is none.",
  },
  {
    file: "src/api/budget/rate-limiter.ts",
    how: "b.limit / b.ms < a.limit / a.ms → ((b.limit / b.ms) <= (a.limit / a.ms))",
    why: "Of two equal rates, either is the tightest.",
  },
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
    file: "src/api/budget/rate-limiter.ts",
    how: "0 → 1",
    line: "#maxWindowMs = 0;",
    why: "The first rule sets it.",
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
] as const;
