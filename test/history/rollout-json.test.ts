import { describe, it } from "vitest";

import { rolloutRecordFrom, rolloutRecordJson } from "../../src/history/rollout-json.ts";
import type { RolloutRecord, RolloutTurn } from "../../src/state/rollout-turn.ts";

const head = {
  at: new Date("2026-11-26T10:00:00Z"),
  revision: "sha256-1b23e5f4",
  commit: "5a40679",
} as const;

describe("what happened to a rollout, in the history", () => {
  it.for<RolloutTurn>([
    { turn: "began" },
    { turn: "replaced", former: "0d7b1c2e" },
    { turn: "wave_began", wave: 2, zones: 31 },
    { turn: "gate_over", wave: 1, zones: 2, why: "shop.example: 12 violations" },
    { turn: "ended" },
    { turn: "paused", by: "mia", from: "10.0.0.7" },
    { turn: "resumed", by: "mia", from: "10.0.0.7" },
    { turn: "promoted", stepsOf: ["shop.example", "blog.example"], by: "mia", from: "10.0.0.7" },
    { turn: "aborted", zones: 4, by: "", from: "10.0.0.7" },
    { turn: "aborted", zones: 1, stepsOf: ["shop.example"], by: "mia", from: "10.0.0.7" },
  ])("comes back as it was: $turn", (turn, { expect }) => {
    const record: RolloutRecord = { ...head, ...turn };
    const text = JSON.stringify(rolloutRecordJson(record));
    expect(text).toMatch(/^\{"at":/);
    expect(rolloutRecordFrom(JSON.parse(text))).toEqual(record);
  });

  it("leaves out what is of another type", ({ expect }) => {
    const value = {
      at: "2026-11-26T10:00:00Z",
      rollout: "gate_over",
      revision: 7,
      commit: "",
      wave: "2",
      zones: "many",
      steps_of: "shop.example",
      why: 12,
      former: null,
      by: ["mia"],
      from: false,
    };
    expect(rolloutRecordFrom(value)).toStrictEqual({
      at: new Date(value.at),
      turn: "gate_over",
      revision: "",
      commit: undefined,
    });
  });

  it.for([
    { when: "without a moment", value: { rollout: "began" } },
    { when: "that nobody knows", value: { at: "2026-11-26T10:00:00Z", rollout: "exploded" } },
    { when: "that is a list", value: [] },
  ])("is no record $when", ({ value }, { expect }) => {
    expect(rolloutRecordFrom(value)).toBeUndefined();
  });
});
