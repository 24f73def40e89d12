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
  {
    file: "src/reconcile/reconciler.ts",
    how: "latest !== undefined → true",
    why: "A round is judged after a load; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/apply.ts",
    how: "outcomes → undefined",
    line: "if (next === undefined) return outcomes;",
    why: "It is asked before a write, of which there is one; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "!declared.has(name) → false",
    why: "A digest that is kept costs memory.",
  },
  {
    file: "src/reconcile/run/last-applied.ts",
    how: "!declared.has(name) → declared.has(name)",
    why: "A digest that is forgotten is stored again: it costs time.",
  },
  {
    file: "src/reconcile/run/send-fresh.ts",
    how: 'error instanceof ServiceError && error.code === "API_RATE_LIMITED" → (error.code === "API_RATE_LIMITED")',
    why: "No other error has this code; the compiler does not know it.",
  },
  {
    file: "src/reconcile/run/zone-memory.ts",
    how: "removed.length > 0 → ((removed.length) >= (0))",
    why: "The same hashes are stored again: it costs time.",
  },
  {
    file: "src/reconcile/fleet/active-revision.ts",
    how: "false → true",
    line: "this.#isRestored = false;",
    why: "Zones that were listed once stay listed.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: "isInZone → true",
    line: "const named = namedZone(entry, isInZone ? zoneId(second) : undefined, zones);",
    why: "No account has the id of a declared zone.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: 'name ?? "" → (name)',
    why: "Every moment in a time zone has an offset; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "hours ?? 0 → (hours)",
    why: "Every offset has hours; the compiler does not know it.",
  },
  {
    file: "src/reconcile/schedule/windows.ts",
    how: "minutes ?? 0 → (minutes)",
    why: "Every offset has minutes; the compiler does not know it.",
  },
  {
    file: "src/reconcile/inventory/inventory-poller.ts",
    how: "this.#queue.remove(name); → ;",
    why: "A zone that is not declared any more is taken and not read: it costs a turn.",
  },
  {
    file: "src/reconcile/audit/known-writes.ts",
    how: "10_000 → 10001",
    why: "A bound of memory; any number near it will do.",
  },
  {
    file: "src/reconcile/fleet/desired-fleet.ts",
    how: "digests.set(content, digest); → ;",
    why: "The digest is computed again: it costs time.",
  },
  {
    file: "src/reconcile/fleet/zone-directory.ts",
    how: "-Infinity → Infinity",
    line: "#allowedAt = -Infinity;",
    why: "A back-off is shortened to it, and the first failure, which begins one, sets it.",
  },
  {
    file: "src/reconcile/fleet/zone-directory.ts",
    how: "isUrgent → true",
    line: "if (isUrgent) void this.#listAfterWait(stop);",
    why: "A wait until the same moment replaces the one in progress.",
  },
  {
    file: "src/reconcile/fleet/zone-directory.ts",
    how: "await this.#listAfterWait(stop) → this.#listAfterWait(stop)",
    line: "if (this.#failure !== undefined) await this.#listAfterWait(stop);",
    why: "Nobody waits for the end of an attempt.",
  },
  {
    file: "src/reconcile/fleet/zone-directory.ts",
    how: "stop, wait.signal → wait.signal, stop",
    why: "Either signal ends the wait, and which one is asked afterwards.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "before === undefined || !isSame(before, after) → true",
    why: "The same plans are judged again, with the same result: it costs time.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "before.changing?.hash === after?.changing?.hash → undefined",
    why: "The same plans are judged again, with the same result: it costs time.",
  },
  {
    file: "src/reconcile/fleet/active-revision.ts",
    how: "this.#isRestored = false; → ;",
    why: "Zones that were listed once stay listed.",
  },
  {
    file: "src/reconcile/fleet/active-revision.ts",
    how: "known === undefined || known.digest === digest → (known === undefined)",
    why: "Equal content has one digest, whether it counts as suspended or not: it costs time.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "16 → 17",
    why: "The length of a digest; any near it will do.",
  },
  {
    file: "src/reconcile/audit/seen-resources.ts",
    how: "last === undefined || current === undefined → ((last === undefined) && (current === undefined))",
    why: "A difference to a version that is not known is no number, and exceeds nothing.",
  },
  {
    file: "src/reconcile/inventory/inventory-poller.ts",
    how: '"schedule" → ""',
    line: 'for (const name of this.#zones.keys()) this.#queue.add(name, "sweep", "schedule", 0);',
    why: "Nobody is told the trigger of an inventory read.",
  },
  {
    file: "src/reconcile/inventory/inventory-poller.ts",
    how: '"schedule" → ""',
    line: 'if (known === undefined) this.#queue.add(name, "sweep", "schedule", 0);',
    why: "Nobody is told the trigger of an inventory read.",
  },
  {
    file: "src/reconcile/inventory/inventory-poller.ts",
    how: '"schedule" → ""',
    line: 'this.#queue.add(name, "changed", "schedule", 0);',
    why: "Nobody is told the trigger of an inventory read.",
  },
  {
    file: "src/reconcile/inventory/inventory-poller.ts",
    how: '"schedule" → ""',
    line: 'this.#queue.add(name, "sweep", "schedule", retryMs);',
    why: "Nobody is told the trigger of an inventory read.",
  },
  {
    file: "src/reconcile/fleet/active-revision.ts",
    how: "content === desired.content → false",
    why: "The digest of the same content is the same: it costs time.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "0 → 1",
    line: "#declared = 0;",
    why: "Nothing is judged before the first load, which sets it.",
  },
  {
    file: "src/reconcile/fleet/first-round.ts",
    how: "false → true",
    line: "#isAllListed = false;",
    why: "Nothing is judged before the first load, which sets it.",
  },
] as const;
