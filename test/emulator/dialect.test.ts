import { describe, it } from "vitest";

import { listOf, resultOf, testEmulator } from "../support/emulator.ts";

describe("the dialect of responses", () => {
  it("can follow the specification page in settings and policies", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { dialect: "specification" });
    const path = `/zones/${await world.zoneId("shop.example.com")}/page_shield`;
    expect(Object.keys(resultOf(await world.call("GET", path))).toSorted()).toEqual([
      "enabled",
      "updated_at",
      "use_connection_url_path",
      "use_service_reporting_endpoint",
    ]);
    const put = resultOf(await world.call("PUT", path, { enabled: false }));
    expect(put).toEqual({ enabled: false, updated_at: "2026-11-20T12:00:00.000000Z" });
    expect(listOf(await world.call("GET", `${path}/policies`))).toMatchObject([
      { enabled: "true" },
    ]);
  });
});
