import { describe, it } from "vitest";

import { isAlreadyApplied } from "../../src/plan/saved/already-applied.ts";
import type { Position, Write } from "../../src/zone/write.ts";
import { absent, entrypoint, liveRule, liveZone } from "../support/model.ts";

const [first, middle, last] = ["a", "b", "c"].map((id) =>
  liveRule(id, { action: "log", expression: "ssl", ref: `ref-${id}` }),
);
const changes = ["rule/b"] as const;
const body = { action: "log", expression: "ssl", ref: "ref-b" };

function moving(position: Position | null): Write {
  return { call: "update-rule", changes, ruleset: "r", id: "b", body, position };
}

/** What the rules are, in their order, when the write that moves the second one is looked at. */
function isDone(position: Position | null, ...rules: readonly (typeof middle)[]): boolean {
  const live = entrypoint(...rules.flatMap((rule) => rule ?? []));
  return isAlreadyApplied(moving(position), liveZone({ entrypoint: live }));
}

describe("a write that moves a rule is carried out", () => {
  it.for([
    { when: "it moves nothing", position: null, done: true },
    { when: "the rule stands before that one", position: { before: "c" }, done: true },
    { when: "the rule stands behind that one", position: { before: "a" }, done: false },
    { when: "another rule is first", position: { before: "" }, done: false },
    { when: "the rule follows that one", position: { after: "a" }, done: true },
    { when: "the rule stands before it instead", position: { after: "c" }, done: false },
    { when: "another rule is last", position: { after: "" }, done: false },
  ])("or not: $when", ({ position, done }, { expect }) => {
    expect(isDone(position, first, middle, last)).toBe(done);
  });

  it("when the rule is the first that was to be first, or the last that was to be last", ({
    expect,
  }) => {
    expect(isDone({ before: "" }, middle, first)).toBe(true);
    expect(isDone({ after: "" }, first, middle)).toBe(true);
  });

  it("not when the rule is gone, or the entry point was not read", ({ expect }) => {
    expect(isDone(null, first, last)).toBe(false);
    expect(isAlreadyApplied(moving(null), liveZone())).toBe(false);
  });
});

describe("where there is no entry point", () => {
  const live = liveZone({ entrypoint: absent });

  it.for([
    { what: "a rule to delete", write: { call: "delete-rule", ruleset: "r", id: "b" }, done: true },
    {
      what: "a rule to create",
      write: { call: "create-rule", ruleset: "r", body, position: { after: "" } },
      done: false,
    },
  ] as const)("$what is carried out: $done", ({ write, done }, { expect }) => {
    expect(isAlreadyApplied({ ...write, changes }, live)).toBe(done);
  });
});
