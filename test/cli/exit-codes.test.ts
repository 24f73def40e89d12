import { describe, it } from "vitest";

import {
  type ExitCode,
  exitCodeOfApply,
  exitCodeOfFailure,
  exitCodeOfPlan,
  exitCodes,
} from "../../src/cli/output/exit-codes.ts";
import type { Outcome, ZoneReport } from "../../src/state/run-report.ts";
import type { ServiceErrorCode } from "../../src/zone/service-error.ts";
import { held } from "../support/fleets.ts";
import { type Came, change, done, failure, report, writeOf } from "../support/reports.ts";

const { failed, unreachable } = exitCodes;

/** What ends a command for each failure of a request, where no zone did better. */
const codeOf: Readonly<Record<ServiceErrorCode, ExitCode>> = {
  API_UNREACHABLE: unreachable,
  API_TIMEOUT: unreachable,
  API_MALFORMED: failed,
  API_TOO_LARGE: failed,
  API_UNAUTHORIZED: failed,
  API_FORBIDDEN: failed,
  API_NOT_FOUND: failed,
  API_CONFLICT: failed,
  API_QUOTA: failed,
  API_REFUSED: failed,
  API_RATE_LIMITED: unreachable,
  API_SERVER: unreachable,
  API_UNKNOWN_OUTCOME: failed,
  API_BUDGET: unreachable,
  API_NO_CREDENTIAL: failed,
  API_NO_TOKEN: failed,
  API_DEADLINE: failed,
};

const a = change("policy/a");
const b = change("policy/b");

/** Reports of zones of which each came to something. */
function reportsOf(...all: readonly Came[]): readonly ZoneReport[] {
  return all.map((came, nth) => report(`z${nth}.example.com`, nth + 1, came));
}

function unreadable(code: string): Came {
  return { result: "error", failure: failure("no", { code }) };
}

/** A run whose only write failed. */
function unwritten(code: string): Came {
  const outcome: Outcome = {
    status: "failed",
    write: writeOf("policy/a"),
    failure: failure("no", { code }),
  };
  return { result: "applied", cause: "drift", changes: [a], outcomes: [outcome] };
}

describe("a failure of the service", () => {
  it.for(Object.entries(codeOf))(
    "%s ends a command with %i, and some zones with 5",
    ([code, exitCode], { expect }) => {
      expect(exitCodeOfFailure(code)).toBe(exitCode);
      for (const exitCodeOf of [exitCodeOfPlan, exitCodeOfApply]) {
        expect(exitCodeOf(reportsOf(unreadable(code), unreadable(code)))).toBe(exitCode);
        expect(exitCodeOf(reportsOf(unreadable(code), { result: "in_sync" }))).toBe(5);
      }
      expect(exitCodeOfApply(reportsOf(unwritten(code)))).toBe(exitCode);
      expect(exitCodeOfApply(reportsOf(unwritten(code), { result: "in_sync" }))).toBe(5);
    },
  );

  it("of two kinds gets the code of the permanent one", ({ expect }) => {
    const reports = reportsOf(unreadable("API_TIMEOUT"), unreadable("API_FORBIDDEN"));
    expect(exitCodeOfPlan(reports)).toBe(failed);
  });
});

const inSync: Came = { result: "in_sync" };
const ready: Came = { result: "planned", cause: "pending", changes: [a] };
const written: Came = { result: "applied", cause: "pending", changes: [a] };
const half: Came = {
  result: "applied",
  cause: "pending",
  changes: [a, b],
  outcomes: [
    done("policy/a"),
    { status: "skipped", write: writeOf("policy/b"), reason: "shutdown" },
  ],
};

describe("the results of the zones", () => {
  it.for<{ when: string; all: readonly Came[]; plan: ExitCode; apply: ExitCode }>([
    { when: "there are none", all: [], plan: 0, apply: 0 },
    { when: "all are in sync", all: [inSync, inSync], plan: 0, apply: 0 },
    { when: "one has changes", all: [inSync, ready], plan: 2, apply: 0 },
    { when: "a guard holds one", all: [ready, held("weakening")], plan: 4, apply: 4 },
    { when: "one is only observed", all: [inSync, held("observe")], plan: 2, apply: 4 },
    { when: "one is suspended", all: [held("suspend")], plan: 2, apply: 4 },
    {
      when: "one is held and one fails",
      all: [held("unsafe_order"), unreadable("API_SERVER")],
      plan: 5,
      apply: 5,
    },
    { when: "all is written", all: [inSync, written], plan: 2, apply: 0 },
    { when: "a write was not sent", all: [half], plan: 2, apply: 1 },
    {
      when: "what was written did not stay",
      all: [{ ...written, left: [a] }, inSync],
      plan: 2,
      apply: 5,
    },
  ])("when $when, is $plan of plan and $apply of apply", ({ all, plan, apply }, { expect }) => {
    expect(exitCodeOfPlan(reportsOf(...all))).toBe(plan);
    expect(exitCodeOfApply(reportsOf(...all))).toBe(apply);
  });
});
