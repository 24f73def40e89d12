/** Survivors in `api` that were looked at. */
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
    file: "src/api/credentials/token.ts",
    how: "text.length < this.#value.length → false",
    why: "A shorter text cannot hold the token: it costs time.",
  },
  {
    file: "src/api/read/zone-listing.ts",
    how: "0 → 1",
    line: "let total = 0;",
    why: "Every pass sets it.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "status >= 200 && status < 300 → (status < 300)",
    line: "const isSuccess = status >= 200 && status < 300;",
    why: "The status of an answer is at least 200.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "known.has(digest) → false",
    why: "A known body is parsed again: it costs time.",
  },
  {
    file: "src/api/request/answer.ts",
    how: "this.#digests.clear(); → ;",
    why: "It costs memory.",
  },
  {
    file: "src/api/request/call.ts",
    how: "routeParts.set(route, parts); → ;",
    why: "The route is parsed again: it costs time.",
  },
  {
    file: "src/api/request/client.ts",
    how: "0 → 1",
    line: "#status = 0;",
    why: "It is set before it is read.",
  },
  {
    file: "src/api/request/client.ts",
    how: "this.#chunks.length > 1 → ((this.#chunks.length) >= (1))",
    why: "One chunk is copied: it costs time.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "error instanceof ServiceError → true",
    line: 'const ray = error instanceof ServiceError ? error.ray : "";',
    why: "Another error means that the run was given up, and then nothing is looked up.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: '"" → "mutant"',
    line: 'const ray = error instanceof ServiceError ? error.ray : "";',
    why: "Another error means that the run was given up, and then nothing is looked up.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: 'after?.state !== "present" || before === undefined → (before === undefined)',
    why: "The version of an absent entry point is no number, and no comparison with it is true.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "?.map → .map",
    why: "Policies are read before one is created; the compiler does not know it.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "?.filter → .filter",
    why: "Policies are read before one is deleted; the compiler does not know it.",
  },
  {
    file: "src/api/write/send-write.ts",
    how: "policy === undefined || policies === undefined → (policy === undefined)",
    why: "Policies are read before one is written; the compiler does not know it.",
  },
] as const;
