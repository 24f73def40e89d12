import { describe, it } from "vitest";

import { coerceObject, coerceObjects, coerceText, type JsonObject } from "../../src/syntax/json.ts";
import {
  goodSeed,
  listOf,
  resultOf,
  type TestEmulator,
  testEmulator,
} from "../support/emulator.ts";

const seed = goodSeed(`
zones:
  - name: shop.example
    settings: { enabled: true }
    scripts:
      - url: https://cdn.example/a.js
        hash: ${"a".repeat(64)}
        versions: [{ hash: ${"a".repeat(64)}, fetched_at: 2d }]
`);
const shop = "shop.example";
const url = "https://pay.example/pay.js";
const page = "https://shop.example/checkout/pay";

async function control(world: TestEmulator, route: string, body: JsonObject): Promise<number> {
  return (await world.control("POST", `/${route}`, body)).status;
}

async function scriptsOn(world: TestEmulator, pages: string): Promise<readonly JsonObject[]> {
  const zone = await world.zoneId(shop);
  const query = `page_url=${pages}&status=active,infrequent`;
  return listOf(await world.call("GET", `/zones/${zone}/page_shield/scripts?${query}`)).map(
    coerceObject,
  );
}

describe("scripts that browsers load", () => {
  it("appear on pages, change their content, and vanish", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    const load = { zone: shop, url, pages: [page], content: "1" };
    expect(await control(world, "script", load)).toBe(200);
    const [first] = await scriptsOn(world, "*/checkout/*");
    expect(first).toMatchObject({ url, status: "infrequent", first_page_url: page });
    expect(await control(world, "script", { ...load, content: "2", score: 3 })).toBe(200);
    expect(await control(world, "script", { ...load, content: "2" })).toBe(200);
    expect(await control(world, "report", { zone: shop, url, times: 3 })).toBe(200);
    const [second] = await scriptsOn(world, "*/checkout/*");
    expect(second).toMatchObject({ status: "active", js_integrity_score: 3 });
    expect(second?.["hash"]).not.toBe(first?.["hash"]);
    const zone = await world.zoneId(shop);
    const item = resultOf(
      await world.call("GET", `/zones/${zone}/page_shield/scripts/${coerceText(first?.["id"])}`),
    );
    expect(coerceObjects(item["versions"]).map(({ hash }) => hash)).toEqual([
      second?.["hash"],
      first?.["hash"],
    ]);
    expect(
      await control(world, "script", { zone: shop, url, pages: ["https://shop.example/"] }),
    ).toBe(200);
    expect(await scriptsOn(world, "*/checkout/*")).toEqual([]);
    expect(await control(world, "script", { zone: shop, url, vanish: true })).toBe(200);
    expect(await control(world, "script", { zone: shop, url, vanish: true })).toBe(404);
  });

  it("are not detected while monitoring is off", async (context) => {
    const { expect } = context;
    await using world = await testEmulator(context, { seed });
    await control(world, "edit", { zone: shop, settings: { enabled: false } });
    expect(await control(world, "script", { zone: shop, url, pages: [page] })).toBe(400);
    expect(await scriptsOn(world, "*/checkout/*")).toEqual([]);
  });

  it("have versions by the seed, whose age counts from the start", async (context) => {
    await using world = await testEmulator(context, { seed });
    const zone = await world.zoneId(shop);
    const [script] = listOf(await world.call("GET", `/zones/${zone}/page_shield/scripts`));
    const id = coerceText(coerceObject(script)["id"]);
    const item = resultOf(await world.call("GET", `/zones/${zone}/page_shield/scripts/${id}`));
    const [version] = coerceObjects(item["versions"]);
    context.expect(version?.["fetched_at"]).toMatch(/^\d{4}-\d{2}-\d{2}T/);
  });
});
