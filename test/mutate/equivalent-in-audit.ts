/** Survivors in the audit feed of `reconcile` that were looked at. */
export const equivalentInAudit = [
  {
    file: "src/reconcile/audit/audit-feed.ts",
    how: "this.#loops.delete(following); → ;",
    why: "A loop that has ended may be waited for: it costs memory.",
  },
  {
    file: "src/reconcile/audit/audit-feed.ts",
    how: "error instanceof ServiceError && this.#ports.source.isDenied(error) → (this.#ports.source.isDenied(error))",
    why: "No other error says that no token may read; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/audit-feed.ts",
    how: "error instanceof Error → true",
    why: "Nothing else is thrown; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/audit-window.ts",
    how: "at > newest → ((at) >= (newest))",
    why: "The same moment is taken once more.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "16 → 17",
    why: "The length of a digest; any near it will do.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: 'createHash("sha256").update(drift).digest("base64url").slice(0, 16) → createHash("sha256").update(drift).digest("base64url")',
    why: "The whole digest tells drift apart as well: it costs memory.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "0 → 1",
    line: 'return createHash("sha256").update(drift).digest("base64url").slice(0, 16);',
    why: "The length of a digest; any near it will do.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "until && entry.at <= until → (entry.at <= until)",
    why: "No moment is before one that is not known; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "drift.filter(({ key }) => !corrected.has(key)) → drift",
    why: "What was corrected gets the same moments, and no authors, as what is left.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "before?.found ?? this.#store.authors(zone) → (this.#store.authors(zone))",
    why: "The store gives what was saved after the last run: reading it again costs time.",
  },
  {
    file: "src/reconcile/audit/drift-authors.ts",
    how: "seen === undefined || asDeclared === undefined → (asDeclared === undefined)",
    why: "Of a zone that was never seen, no resource was; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/known-writes.ts",
    how: "10_000 → 10001",
    why: "A bound of memory; any number near it will do.",
  },
  {
    file: "src/reconcile/audit/seen-entries.ts",
    how: "20_000 → 20001",
    why: "A bound of memory; any number near it will do.",
  },
  {
    file: "src/reconcile/audit/seen-entries.ts",
    how: "this.#contents.size <= maxIds → ((this.#contents.size) < (maxIds))",
    why: "A bound of memory; any number near it will do.",
  },
  {
    file: "src/reconcile/audit/seen-resources.ts",
    how: "last === undefined || current === undefined → ((last === undefined) && (current === undefined))",
    why: "A difference to a version that is not known is no number, and exceeds nothing.",
  },
  {
    file: "src/reconcile/audit/seen-resources.ts",
    how: "last === undefined || current === undefined → false",
    why: "A difference to a version that is not known is no number, and exceeds nothing.",
  },
  {
    file: "src/reconcile/audit/seen-resources.ts",
    how: "last === undefined || current === undefined → (last === undefined)",
    why: "A difference to a version that is not known is no number, and exceeds nothing.",
  },
  {
    file: "src/reconcile/audit/seen-resources.ts",
    how: "last === undefined || current === undefined → (current === undefined)",
    why: "A difference to a version that is not known is no number, and exceeds nothing.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: '"" → "mutant"',
    line: 'const [, level, second = "", area = ""] = entry.path.split("/");',
    why: "Any text that is no other product, and no id of a zone, will do.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: "isInZone → true",
    line: "const named = namedZone(entry, isInZone ? zoneId(second) : undefined, zones);",
    why: "No account has the id of a declared zone.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: 'idInPath ?? "" → (idInPath)',
    why: "No zone has an empty id.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: 'rule.action !== "execute" → false',
    why: "Only a rule that executes has a ruleset; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: "continue; → ;",
    line: 'if (rule.action !== "execute") continue;',
    why: "Only a rule that executes has a ruleset; the compiler does not know it.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: '"" → "mutant"',
    line: 'const [, level, , area, ruleset = ""] = path.split("/");',
    why: "Any text that is no id of a ruleset will do.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: '"" → "mutant"',
    line: 'byId.get(idInPath ?? "") ??',
    why: "Any text that is no id of a zone will do.",
  },
  {
    file: "src/reconcile/audit/touched-zones.ts",
    how: "name !== undefined && names.has(name) → (names.has(name))",
    why: "No zone has no name; the compiler does not know it.",
  },
] as const;
