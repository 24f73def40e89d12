/** Survivors in the writes of the runs of `reconcile` that were looked at. */
export const equivalentInWrites = [
  {
    file: "src/reconcile/run/apply.ts",
    how: "outcomes → undefined",
    line: "if (next === undefined) return outcomes;",
    why: "It is asked before a write, of which there is one; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: 'report.result !== "planned" || live === undefined → (report.result !== "planned")',
    why: "A plan with changes has a live state; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: "signals.stop, gate.signal → gate.signal, signals.stop",
    why: "Either signal ends the writes, and where both have aborted, both reasons are true.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: 'report.result !== "planned" || reviewed.result !== "planned" → (report.result !== "planned")',
    why: "Only a plan that is to be applied is made again; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: 'each.status === "skipped" && each.reason === "read_expired" → (each.reason === "read_expired")',
    why: "Only a write that was skipped has a reason; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: "next === undefined → false",
    why: "It is asked before a write, of which there is one; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: "reason === undefined → true",
    why: "After a write that is skipped all are: the gate is not asked any more.",
  },
  {
    file: "src/reconcile/run/read-ages.ts",
    how: 'write.call === "update-policy" → true',
    why: "Nothing else asks for the age of one policy.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "?.toSorted → .toSorted",
    why: "A policy is written only where the policies were read; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: 'error instanceof ServiceError && error.code === "API_RATE_LIMITED" → (error.code === "API_RATE_LIMITED")',
    why: "No other error has this code; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "await sendFresh(live, write, sending) → sendFresh(live, write, sending)",
    why: "An asynchronous function that returns a promise waits for it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "await ports.writer.write(live, write, signals.abort, signals.stop) → ports.writer.write(live, write, signals.abort, signals.stop)",
    why: "An asynchronous function that returns a promise waits for it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: 'write.call !== "delete-policy" → false',
    why: "A policy that is deleted as a duplicate is not written otherwise.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "0 → 1",
    line: "const stopAlarm = clock.alarm(Math.max(0, limitMs - ageMs()), () => aged.abort());",
    why: "One millisecond more than the age that is left.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "signals.stop, aged.signal → aged.signal, signals.stop",
    why: "Either signal cancels the write, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "!aged.signal.aborted || !isCancelled(error, stop.signal) → (!isCancelled(error, stop.signal))",
    why: "What the program or the gate cancels is not sent again: the next round asks `stop` first.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "noParts → {}",
    why: "A part that is not named is not read.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "contentOf(part, answers.live()), contentOf(part, live) → contentOf(part, live), contentOf(part, answers.live())",
    why: "Whether two contents are equal does not depend on their order.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "answers.readAt[part] ?? Number.NEGATIVE_INFINITY → (answers.readAt[part])",
    why: "A part that was read has a moment; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: 'change.verb === "delete" && change.reason === "duplicate" → (change.reason === "duplicate")',
    why: "Only a delete has this reason; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "gate.checkBeforeWrite(ages.readAtFor(write)); → ;",
    line: "gate.checkBeforeWrite(ages.readAtFor(write));",
    why: "The gate is asked before the first write, after each read and before each fresh write: two checks back each other up.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "signals.stop.throwIfAborted(); → ;",
    line: "signals.stop.throwIfAborted();",
    why: "The signal is asked after each read, before each write and by the writer: two checks back each other up.",
  },
  {
    file: "src/reconcile/run/write-gate.ts",
    how: "10_000 → 10001",
    why: "A guess; any time near it will do.",
  },
  {
    file: "src/reconcile/run/write-gate.ts",
    how: '"GateClosed" → ""',
    why: "A name for people who debug.",
  },
  {
    file: "src/reconcile/run/write-gate.ts",
    how: "this.signal.aborted → false",
    why: "Further checks of a gate that has closed change nothing: they cost time.",
  },
  {
    file: "src/reconcile/run/write-gate.ts",
    how: "return; → ;",
    line: "if (this.signal.aborted) return;",
    why: "Further checks of a gate that has closed change nothing: they cost time.",
  },
] as const;
