/** Survivors in `api` that were looked at. */
export const equivalentInApi = [
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
] as const;
