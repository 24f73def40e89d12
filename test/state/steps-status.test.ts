import { describe, it } from "vitest";

import {
  type ObjectSteps,
  stepStateOf,
  stepStates,
  countSteps,
} from "../../src/state/steps-status.ts";
import { at } from "../support/reports.ts";
import { steppedZone, waiting } from "../support/stepped.ts";

const now = at(28);
const day = 24;
const watched = {
  reason: "watched",
  ms: 0,
  ofMs: 86_400_000,
  isMeasured: true,
  state: undefined,
} as const;

describe("the state of an object with steps", () => {
  it("can be each", ({ expect }) => {
    expect(
      steppedZone(now)
        .objects.map((each) => stepStateOf(each, now))
        .toSorted(),
    ).toEqual(stepStates.toSorted());
  });

  it.for<readonly [why: string, hours: number, more: Partial<ObjectSteps>, state: string]>([
    ["is in its time", 7 * day, {}, "waiting"],
    ["is in twice its time", 14 * day, {}, "waiting"],
    ["took more than twice its time", 14 * day + 1, {}, "stuck"],
    [
      "took twice its time, whatever it waits for",
      15 * day,
      { wait: { reason: "paused" } },
      "stuck",
    ],
    [
      "is not live, however long",
      99 * day,
      { since: undefined, wait: { reason: "not_live" } },
      "waiting",
    ],
    ["is about to be promoted", 7 * day, { wait: undefined }, "waiting"],
    [
      "is watched in its time",
      2 * day,
      { step: "allow", isWatched: true, wait: watched },
      "watched",
    ],
    [
      "is watched for more than twice its time",
      2 * day + 1,
      { step: "allow", isWatched: true, wait: watched },
      "stuck",
    ],
    ["has no known step, however long", 99 * day, { step: undefined }, "unknown"],
    [
      "is at its last step for long",
      99 * day,
      { step: "allow", wait: { reason: "last_step" } },
      "done",
    ],
  ])("that %s", ([, hours, more, state], { expect }) => {
    expect(stepStateOf({ ...waiting(hours, now), ...more }, now)).toBe(state);
  });
});

describe("the counts of objects with steps", () => {
  it("have each state, also those that none is in", ({ expect }) => {
    const zones = [steppedZone(now), { pausedBy: undefined, objects: [waiting(1, now)] }];
    const counts = countSteps(zones, now);
    expect([...(counts ?? [])]).toEqual(
      stepStates.map((state) => [state, state === "waiting" ? 2 : 1]),
    );
    expect(countSteps(zones.slice(1), now)?.get("set_back")).toBe(0);
  });

  it("are none where nothing has steps", ({ expect }) => {
    expect(countSteps([{ pausedBy: undefined, objects: [] }], now)).toBe(undefined);
  });
});
