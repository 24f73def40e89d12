import { describe, it } from "vitest";

import { type AnswerParts, writeAnswers } from "../../src/daemon/zone-answers.ts";
import type { ZoneState } from "../../src/state/zone-state.ts";
import { a, after, drifted, fleetOf, held, shop, stateAfter } from "../support/fleets.ts";
import { change, declared, report, start } from "../support/reports.ts";
import { window } from "../support/window.ts";

/** What blocks a write of a zone at the start of the story, a Saturday. */
function blocked(state: ZoneState, more: Partial<AnswerParts> = {}): readonly string[] {
  const answers = writeAnswers(state, {
    config: { mode: "enforce", windows: [] },
    service: { credentials: [], credentialOf: () => "" },
    election: undefined,
    reconciler: { waitOf: () => undefined },
    now: start,
    ...more,
  });
  return answers.flatMap(({ link, answer, reason }) =>
    answer === "blocked" ? [`${link}: ${reason}`] : [],
  );
}

/** A service whose one credential waits, if it is said until when. */
function serviceWith(pause?: {
  readonly until: Date;
  readonly reason: "rate_limited";
}): AnswerParts["service"] {
  const credentials = [{ name: "main", state: { pause } }];
  return { credentials, credentialOf: ({ name }) => (name === shop ? "main" : "") };
}

describe("what keeps the daemon from writing a zone", () => {
  it("is that it was not read, whichever credential waits, or that its last run failed", ({
    expect,
  }) => {
    const service = serviceWith({ until: start, reason: "rate_limited" });
    expect(blocked(stateAfter(fleetOf()), { service })).toEqual([
      "read: the zone was not read yet",
    ]);
    expect(blocked(after(drifted, { result: "error" }))).toEqual([
      "read: the last run failed: GET page_shield: 503",
    ]);
  });

  it.for([
    { mode: "observe", zoneMode: "enforce", isBlocked: true },
    { mode: "enforce", zoneMode: "observe", isBlocked: true },
    { mode: "enforce", zoneMode: "enforce", isBlocked: false },
  ] as const)(
    "is the mode $mode of all zones, or $zoneMode of this one: $isBlocked",
    (row, { expect }) => {
      const { mode, zoneMode, isBlocked } = row;
      const state = stateAfter(
        fleetOf(declared(shop, { mode: zoneMode })),
        report(shop, 1, drifted),
      );
      const says = isBlocked ? [expect.stringMatching(/^mode: /)] : [];
      expect(blocked(state, { config: { mode, windows: [] } })).toEqual(says);
    },
  );

  it.for([
    { isHeld: true, holder: "a", says: [] },
    { isHeld: false, holder: "b", says: ["lease: b holds the Lease zonewarden"] },
    {
      isHeld: false,
      holder: "a",
      says: ["lease: this process does not hold the Lease zonewarden"],
    },
    { isHeld: false, holder: "", says: ["lease: this process does not hold the Lease zonewarden"] },
  ])("is the Lease where it is held by '$holder': $says", (row, { expect }) => {
    const { isHeld, holder, says } = row;
    const fence = { isHeld: () => isHeld };
    const election = { lease: "zonewarden", identity: "a", fence, view: { holder } };
    expect(blocked(after(drifted), { election })).toEqual(says);
  });

  const stronger = [a, change("policy/b")];
  const mixed = [a, change("policy/b"), change("policy/c", "weakens")];

  it.for([
    { letStrengtheningPass: true, changes: stronger, isBlocked: false },
    { letStrengtheningPass: true, changes: mixed, isBlocked: true },
    { letStrengtheningPass: false, changes: stronger, isBlocked: true },
  ])(
    "is a freeze now: it lets pass: $letStrengtheningPass, blocks: $isBlocked",
    (row, { expect }) => {
      const { letStrengtheningPass, changes, isBlocked } = row;
      const state = after({ result: "planned", cause: "drift", changes });
      const windows = [window({ name: "sale", letStrengtheningPass })];
      expect(blocked(state, { config: { mode: "enforce", windows } })).toEqual(
        isBlocked ? [expect.stringContaining('window: the freeze window "sale" is open')] : [],
      );
    },
  );

  it("is not the freeze or the mode of the last run, but its guards are", ({ expect }) => {
    expect(blocked(after(held("freeze")))).toEqual([]);
    expect(blocked(after(held("observe", "suspend")))).toEqual([]);
    expect(blocked(after(held("freeze", "weakening")))).toEqual([
      expect.stringMatching(/^guards: /),
    ]);
  });

  it("is a credential that waits, and not one that is gone", ({ expect }) => {
    const state = after(drifted);
    expect(blocked(state, { service: serviceWith() })).toEqual([]);
    expect(blocked(state, { service: { ...serviceWith(), credentials: [] } })).toEqual([]);
    expect(
      blocked(state, { service: serviceWith({ until: start, reason: "rate_limited" }) }),
    ).toEqual([
      `budget: requests of the credential main wait until ${start.toISOString()} (rate_limited)`,
    ]);
  });
});
