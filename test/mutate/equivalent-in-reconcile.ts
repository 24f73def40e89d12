/** Survivors in `reconcile` that were looked at. */
export const equivalentInReconcile = [
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: '"" → "mutant"',
    line: 'const [, level, second = "", area = ""] = entry.path.split("/");',
    why: "Any text that is no other product, and no id of a zone, will do.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "0 → 1",
    line: "this.#isSmall ? fleetLimits : { ...fleetLimits, minFleet: 0 },",
    why: "A fleet that is judged has at least one zone.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "[this.#judged, this.#failures, this.#accepted] → []",
    line: "for (const memory of [this.#judged, this.#failures, this.#accepted]) memory.clear();",
    why: "Nobody asks after the round is closed: it costs memory.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "memory.clear(); → ;",
    why: "Nobody asks after the round is closed: it costs memory.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "this.#settled.clear(); → ;",
    why: "Nobody asks after the round is closed: it costs memory.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "this.#unplanned.clear(); → ;",
    why: "Nobody asks after the round is closed: it costs memory.",
  },
  {
    file: "src/reconcile/queue/zone-queue.ts",
    how: "heap !== undefined → ((heap) === (undefined))",
    why: "Without the rebuilding of heaps, replaced entries cost memory.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "this.#inSync.set(name, zone.digest); → ;",
    why: "The same text is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/plan-zone.ts",
    how: "await planFromSource(source, request, ports, signal) → planFromSource(source, request, ports, signal)",
    line: "return await planFromSource(source, request, ports, signal);",
    why: "An asynchronous function that returns a promise waits for it.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: "?.toSorted → .toSorted",
    why: "A policy is written only where the policies were read; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/write-gate.ts",
    how: "10_000 → 10001",
    why: "A guess; any time near it will do.",
  },
] as const;
