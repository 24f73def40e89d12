import { describe, it } from "vitest";

import { conditionsText, ladderText, stepEventText } from "../../src/render/step-event-text.ts";
import { logToAllow, promoted, setBack } from "../support/stepped.ts";

describe("a step that an object takes", () => {
  it.for([
    [
      setBack,
      "policy/checkout is set back from allow to log: 130 in 20,000 requests, 65 per 10,000",
    ],
    [
      { ...setBack, cause: { by: "alice" } },
      "policy/checkout is set back from allow to log: by alice",
    ],
    [promoted, "managed_rule/owasp is promoted from 1 to 2"],
    [
      { ...setBack, event: "stopped", from: "log", cause: { by: "alice" } },
      "policy/checkout stays at log: by alice",
    ],
    [
      { ...promoted, event: "watched", from: 2 },
      "managed_rule/owasp is not watched any more, and stays at 2",
    ],
  ] as const)("is told as %j", ([event, text], { expect }) => {
    expect(stepEventText(event)).toBe(text);
  });
});

describe("steps", () => {
  it.for([
    [logToAllow, 0, "log → allow after 7 days"],
    [logToAllow, 1, "allow"],
    [
      { ...logToAllow, steps: ["log", "managed_challenge", "block"] },
      0,
      "log → managed_challenge → block after 7 days each",
    ],
    [
      { ...logToAllow, field: "score_threshold", steps: [60, 40, 25] },
      1,
      "score_threshold 40 → 25 after 7 days",
    ],
  ] as const)("are told as %j from %i on", ([promotion, from, text], { expect }) => {
    expect(ladderText(promotion, from)).toBe(text);
  });

  it.for([
    [
      {},
      "next after 7 days measured, with at most 1 per 10,000, 1,000 requests or more, at most 0 unknown scripts; then watched for 1 day, set back above 5 per 10,000 of 1,000 requests or more",
    ],
    [
      {
        when: { ratePer10k: undefined, unknownScripts: undefined, requestsAtLeast: 1 },
        watchMs: 0,
        rollback: undefined,
      },
      "next after 7 days measured, with 1 request or more",
    ],
    [
      { when: "time_only", rollback: undefined },
      "next after 7 days, whatever is counted; then watched for 1 day",
    ],
  ] as const)("ask for %j", ([more, text], { expect }) => {
    expect(conditionsText({ ...logToAllow, ...more }, "log")).toBe(text);
  });

  it.for([
    [{}, "set back above 5 per 10,000 of 1,000 requests or more"],
    [{ rollback: undefined }, ""],
  ] as const)("ask for nothing more at the last step, with %j", ([more, text], { expect }) => {
    expect(conditionsText({ ...logToAllow, ...more }, "allow")).toBe(text);
  });
});
