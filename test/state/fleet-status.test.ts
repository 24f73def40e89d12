import { describe, it } from "vitest";

import { holdsOf } from "../../src/state/zone-state.ts";
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
  declared,
  done,
  failed,
  fleetRefusal,
  lost,
  report,
  skipped,
  start,
  type Came,
} from "../support/reports.ts";

describe("the status of a zone", () => {
  it("is unknown until the first run", ({ expect }) => {
    expect(fleetOf().zone(shop)).toMatchObject({
      status: "unknown",
      statusSince: start,
      lastSuccess: undefined,
      consecutiveFailures: 0,
      compared: 0,
      driftOnsets: 0,
    });
  });

  it.for<{ when: string; runs: readonly Came[]; status: string }>([
    { when: "nothing differs", runs: [{ result: "in_sync" }], status: "in_sync" },
    { when: "drift was seen and nobody writes", runs: [drifted], status: "drifted" },
    { when: "a declaration waits", runs: [pending], status: "pending" },
    {
      when: "nobody knows why it differs",
      runs: [{ result: "planned", cause: "unknown", changes: [a] }],
      status: "differs",
    },
    { when: "it is only observed", runs: [held("observe")], status: "drifted" },
    { when: "a guard objects", runs: [held("too_many_deletes")], status: "held" },
    { when: "a window is closed", runs: [held("freeze")], status: "held" },
    {
      when: "a guard objects to what is only observed",
      runs: [held("observe", "weakening")],
      status: "held",
    },
    { when: "it is suspended", runs: [held("suspend", "quota")], status: "suspended" },
    { when: "it cannot be read", runs: [{ result: "error" }], status: "error" },
    {
      when: "everything was carried out",
      runs: [{ result: "applied", cause: "drift", changes: [a, b] }],
      status: "in_sync",
    },
    {
      when: "a write failed",
      runs: [{ result: "applied", cause: "drift", changes: [a], outcomes: [failed("policy/a")] }],
      status: "error",
    },
    {
      when: "the answer to a write was lost",
      runs: [{ result: "applied", cause: "pending", changes: [a], outcomes: [lost("policy/a")] }],
      status: "error",
    },
    {
      when: "a shutdown kept it from being written",
      runs: [
        {
          result: "applied",
          cause: "pending",
          changes: [a, b],
          outcomes: [done("policy/a"), skipped("shutdown", "policy/b")],
        },
      ],
      status: "pending",
    },
    {
      when: "another hand undid what was written",
      runs: [{ result: "applied", cause: "drift", changes: [a], left: [a] }],
      status: "drifted",
    },
    {
      when: "a failure is over",
      runs: [{ result: "error" }, { result: "in_sync" }],
      status: "in_sync",
    },
    {
      when: "a hold is over",
      runs: [held("weakening"), { result: "applied", cause: "drift", changes: [a] }],
      status: "in_sync",
    },
  ])("is $status when $when", ({ runs, status }, { expect }) => {
    expect(after(...runs).status).toBe(status);
  });

  it("has the time of its last change, not of the last run", ({ expect }) => {
    expect(after(drifted, drifted, drifted).statusSince).toEqual(at(1));
    expect(after(drifted, { result: "in_sync" }, drifted).statusSince).toEqual(at(3));
  });
});

const paused = { reason: "migration", until: undefined };

describe("a suspension", () => {
  it("counts from the moment it is declared, and no longer than it is", ({ expect }) => {
    const fleet = fleetOf();
    stateAfter(fleet, report(shop, 1, drifted));
    fleet.declare([declared(shop, { suspension: paused })], at(2));
    expect(fleet.zone(shop)).toMatchObject({ status: "suspended", statusSince: at(2) });

    stateAfter(fleet, report(shop, 3, held("suspend")));
    fleet.declare([declared(shop)], at(4));
    expect(fleet.zone(shop)).toMatchObject({ status: "drifted", statusSince: at(4) });
  });

  it("that has run out is none", ({ expect }) => {
    const fleet = fleetOf(declared(shop, { suspension: { ...paused, until: at(5) } }));
    expect(stateAfter(fleet, report(shop, 4, { result: "in_sync" })).status).toBe("suspended");
    expect(stateAfter(fleet, report(shop, 6, { result: "in_sync" })).status).toBe("in_sync");
  });

  it("hides no failure", ({ expect }) => {
    const fleet = fleetOf(declared(shop, { suspension: paused }));
    expect(stateAfter(fleet, report(shop, 1, { result: "error" })).status).toBe("error");
  });
});

describe("a revision of the files that is held", () => {
  it("holds the zones that it touches until it is released; their status is that of the active one", ({
    expect,
  }) => {
    const fleet = fleetOf();
    stateAfter(fleet, report(shop, 1, { result: "in_sync" }));
    fleet.declare([declared(shop, { hold: fleetRefusal })], at(2));
    const inSync = stateAfter(fleet, report(shop, 3, { result: "in_sync" }));
    expect(inSync).toMatchObject({ status: "in_sync", statusSince: at(1) });
    expect(holdsOf(inSync).map(({ reason: code }) => code)).toEqual(["fleet_change"]);

    expect(stateAfter(fleet, report(shop, 4, drifted)).status).toBe("drifted");
    const state = stateAfter(fleet, report(shop, 5, held("weakening")));
    expect(state.status).toBe("held");
    expect(holdsOf(state).map(({ reason: code }) => code)).toEqual(["fleet_change", "weakening"]);

    stateAfter(fleet, report(shop, 6, { result: "in_sync" }));
    fleet.declare([declared(shop)], at(7));
    expect(fleet.zone(shop)).toMatchObject({ status: "in_sync", statusSince: at(6) });
  });

  it("hides neither a failure nor a suspension", ({ expect }) => {
    const fleet = fleetOf(declared(shop, { hold: fleetRefusal, suspension: paused }));
    expect(stateAfter(fleet, report(shop, 1, { result: "in_sync" })).status).toBe("suspended");
    expect(stateAfter(fleet, report(shop, 2, { result: "error" })).status).toBe("error");
  });
});

describe("success and failure", () => {
  it("a held plan is a success: the zone was read completely", ({ expect }) => {
    expect(after(held("weakening"))).toMatchObject({
      lastSuccess: at(1),
      consecutiveFailures: 0,
    });
  });

  it("failures are counted in a row, and the last success stays", ({ expect }) => {
    const state = after(
      { result: "in_sync" },
      { result: "error" },
      { result: "applied", cause: "drift", changes: [a], outcomes: [failed("policy/a")] },
    );
    expect(state).toMatchObject({
      lastSuccess: at(1),
      consecutiveFailures: 2,
      failure: { message: "PUT policies: 400" },
      lastRun: { at: at(3), durationMs: 1_200 },
    });
    expect(after({ result: "error" }, { result: "in_sync" })).toMatchObject({
      consecutiveFailures: 0,
      failure: undefined,
    });
  });

  it("a shutdown is neither", ({ expect }) => {
    const cut: Came = {
      result: "applied",
      cause: "drift",
      changes: [a],
      outcomes: [skipped("shutdown", "policy/a")],
    };
    expect(after({ result: "error" }, cut)).toMatchObject({
      lastSuccess: undefined,
      consecutiveFailures: 1,
      failure: undefined,
    });
  });

  it("what was written and did not stay is a failure", ({ expect }) => {
    expect(after({ result: "applied", cause: "drift", changes: [a], left: [a] })).toMatchObject({
      lastSuccess: undefined,
      consecutiveFailures: 1,
    });
  });
});
