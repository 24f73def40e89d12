import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of what is deleted and of what is told. */
export const reportBugs: readonly PlantedBug[] = [
  {
    name: "fleet-guard-is-open",
    file: "reconcile/fleet/fleet-guard.ts",
    from: "if (before.size < limits.minFleet || share <= limits.maxFleetShare) return undefined;",
    to: "if (before.size >= 0) return undefined;",
    story: "fleet",
    steps: [
      {
        at: 23,
        does: "files_mass",
      },
    ],
    invariant: "guard-stays-closed",
  },
  {
    name: "weakening-first",
    file: "plan/write-order.ts",
    from: "  return rank(a) - rank(b);",
    to: "  return rank(b) - rank(a);",
    story: "shop",
    steps: [],
    invariant: "never-weaker",
  },
  {
    name: "sends-what-waits",
    file: "reconcile/run/apply.ts",
    from: "  if (waitsFor.length === 0) return undefined;",
    to: "  if (waitsFor.length < 99) return undefined;",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "bad_request",
      },
    ],
    invariant: "never-weaker",
  },
  {
    name: "put-drops-strangers",
    file: "plan/rules/rule-positions.ts",
    from: "    .filter((rule) => !toPrune.has(rule))",
    to: '    .filter((rule) => !toPrune.has(rule) && rule.ref.includes(":"))',
    story: "shop",
    steps: [],
    invariant: "unowned-untouched",
  },
  {
    name: "duplicates-stay",
    file: "plan/prunable.ts",
    from: "      const isDuplicate = seen.has(key);",
    to: "      const isDuplicate = seen.has(key);\n      if (isDuplicate) continue;",
    story: "shop",
    steps: [
      {
        at: 14,
        does: "duplicate_policy",
      },
    ],
    invariant: "in-sync-is-true",
  },
  {
    name: "unknown-is-failed",
    file: "reconcile/run/apply.ts",
    from: 'code === "API_UNKNOWN_OUTCOME" ? "unknown" : "failed"',
    to: 'code === "API_UNKNOWN" + "_" ? "unknown" : "failed"',
    story: "shop",
    steps: [
      {
        at: 8,
        does: "late_request",
      },
    ],
    invariant: "failed-is-failed",
  },
  {
    name: "refused-has-no-effect",
    file: "api/request/answer.ts",
    from: "(status >= 200 && status < 400)",
    to: "(status >= 300 && status < 400)",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "refused_after",
      },
    ],
    invariant: "effects-are-reported",
  },
  {
    name: "lost-answer-is-done",
    file: "api/write/send-write.ts",
    from: "if (after === undefined) throw unknownOutcome(live, write, error);",
    to: 'if (after === undefined) return { live, readAt: 0, shows: "object", ray: "", interleaved: false };',
    story: "fleet",
    steps: [
      {
        at: 15,
        does: "late_request",
      },
    ],
    invariant: "done-is-done",
  },
  {
    name: "pending-is-drift",
    file: "plan/cause/explain.ts",
    from: "  const isDrift = digestOfValue(before) !== last;",
    to: "  const isDrift = last !== digestOfValue(undefined);",
    story: "fleet",
    steps: [
      {
        at: 34,
        does: "files_other",
      },
    ],
    invariant: "drift-has-an-author",
  },
  {
    name: "write-is-not-recorded",
    file: "reconcile/run/apply.ts",
    from: "!(await isRecorded(record(outcomes), signals.stop))",
    to: "false",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "crash_after_effect",
      },
    ],
    invariant: "history-is-complete",
  },
  {
    name: "history-twice",
    file: "daemon/run-history.ts",
    from: "        append(recent.record(step, isRunning));",
    to: "        append(recent.record(step, isRunning));\n        append(recent.record(step, true));",
    story: "shop",
    steps: [],
    invariant: "history-is-complete",
  },
  {
    name: "fleet-is-not-told",
    file: "daemon/reporter.ts",
    from: "      fleet.recordZone(report);\n",
    to: "",
    story: "shop",
    steps: [],
    invariant: "status-is-true",
  },
  {
    name: "lost-term-reports-nothing",
    file: "reconcile/run/apply.ts",
    from: "    if (!isAborted(stop)) throw error;\n    return false;",
    to: "    throw error;",
    story: "shop",
    store: "database",
    steps: [{ at: 8, does: "database_restored" }],
    invariant: "effects-are-reported",
  },
  {
    name: "lost-term-goes-on",
    file: "memory/postgres/postgres-store.ts",
    from: "      this.#ports.onLost(result);\n",
    to: "",
    story: "shop",
    store: "database",
    steps: [{ at: 8, does: "database_restored" }],
    invariant: "converges",
  },
  {
    name: "held-lease-is-free",
    file: "cluster/elector.ts",
    from: "    return silentMs >= Math.max(durationMs ?? 0, timing.durationMs);",
    to: "    return silentMs >= 0;",
    story: "shop",
    store: "database",
    steps: [{ at: 8, does: "same_state" }],
    invariant: "one-process-a-state",
  },
];
