import { describe, it } from "vitest";

import { type RolloutTurn, turnText } from "../../src/state/rollout-turn.ts";

const mia = { by: "mia", from: "10.0.0.7" };
const six = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.example`);

describe("what happened to a rollout, in a sentence", () => {
  it.for<{ readonly turn: RolloutTurn; readonly text: string }>([
    { turn: { turn: "began" }, text: "rollout began" },
    {
      turn: { turn: "replaced", former: "0d7b1c2e5a40679f" },
      text: "rollout replaced: that of sha256-0d7b1c2e5a40 had not ended",
    },
    {
      turn: { turn: "wave_began", wave: 2, zones: 31 },
      text: "wave 2 began: 31 zones do not wait any longer",
    },
    {
      turn: { turn: "wave_began", wave: 1, zones: 1 },
      text: "wave 1 began: 1 zone does not wait any longer",
    },
    {
      turn: { turn: "gate_over", wave: 3, zones: 2, why: "shop.example: 12 violations" },
      text: "the gate of wave 3 is shut: shop.example: 12 violations",
    },
    { turn: { turn: "resumed", ...mia }, text: "rollout resumed by mia (10.0.0.7)" },
    {
      turn: { turn: "aborted", zones: 4, by: "", from: "10.0.0.7" },
      text: "rollout aborted in 4 zones by 10.0.0.7",
    },
    // A record in the history may lack facts.
    { turn: { turn: "promoted" }, text: "rollout promoted in 0 zones by " },
    { turn: { turn: "paused", by: "mia" }, text: "rollout paused by mia ()" },
    { turn: { turn: "gate_over", wave: 1 }, text: "the gate of wave 1 is shut: " },
    { turn: { turn: "replaced" }, text: "rollout replaced: that of sha256- had not ended" },
    {
      turn: { turn: "paused", stepsOf: six, ...mia },
      text: "steps paused in a.example, b.example, c.example, d.example, e.example and 1 more by mia (10.0.0.7)",
    },
  ])("reads: $text", ({ turn, text }, { expect }) => {
    expect(turnText(turn)).toBe(text);
  });
});
