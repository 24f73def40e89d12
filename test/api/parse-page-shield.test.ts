import { describe, it } from "vitest";

import { policiesOf } from "../../src/api/read/parse-page-shield.ts";

const [a, b] = ["a".repeat(32), "b".repeat(32)];

describe("a list of policies", () => {
  it.for([
    { when: "two policies", ids: [a, b], isOne: true },
    // A policy that is listed twice would be taken for two with the same mark, and one of them deleted.
    { when: "one policy twice", ids: [a, b, a], isOne: false },
    { when: "a policy without an id", ids: [a, ""], isOne: false },
  ])("with $when is one: $isOne", ({ ids, isOne }, { expect }) => {
    const policies = ids.map((id) => ({ id, description: "cart [zonewarden:cart]" }));
    expect(policiesOf(policies) !== undefined).toBe(isOne);
  });
});
