/** Survivors in the queue of `reconcile` that were looked at. */
export const equivalentInQueue = [
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined → ((heap) === (undefined))",
    why: "Without the rebuilding of heaps, replaced entries cost memory.",
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
] as const;
