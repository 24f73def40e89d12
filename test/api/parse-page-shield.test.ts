import { describe, it } from "vitest";

import { policiesOf } from "../../src/api/read/parse-page-shield.ts";

const [a, b] = ["a".repeat(32), "b".repeat(32)];

const whole = {
  description: "cart [zonewarden:cart]",
  action: "log",
  expression: "ssl",
  enabled: true,
  value: "script-src 'self'",
};

describe("a list of policies", () => {
  it.for([
    { when: "two policies", ids: [a, b], isOne: true },
    // A policy that is listed twice would be taken for two with the same mark, and one of them deleted.
    { when: "one policy twice", ids: [a, b, a], isOne: false },
    { when: "a policy without an id", ids: [a, ""], isOne: false },
  ])("with $when is one: $isOne", ({ ids, isOne }, { expect }) => {
    expect(policiesOf(ids.map((id) => ({ ...whole, id }))) !== undefined).toBe(isOne);
  });

  it.for(Object.keys(whole))("with a policy without its %s is none", (field, { expect }) => {
    // Without its description, a policy would be taken for a stranger's, and created a second time.
    const { [field]: _missing, ...partial }: Record<string, unknown> = { ...whole, id: a };
    expect(policiesOf([partial])).toBe(undefined);
    expect(policiesOf([{ ...partial, [field]: null }])).toBe(undefined);
  });

  it("has the switch of a policy also as text", ({ expect }) => {
    expect(policiesOf([{ ...whole, id: a, enabled: "false" }])).toMatchObject([{ enabled: false }]);
  });
});
