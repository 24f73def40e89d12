import { describe, it } from "vitest";

import { RequestQuota } from "../../src/emulator/http/request-quota.ts";
import { codeOf, goodSeed, testEmulator } from "../support/emulator.ts";

const seed = goodSeed(`
rate_limit: { requests: 3, window: 5m, lockout: 5m }
tokens:
  - { name: everything, value: emulator-token }
  - { name: other, value: other }
zones: []
`);

describe("the rate limit", () => {
  it("rejects a credential for five minutes after it is exceeded, on the emulator's clock", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const standing = async (): Promise<string> => {
      const { status, headers } = await world.call("GET", "/zones");
      return `${status} ${headers.get("ratelimit") ?? ""} ${headers.get("retry-after") ?? "-"}`;
    };
    expect(await standing()).toBe('200 "default";r=2;t=300 -');
    await world.control("POST", "/clock", { advance: "200s" });
    expect(await standing()).toBe('200 "default";r=1;t=100 -');
    expect(await standing()).toBe('200 "default";r=0;t=100 -');
    expect(await standing()).toBe('429 "default";r=0;t=300 300');
    await world.control("POST", "/clock", { advance: "299s" });
    expect(await standing()).toBe('429 "default";r=0;t=1 1');
    await world.control("POST", "/clock", { advance: "1s" });
    expect(await standing()).toBe('200 "default";r=2;t=300 -');
  });

  it("responds with 971, and does not affect other credentials", async (context) => {
    await using world = await testEmulator(context, { seed });
    for (let count = 0; count < 3; count += 1) await world.call("GET", "/zones");
    context.expect(codeOf(await world.call("GET", "/zones"))).toBe(971);
    context.expect((await world.call("GET", "/zones", undefined, "other")).status).toBe(200);
  });

  it("can be disabled", async (context) => {
    const unlimited = goodSeed("rate_limit: false\nzones: []\n");
    await using world = await testEmulator(context, { seed: unlimited });
    context.expect((await world.call("GET", "/zones")).headers.get("ratelimit")).toBeNull();
  });

  it("starts a new window after the old one", ({ expect }) => {
    const limiter = new RequestQuota();
    const limit = { requests: 1, windowMs: 1_000, lockoutMs: 5_000 };
    const allowed = [0, 1_000, 2_000, 2_500, 7_499, 7_500].map(
      (moment) => limiter.take(limit, "a", new Date(moment)).allowed,
    );
    expect(allowed).toEqual([true, true, true, false, false, true]);
  });
});
