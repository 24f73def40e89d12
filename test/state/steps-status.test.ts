import { describe, it } from "vitest";

import {
  type ObjectSteps,
  stepsLeft,
  stepStateOf,
  stepStates,
  countSteps,
} from "../../src/state/steps-status.ts";
import { at } from "../support/reports.ts";
import { steppedZone, waiting } from "../support/stepped.ts";

const now = at(28);
const watched = {
  reason: "watched",
  ms: 0,
  ofMs: 86_400_000,
  isMeasured: true,
  state: undefined,
} as const;

describe("the state of an object with steps", () => {
  it("can be each", ({ expect }) => {
    expect(steppedZone(now).objects.map(stepStateOf).toSorted()).toEqual(stepStates.toSorted());
  });

  it("is no longer shown in short at its last step", ({ expect }) => {
    expect(stepsLeft(steppedZone(now).objects).map(({ key }) => key)).toEqual([
      "managed_rule/owasp",
      "policy/admin",
      "policy/checkout",
      "policy/new",
      "policy/site",
      "policy/slow",
    ]);
  });

  it.for<readonly [why: string, more: Partial<ObjectSteps>, state: string]>([
    ["is in its time", {}, "waiting"],
    ["took more than twice its time", { isLate: true }, "stuck"],
    ["took that, whatever it waits for", { isLate: true, wait: { reason: "paused" } }, "stuck"],
    ["is not live", { since: undefined, wait: { reason: "not_live" } }, "waiting"],
    ["is about to be promoted", { wait: undefined }, "waiting"],
    ["is watched in its time", { step: "allow", isWatched: true, wait: watched }, "watched"],
    [
      "is watched for more than twice its time",
      { step: "allow", isWatched: true, isLate: true, wait: watched },
      "stuck",
    ],
    ["has no known step", { step: undefined, isLate: true }, "unknown"],
    ["is at its last step", { step: "allow", wait: { reason: "last_step" } }, "done"],
  ])("that %s", ([, more, state], { expect }) => {
    expect(stepStateOf({ ...waiting(31, now), ...more })).toBe(state);
  });
});

describe("the counts of objects with steps", () => {
  it("have each state, also those that none is in", ({ expect }) => {
    const zones = [steppedZone(now), { pausedBy: undefined, objects: [waiting(1, now)] }];
    const counts = countSteps(zones);
    expect([...(counts ?? [])]).toEqual(
      stepStates.map((state) => [state, state === "waiting" ? 2 : 1]),
    );
    expect(countSteps(zones.slice(1))?.get("set_back")).toBe(0);
  });

  it("are none where nothing has steps", ({ expect }) => {
    expect(countSteps([{ pausedBy: undefined, objects: [] }])).toBe(undefined);
  });
});
