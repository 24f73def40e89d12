/** Survivors in the runs of `reconcile`, their queue and their schedule that were looked at. */
export const equivalentInRuns = [
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
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "corrections.size === 0 → false",
    why: "One empty map for all zones saves memory.",
  },
  {
    file: "src/reconcile/run/zone-runner.ts",
    how: "this.#inProgress.delete(name); → ;",
    why: "The gate of a run that has ended may close: it costs memory.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "1 → 2",
    line: "this.#takes += 1;",
    why: "Two and five have no common divisor: it is still every fifth take.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "1_000 → 1001",
    why: "A bound of memory; any number near it will do.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "3_600_000 → 3600001",
    why: "A bound of one wait, after which the queue looks again; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "100 → 101",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "count < maxEdges → ((count) <= (maxEdges))",
    why: "A bound of the search; any number near it will do.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "last?.lets === lets && last.from <= now && now < last.to → false",
    why: "The end is searched again: it costs time.",
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
    file: "src/reconcile/queue/zone-queue.ts",
    how: "0 → 1",
    line: "#order = 0;",
    why: "Only which of two entries was added first counts.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "1 → 2",
    line: "this.#order += 1;",
    why: "Only which of two entries was added first counts.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "?.push → .push",
    why: "Each priority has a heap; the compiler does not know it.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined && heap.length > this.#waiting.size + maxReplaced → true",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined && heap.length > this.#waiting.size + maxReplaced → false",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined && heap.length > this.#waiting.size + maxReplaced → ((heap !== undefined) || (heap.length > this.#waiting.size + maxReplaced))",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined && heap.length > this.#waiting.size + maxReplaced → (heap !== undefined)",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined && heap.length > this.#waiting.size + maxReplaced → (heap.length > this.#waiting.size + maxReplaced)",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap.length > this.#waiting.size + maxReplaced → ((heap.length) >= (this.#waiting.size + maxReplaced))",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap.length > this.#waiting.size + maxReplaced → ((heap.length) < (this.#waiting.size + maxReplaced))",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "this.#waiting.size + maxReplaced → ((this.#waiting.size) - (maxReplaced))",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "this.#heaps[index] = heapOf(heap.data.filter((entry) => this.#isCurrent(entry))); → ;",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap.data.filter((entry) => this.#isCurrent(entry)) → heap.data",
    why: "Rebuilding the heaps is a bound of memory: replaced entries are left out anyway.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "this.#waits.clear(); → ;",
    why: "A wait that has ended may be ended again: it costs memory.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "this.#waits.delete(wait); → ;",
    why: "A wait that has ended may be ended again: it costs memory.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "this.#takes += 1 → this.#takes -= 1",
    why: "It is every fifth take in both directions.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "stop, wait.signal → wait.signal, stop",
    why: "Either signal ends the wait, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: 'retry.priority === "retry" && sweep.priority === "sweep" → (retry.priority === "retry")',
    why: "Only a sweep has the trigger `schedule`.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: 'names[0] ?? "" → (names[0])',
    why: "There is a credential; the compiler does not know it.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: 'names[0] ?? "" → ("")',
    why: "Zones that no queue serves go to the first queue, too.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: '"" → "mutant"',
    line: 'this.#byCredential = new Map([[names[0] ?? "", this.#first], ...others]);',
    why: "There is a credential; the compiler does not know it.",
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
    file: "src/reconcile/run/send-fresh.ts",
    how: 'change.verb === "delete" && change.reason === "duplicate" → (change.reason === "duplicate")',
    why: "Only a delete has this reason; the compiler does not know it.",
  },
] as const;
