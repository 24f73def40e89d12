import { describe, it } from "vitest";

import { errorOf, goodSeed, resultOf, testEmulator } from "../support/emulator.ts";

describe("Page Shield settings", () => {
  it("are disabled by default", async (context) => {
    await using world = await testEmulator(context);
    const zone = await world.zoneId("www.brand.example");
    context.expect(resultOf(await world.call("GET", `/zones/${zone}/page_shield`))).toMatchObject({
      enabled: false,
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: false,
    });
  });

  it("change one at a time, with the time", async (context) => {
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId("shop.example.com")}/page_shield`;
    await world.control("POST", "/clock", { advance: "1h" });

    const answer = await world.call("PUT", path, { use_connection_url_path: true });
    context.expect(resultOf(answer)).toEqual({
      enabled: true,
      updated_at: "2026-11-20T13:00:00.000000Z",
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: true,
    });
    context.expect(resultOf(await world.call("GET", path))).toEqual(resultOf(answer));
  });

  it("accept both names of the reporting endpoint", async (context) => {
    await using world = await testEmulator(context);
    const path = `/zones/${await world.zoneId("shop.example.com")}/page_shield`;
    const answer = await world.call("PUT", path, { use_service_reporting_endpoint: false });
    context.expect(resultOf(answer)["use_cloudflare_reporting_endpoint"]).toBe(false);
  });

  it.for([
    { body: { use_connection_url_path: true }, pointer: "/use_connection_url_path" },
    {
      body: { use_cloudflare_reporting_endpoint: false },
      pointer: "/use_cloudflare_reporting_endpoint",
    },
  ])(
    "refuse $body without the entitlement, and keep what was",
    async ({ body, pointer }, context) => {
      const seed = goodSeed(`
zones:
  - name: a.example
    plan: free
`);
      await using world = await testEmulator(context, { seed });
      const path = `/zones/${await world.zoneId("a.example")}/page_shield`;
      const before = resultOf(await world.call("GET", path));

      const answer = await world.call("PUT", path, { enabled: true, ...body });
      context.expect(answer.status).toBe(403);
      context.expect(errorOf(answer)).toMatchObject({ source: { pointer } });
      context.expect(resultOf(await world.call("GET", path))).toEqual(before);
    },
  );
});
