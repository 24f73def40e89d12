import type { PlantedBug } from "./planted-bug.ts";

/** Bugs of guards and of the order of writes. */
export const writeBugs: readonly PlantedBug[] = [
  {
    name: "not-found-is-a-bug",
    file: "reconcile/run/apply.ts",
    from: "if (!(error instanceof ServiceError) && !isStopped) ports.bug(",
    to: "if (!isStopped) ports.bug(",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "bad_request",
      },
    ],
    invariant: "no-internal-error",
  },
  {
    name: "old-read",
    file: "reconcile/run/write-gate.ts",
    from: "const usualReadAgeMs = 60_000;",
    to: "const usualReadAgeMs = 600_000;",
    story: "shop",
    steps: [
      {
        at: 2,
        does: "retry_after",
      },
    ],
    invariant: "no-write-on-an-old-read",
  },
  {
    name: "old-read-of-an-entry-point",
    file: "reconcile/run/write-gate.ts",
    from: "export const freshReadMs = 5_000;",
    to: "export const freshReadMs = 500_000;",
    story: "rules",
    steps: [
      {
        at: 7,
        does: "slow",
      },
    ],
    invariant: "no-write-on-an-old-read",
  },
  {
    name: "failed-read-is-empty",
    file: "api/read/read-zone.ts",
    from: "    error.status === 404 &&\n    error.wireCodes.includes(wireCodes.noEntrypoint)",
    to: "    error.status >= 400",
    story: "shop",
    steps: [
      {
        at: 5,
        does: "bad_request",
      },
    ],
    invariant: "no-write-on-an-old-read",
  },
  {
    name: "same-answers-are-in-sync",
    file: "reconcile/run/zone-runner.ts",
    from: "${declared} ${answers} ",
    to: "${declared} ${answers.length} ",
    story: "shop",
    steps: [
      {
        at: 18,
        does: "edit_policy",
      },
    ],
    invariant: "in-sync-is-true",
  },
  {
    name: "gate-without-guards",
    file: "reconcile/run/write-gate.ts",
    from: "      holds: this.#holdsAt(this.#clock.now()),",
    to: "      holds: [],",
    story: "shop",
    steps: [
      {
        at: 8,
        does: "observe",
      },
    ],
    invariant: "observe-writes-nothing",
  },
  {
    name: "observe-is-ignored",
    file: "plan/guard/guard.ts",
    from: '...(mode === "observe" ? [observeHold] : []),',
    to: "...[],",
    story: "shop",
    steps: [
      {
        at: 1,
        does: "observe",
      },
    ],
    invariant: "observe-writes-nothing",
  },
  {
    name: "freeze-is-ignored",
    file: "reconcile/run/plan-zone.ts",
    from: "freeze: windows.freezeAt(now),",
    to: "freeze: undefined,",
    story: "shop",
    steps: [
      {
        at: 1,
        does: "freeze",
      },
      {
        at: 3,
        does: "retry_after",
      },
    ],
    invariant: "freeze-writes-nothing",
  },
  {
    name: "suspend-is-ignored",
    file: "plan/guard/guard.ts",
    from: "  return until === undefined || until > now;",
    to: "  return until !== undefined && until > now;",
    story: "shop",
    steps: [
      {
        at: 1,
        does: "files_suspended",
      },
      {
        at: 1,
        does: "retry_after",
      },
    ],
    invariant: "suspend-writes-nothing",
  },
  {
    name: "changed-files-do-not-cancel",
    file: "reconcile/run/zone-runner.ts",
    from: 'if (zone === undefined || inForceDigest(zone) !== digest) gate.close("cancelled");',
    to: "void [zone, digest, gate];",
    story: "shop",
    steps: [
      {
        at: 5,
        does: "delete_policy",
      },
      {
        at: 11,
        does: "files_suspended",
      },
      {
        at: 11,
        does: "slow",
      },
    ],
    invariant: "suspend-writes-nothing",
  },
  {
    name: "first-round-is-open",
    file: "reconcile/fleet/fleet-round.ts",
    from: 'this.#first.phase === "closed" || this.#settled.has(name)',
    to: 'this.#first.phase !== "closed" || this.#settled.has(name)',
    story: "fleet",
    steps: [],
    invariant: "first-round-is-judged",
  },
];
