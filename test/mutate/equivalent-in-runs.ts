/** Survivors in the runs of `reconcile` that were looked at. */
export const equivalentInRuns = [
  {
    file: "src/reconcile/run/adopted-rules.ts",
    how: 'unowned.filter(({ kind }) => kind === "rule") → unowned',
    why: "A policy that is not ours is marked where everything is adopted, and is not changed where it is not.",
  },
  {
    file: "src/reconcile/run/adopted-rules.ts",
    how: "next, ownership.rules → ownership.rules, next",
    why: "Whether two lists are equal does not depend on their order.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "signal, this.#over.signal → this.#over.signal, signal",
    line: "using own = joinSignals(signal, this.#over.signal);",
    why: "Either signal ends a request, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "signal, this.#over.signal → this.#over.signal, signal",
    line: "this.#reading = { of: signal, joined: joinSignals(signal, this.#over.signal) };",
    why: "Either signal ends a request, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "60_000 → 60001",
    line: "export const stuckAfterMs: number = runDeadlineMs + 60_000;",
    why: "A guess; any time near it will do.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "60_000 → 60001",
    line: "const message = `the run exceeded its deadline of ${Math.round(ms / 60_000)} min and was aborted; it is retried. Check for an exhausted request budget or a slow service`;",
    why: "The minutes are rounded.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "stop, this.#over.signal → this.#over.signal, stop",
    why: "Either signal ends a request, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "this.#reading?.of !== signal → true",
    why: "A run reads one thing at a time: signals that are joined for each read cost time.",
  },
  {
    file: "src/reconcile/run/deadline.ts",
    how: "1_800_000 → 1800001",
    why: "A guess; any time near it will do.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "this.#inSync.set(name, zone.digest); → ;",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: '"unknown" → ""',
    line: 'const outcomes = report.plan.changes.map((change) => outcomeOf(change, "unknown"));',
    why: "Only `done` and `not_done` mean anything else.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "converged && this.#inSync.get(name) === zone.digest → false",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "converged && this.#inSync.get(name) === zone.digest → (this.#inSync.get(name) === zone.digest)",
    why: "Where nothing was written, what is known stays as it was: storing it again costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "return; → ;",
    line: "if (converged && this.#inSync.get(name) === zone.digest) return;",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "converged → false",
    line: "if (converged) this.#inSync.set(name, zone.digest);",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "!declared.has(name) → true",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: '"unknown" → ""',
    line: 'if (own.some(isInternalError)) return "unknown";',
    why: "Only `done` and `not_done` mean anything else.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "name, zone.digest → zone.digest, name",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/plan-zone.ts",
    how: "await planFromSource(source, request, ports, signal) → planFromSource(source, request, ports, signal)",
    line: "return await planFromSource(source, request, ports, signal);",
    why: "An asynchronous function that returns a promise waits for it.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "removed.length > 0 → ((removed.length) >= (0))",
    why: "The same hashes are stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "removed.length > 0 → true",
    why: "The same hashes are stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "corrections.size === 0 → false",
    why: "One empty map for all zones saves memory.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "60_000 → 60001",
    why: "The minutes are rounded.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "moments.at(-rounds) ?? 0 → (moments.at(-rounds))",
    why: "A contended field has so many moments; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "0 → 1",
    line: ".map((moments) => (moments.at(-rounds) ?? 0) + windowMs);",
    why: "A contended field has so many moments; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "fields.length === 0 → false",
    why: "The same corrections are stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "return; → ;",
    line: "if (fields.length === 0) return;",
    why: "The same corrections are stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: 'outcome.status === "skipped" && outcome.reason === "read_expired" → (outcome.reason === "read_expired")',
    why: "Only a write that was skipped has a reason; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: 'accept.length === 0 || report.result === "error" → (report.result === "error")',
    why: "Where nothing is accepted, no release is remembered: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "this.#inProgress.delete(name); → ;",
    why: "The gate of a run that has ended may close: it costs memory.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "mayWrite → true",
    line: "if (mayWrite) this.#applied.writing(planned.report, zone, planned.live?.scoreRule);",
    why: "Without a write, what is stored is replaced in the same turn of the event loop.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "this.#returnWorker(worker); → ;",
    why: "The next run creates another worker: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "worker.deadline.isOver → true",
    why: "The next run creates another worker: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "?.until → .until",
    why: "Asked only for a hold of a suspension; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "0 → 1",
    line: 'return { reason: "due", delayMs: Math.max(0, Number(end) - Number(now)) };',
    why: "The bound is reached by a hold that ended while it was judged: one millisecond more says nothing.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "this.#idleWorkers.push(worker); → ;",
    why: "The next run creates another worker: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "this.#idleWorkers.pop() ?? this.#newWorker() → (this.#newWorker())",
    why: "Another worker does the same: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "rules !== ownership.rules → true",
    why: "The same rules are stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "worker.deadline[Symbol.dispose](); → ;",
    why: "One listener stays on the signal of the process for each run that exceeded 30 min.",
  },
] as const;
