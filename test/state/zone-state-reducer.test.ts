import * as fc from "fast-check";
import { describe, it } from "vitest";

import { causesIn } from "../../src/plan/cause/cause.ts";
import { driftOf, pendingOf } from "../../src/state/zone-state.ts";
import {
  a,
  after,
  b,
  drifted,
  fleetOf,
  held,
  pending,
  shop,
  stateAfter,
} from "../support/fleets.ts";
import {
  at,
  done,
  failed,
  failure,
  lost,
  report,
  skipped,
  waiting,
  type Came,
  withCause,
} from "../support/reports.ts";

describe("drift", () => {
  it("that was corrected is gone, but was an onset", ({ expect }) => {
    const state = after({ result: "applied", cause: "drift", changes: [a, b] });
    expect(driftOf(state)).toEqual([]);
    expect(state).toMatchObject({
      driftedSince: undefined,
      driftOnsets: 1,
    });
  });

  it("is one onset as long as it lasts, and another one when it comes again", ({ expect }) => {
    expect(after(drifted, drifted).driftOnsets).toBe(1);
    expect(after(drifted, { result: "in_sync" }, drifted).driftOnsets).toBe(2);
    expect(after(drifted, { result: "planned", cause: "drift", changes: [a, b] }).driftOnsets).toBe(
      2,
    );
  });

  it("is dated from when it was first seen", ({ expect }) => {
    const state = after({ result: "in_sync" }, drifted, held("weakening"));
    expect(state).toMatchObject({ driftedSince: at(2), pendingSince: undefined });
    expect(after(pending, pending)).toMatchObject({ driftedSince: undefined, pendingSince: at(1) });
  });

  it("does not end where its cause is forgotten", ({ expect }) => {
    const forgotten: Came = { result: "planned", cause: "unknown", changes: [a] };
    expect(after(drifted, forgotten)).toMatchObject({ driftedSince: at(1), status: "differs" });
    expect(after(forgotten)).toMatchObject({ driftedSince: undefined, status: "differs" });
  });

  it("stays known while the zone cannot be read", ({ expect }) => {
    const state = after(drifted, { result: "error" });
    expect(driftOf(state)).toEqual(withCause("drift", [a]));
    expect(state).toMatchObject({ driftedSince: at(1), status: "error" });
  });

  it("remains where its write was not done", ({ expect }) => {
    const state = after({
      result: "applied",
      cause: "drift",
      changes: [a, b],
      outcomes: [failed("policy/a"), skipped("earlier_failure", "policy/b")],
      left: [a],
    });
    expect(driftOf(state)).toEqual(withCause("drift", [a, b]));
  });

  it("may be there beside changes that wait", ({ expect }) => {
    const causes = [
      { cause: "drift", fields: ["action"] },
      { cause: "pending", fields: ["description"] },
    ] as const;
    const state = after({ result: "planned", cause: "drift", changes: [{ ...a, causes }] });
    expect(state).toMatchObject({ driftedSince: at(1), pendingSince: at(1) });
  });

  it("does not include pending changes", ({ expect }) => {
    const state = after(pending);
    expect(driftOf(state)).toEqual([]);
    expect(pendingOf(state)).toEqual(withCause("pending", [a]));
    expect(state).toMatchObject({
      driftedSince: undefined,
      driftOnsets: 0,
      pendingSince: at(1),
    });
  });
});

describe("what was changed", () => {
  it("is remembered with trigger, revision and what became of each write", ({ expect }) => {
    const state = after({
      result: "applied",
      cause: "pending",
      changes: [a, b],
      outcomes: [
        done("policy/a"),
        failed("policy/b"),
        waiting("managed_rule/c", "policy/b"),
        lost("policy/d"),
      ],
    });
    expect(state.changes).toMatchObject([
      {
        run: "run-1",
        at: at(1),
        trigger: "schedule",
        writes: [
          { call: "update-policy", status: "done", ray: "8f2b", reason: "" },
          { call: "update-policy", status: "failed", ray: "8f2a", reason: "PUT policies: 400" },
          {
            changes: ["managed_rule/c"],
            status: "skipped",
            ray: "",
            reason: "waits for policy/b",
          },
          { changes: ["policy/d"], status: "unknown", ray: "8f2a", reason: "POST policies: reset" },
        ],
      },
    ]);
  });

  it("holds no body of a request, and is bounded", ({ expect }) => {
    const runs = Array.from({ length: 60 }, (): Came => ({
      result: "applied",
      cause: "drift",
      changes: [a],
    }));
    const fleet = fleetOf();
    const state = stateAfter(fleet, ...runs.map((came, minute) => report(shop, minute, came)));
    expect(state.changes.map(({ run }) => run).slice(0, 2)).toEqual(["run-59", "run-58"]);
    expect(state.changes).toHaveLength(10);
    expect(fleet.recent).toHaveLength(50);
    expect(JSON.stringify(state.changes)).not.toContain("body");
  });
});

describe("laws", () => {
  const came = fc.oneof<fc.Arbitrary<Came>[]>(
    fc.constant({ result: "in_sync" }),
    fc.constant({ result: "error", failure: failure() }),
    fc.constantFrom(drifted, pending, held("observe"), held("weakening"), held("suspend")),
    fc.constantFrom<Came>(
      { result: "applied", cause: "drift", changes: [a] },
      { result: "applied", cause: "drift", changes: [a], outcomes: [failed("policy/a")] },
      { result: "applied", cause: "pending", changes: [a], left: [b] },
    ),
  );

  it("whatever went before, a zone in sync has nothing to show", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(came, { maxLength: 12 }), (runs) => {
        const state = after(...runs, { result: "in_sync" });
        expect(state).toMatchObject({
          status: "in_sync",
          differing: [],
          holds: [],
          failure: undefined,
          driftedSince: undefined,
          consecutiveFailures: 0,
        });
      }),
    );
  });

  it("a status never contradicts what differs", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(came, { minLength: 1, maxLength: 12 }), (runs) => {
        const state = after(...runs);
        expect(state.status === "in_sync").toBe(
          state.differing.length === 0 && state.failure === undefined,
        );
        expect(state.differing.length > 0).toBe(causesIn(state.differing).length > 0);
        expect(driftOf(state).length > 0).toBe(state.driftedSince !== undefined);
      }),
    );
  });
});
