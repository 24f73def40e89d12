import { describe, it } from "vitest";

import type { RulePlace } from "../../src/zone/rule-place.ts";
import type { Write } from "../../src/zone/write.ts";
import { rulesetOf, shop, shopFor, writes } from "../support/writes.ts";

const health = { action: "skip", action_parameters: { ruleset: "current" }, expression: "ssl" };

function create(ruleset: string, position: RulePlace, body: object = {}): Write {
  return {
    call: "create-rule",
    phase: "managed_rules",
    ruleset,
    body: { ...health, ref: "zonewarden:new", ...body },
    position,
    changes: [],
  };
}

const first: RulePlace = { after: "", behind: [], before: "" };

describe("a write of a rule that the service refuses", () => {
  it("is a conflict where another came first with the entry point", async ({ expect, signal }) => {
    await using shopAt = await shopFor("create-entrypoint");
    const before = await shopAt.look(signal);
    const write = writes["create-entrypoint"](before);
    await shopAt.writer.write(before, write, signal, signal);
    await expect(shopAt.writer.write(before, write, signal, signal)).rejects.toMatchObject({
      code: "API_CONFLICT",
      transient: true,
      mayHaveHappened: false,
    });
  });

  it("is a conflict where another made the rule first", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    const write = writes["create-rule"](before);
    await shopAt.writer.write(before, write, signal, signal);
    await expect(shopAt.writer.write(before, write, signal, signal)).rejects.toMatchObject({
      code: "API_CONFLICT",
    });
  });

  it("is a conflict where the rule beside it is gone", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    await shopAt.writer.write(before, writes["delete-rule"](before), signal, signal);
    const place = { after: "zonewarden:owasp", behind: [], before: "" };
    const { id: ruleset } = rulesetOf(before);
    await expect(
      shopAt.writer.write(before, create(ruleset, place), signal, signal),
    ).rejects.toMatchObject({ code: "API_CONFLICT" });
    const between = { after: "gone", behind: ["gone too"], before: "also gone" };
    await expect(
      shopAt.writer.write(before, create(ruleset, between), signal, signal),
    ).rejects.toMatchObject({ code: "API_CONFLICT", transient: true });
  });

  it("is refused for good where nobody else wrote", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    const { id: ruleset } = rulesetOf(before);
    const write = create(ruleset, first, { expression: "no expression (" });
    await expect(shopAt.writer.write(before, write, signal, signal)).rejects.toMatchObject({
      code: "API_REFUSED",
      transient: false,
    });
  });
});
