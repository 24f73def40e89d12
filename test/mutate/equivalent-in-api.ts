/** Survivors in `api`, but for its reads and requests, that were looked at. */
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
    file: "src/api/budget/rate-limiter.ts",
    how: "0 → 1",
    line: "#maxWindowMs = 0;",
    why: "The first rule sets it.",
  },
  {
    file: "src/api/budget/rate-headers.ts",
    how: '"" → "mutant"',
    line: 'const [name = "", ...parameters] = item.split(";").map((part) => part.trim());',
    why: "A text has at least one part; the compiler does not know it.",
  },
  {
    file: "src/api/budget/rate-headers.ts",
    how: "text !== undefined && /^\\d{1,9}$/.test(text) → (/^\\d{1,9}$/.test(text))",
    why: "undefined is no number; the compiler does not know it.",
  },
  {
    file: "src/api/budget/request-share.ts",
    how: "this.#sent.at(-this.#limit) ?? now → (this.#sent.at(-this.#limit))",
    why: "Where nothing is free, so many requests were sent; the compiler does not know it.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: 'first?.accountId ?? "" → (first?.accountId)',
    why: "Where there are no zones no credential serves them, and nothing is read.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: "?.accountId → .accountId",
    why: "Where there are no zones no credential serves them, and nothing is read.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: '"" → "mutant"',
    line: 'return first?.accountId ?? "";',
    why: "Where there are no zones no credential serves them, and nothing is read.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: "!(error instanceof ServiceError) → false",
    line: "if (!(error instanceof ServiceError)) throw error;",
    why: "Another error means that the caller gave up, and the read that follows says so, too.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: "throw error; → ;",
    line: "if (!(error instanceof ServiceError)) throw error;",
    why: "Another error means that the caller gave up, and the read that follows says so, too.",
  },
  {
    file: "src/api/audit-reader.ts",
    how: "!(error instanceof ServiceError) || !isDenied(error) → (!isDenied(error))",
    why: "Another error has no code, and so is none of a denied token.",
  },
  {
    file: "src/api/service.ts",
    how: 'items.filter((item) => item.kind === "script") → items',
    why: "A list of scripts holds scripts; the compiler does not know it.",
  },
  {
    file: "src/api/service.ts",
    how: "[...scripts, ...connections].filter(isSeenResource) → [...scripts, ...connections]",
    why: "Scripts and connections are what is filtered; the compiler does not know it.",
  },
  {
    file: "src/api/service.ts",
    how: 'found.filter((item) => item.kind === "script") → found',
    why: "A list of scripts holds scripts; the compiler does not know it.",
  },
  {
    file: "src/api/service.ts",
    how: 'item.kind !== "script" → false',
    why: "What is read as a script is one; the compiler does not know it.",
  },
  {
    file: "src/api/service.ts",
    how: "throw new Error(`item ${id} is no script`); → ;",
    why: "What is read as a script is one; the compiler does not know it.",
  },
  {
    file: "src/api/service.ts",
    how: "first !== undefined && failed.length === sessions.length → (failed.length === sessions.length)",
    why: "A service has at least one credential; the compiler does not know it.",
  },
] as const;
