import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of requests, the budget and the life of a process. */
export const requestBugs: readonly PlantedBug[] = [
  {
    name: "unmanaged-is-not-counted",
    file: "plan/policies/plan-policies.ts",
    from: "unmanaged: unmanaged.map(unmanagedOf),",
    to: "unmanaged: unmanaged.slice(1).map(unmanagedOf),",
    story: "shop",
    steps: [],
    invariant: "metrics-are-true",
  },
  {
    name: "one-zone-stops-all",
    file: "reconcile/fleet/planned-zones.ts",
    from: "if (failures >= attempts) this.#unplanned.delete(name);",
    to: "if (failures > 1_000) this.#unplanned.delete(name);",
    story: "fleet",
    steps: [
      {
        at: 3,
        does: "forbidden",
      },
    ],
    invariant: "no-zone-delays-others",
  },
  {
    name: "never-in-sync",
    file: "plan/policies/policy-match.ts",
    from: "policyFields(before, withoutOurMark(before, owner))",
    to: "policyFields(before, before.description)",
    story: "shop",
    steps: [],
    invariant: "status-is-true",
  },
  {
    name: "writes-while-held",
    file: "reconcile/run/apply.ts",
    from: "  const quota = quotaHolds(report.plan, outcomes);",
    to: '  const quota = report.plan.writes.length > 4 ? [{ reason: "quota", message: "" } as const] : quotaHolds(report.plan, outcomes);',
    story: "shop",
    steps: [],
    invariant: "held-writes-nothing",
  },
  {
    name: "blind-post",
    file: "api/request/retry.ts",
    from: '  if (method === "POST" && error.mayHaveHappened) return false;\n',
    to: "",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "lost_answer",
      },
    ],
    invariant: "no-blind-post",
  },
  {
    name: "budget-without-a-limit",
    file: "api/budget/budget.ts",
    from: "const isFree = this.#waiters.length === 0 && this.#nextRequestAt(priority, now) <= now;",
    to: "const isFree = true;",
    story: "fleet",
    steps: [
      {
        at: 1,
        does: "server_error_after",
      },
      {
        at: 2,
        does: "refused_after",
      },
    ],
    invariant: "budget",
  },
  {
    name: "retry-after-is-ignored",
    file: "api/budget/budget.ts",
    from: "this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonicMs() + ms);",
    to: "this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.monotonicMs() + ms * 1_000);",
    story: "shop",
    steps: [
      {
        at: 1,
        does: "locked_out",
      },
    ],
    invariant: "converges",
  },
  {
    name: "budget-alarm-stays",
    file: "api/budget/budget.ts",
    from: "      // The alarm may have been for this waiter alone: it would keep a stopping process alive.\n      this.#serveWaiters();\n",
    to: "",
    story: "fleet",
    steps: [
      {
        at: 1,
        does: "locked_out",
      },
      {
        at: 3,
        does: "files_suspended",
      },
      {
        at: 7,
        does: "second_start",
      },
      {
        at: 10,
        does: "lost_answer",
      },
    ],
    invariant: "no-leaked-timer",
  },
  {
    name: "timer-of-pages-stays",
    file: "daemon/daemon.ts",
    from: "  using pages = new",
    to: "  const pages = new",
    story: "shop",
    steps: [
      {
        at: 1,
        does: "stop",
      },
    ],
    invariant: "no-leaked-timer",
  },
  {
    name: "stop-is-ignored",
    file: "host/shutdown.ts",
    from: "    stop.abort();\n    void",
    to: "    void",
    story: "shop",
    steps: [],
    invariant: "stops",
  },
  {
    name: "lock-is-ignored",
    file: "memory/directory/state-lock.ts",
    from: "if (holder === undefined || !isGone(holder, ports)) {",
    to: "if (holder === undefined) {",
    story: "shop",
    steps: [
      {
        at: 5,
        does: "same_state",
      },
    ],
    invariant: "one-process-a-state",
  },
  {
    name: "zone-stays-running",
    file: "reconcile/queue/zone-queue.ts",
    from: "    this.#running.delete(zone);\n",
    to: "    if (zone.length > 16) this.#running.delete(zone);\n",
    story: "shop",
    steps: [],
    invariant: "no-stuck-queue",
  },
  {
    name: "verification-rejects",
    file: "daemon/token-checks.ts",
    from: '      .catch((error: unknown) => logger.debug({ err: error }, "tokens cannot be verified"))\n',
    to: "",
    story: "shop",
    steps: [
      {
        at: 2,
        does: "stop",
      },
    ],
    invariant: "no-unhandled-rejection",
  },
];
