import { describe, it } from "vitest";

import { createWriter } from "../../src/api/write/send-write.ts";
import type { Write } from "../../src/zone/write.ts";
import { fakeGet } from "../support/get.ts";
import { zone } from "../support/service.ts";
import { deployTwice, kinds, shop, shopFor, writes } from "../support/writes.ts";

describe("a check", () => {
  it.for(kinds)("of %s stores nothing", async (call, { expect, signal }) => {
    await using shopAt = await shopFor(call);
    const before = await shopAt.look(signal);
    shopAt.journal();
    const verdict = await shopAt.writer.check(before, writes[call](before), signal);
    const isRuleset = /-(?:rule|entrypoint|ruleset)$/.test(call);
    expect(verdict).toBe(isRuleset ? "accepted" : "not-checkable");
    expect(shopAt.journal()).toHaveLength(isRuleset ? 1 : 0);
    expect(await shopAt.look(signal)).toEqual(before);
  });

  it("finds what the service would refuse", async ({ expect, signal }) => {
    await using shopAt = await shop();
    const before = await shopAt.look(signal);
    await expect(shopAt.writer.check(before, deployTwice, signal)).rejects.toMatchObject({
      code: "API_REFUSED",
    });
  });

  it("stops at a service that takes the check for the real thing", async ({ expect, signal }) => {
    const live = {
      zone: zone(),
      settings: undefined,
      policies: undefined,
      entrypoints: {},
      scoreRule: undefined,
    };
    const { send } = fakeGet(() => ({ result: { id: "e1", version: "2", rules: [] } }));
    const write: Write = { call: "put-entrypoint", phase: "managed_rules", rules: [], changes: [] };
    await expect(createWriter(() => send).check(live, write, signal)).rejects.toMatchObject({
      code: "API_MALFORMED",
      mayHaveHappened: true,
    });
  });
});
