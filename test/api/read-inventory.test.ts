import { describe, it } from "vitest";

import {
  everythingSeen,
  type ItemFilters,
  InventoryReader,
} from "../../src/api/read/read-inventory.ts";
import type { Get } from "../../src/api/request/call.ts";
import { createInventory } from "../../src/api/service.ts";
import type { Item, ItemKind } from "../../src/zone/inventory-item.ts";
import { ServiceError } from "../../src/zone/service-error.ts";
import { emulated } from "../support/emulated.ts";
import { fakeGet } from "../support/get.ts";
import { zone as zoneOf } from "../support/service.ts";

const hash = "b".repeat(64);

const seed = {
  scripts: [
    {
      url: "https://cdn.example/a.js",
      first_seen_at: "3d",
      page_urls: ["https://shop.example.com/pay", "https://shop.example.com/"],
      js_integrity_score: 3,
      hash,
      versions: [{ hash, js_integrity_score: 3, fetched_at: "2026-11-19T00:00:00Z" }],
    },
    {
      url: "https://rare.example/b.js",
      status: "infrequent",
      first_seen_at: "2d",
      page_urls: ["https://shop.example.com/pay"],
    },
    { url: "https://old.example/c.js", status: "inactive", first_seen_at: "20d" },
    { url: "https://shop.example.com/cdn-cgi/d.js", first_seen_at: "1d" },
    { url: "https://cdn.example/copy.js", first_seen_at: "4d", host: "www.shop.example.com", hash },
  ],
  connections: [
    {
      url: "https://api.example/feed",
      url_reported_malicious: true,
      malicious_url_categories: ["Malware"],
    },
  ],
  cookies: [
    { name: "session", http_only_attribute: true, same_site_attribute: "strict" },
    { name: "hint", secure_attribute: false, type: "unknown" },
  ],
};

function nameOf(item: Item): string {
  return item.kind === "cookie" ? item.name : (item.url.split("/").at(-1) ?? "");
}

function readerOf(send: Get): InventoryReader {
  return new InventoryReader(() => send);
}

describe.for(["published", "specification"] as const)("in the %s dialect", (dialect) => {
  it.for<{ kind: ItemKind; filters: ItemFilters; yields: readonly string[] }>([
    { kind: "script", filters: {}, yields: ["copy.js", "a.js"] },
    { kind: "script", filters: { status: ["infrequent"] }, yields: ["b.js"] },
    { kind: "script", filters: { hosts: ["www.*"] }, yields: ["copy.js"] },
    { kind: "script", filters: { page_url: ["*/pay"] }, yields: ["a.js"] },
    { kind: "script", filters: { urls: ["a.js"] }, yields: ["a.js"] },
    { kind: "script", filters: { exclude_urls: ["copy"] }, yields: ["a.js"] },
    { kind: "script", filters: { exclude_cdn_cgi: false }, yields: ["copy.js", "a.js", "d.js"] },
    { kind: "script", filters: { direction: "desc" }, yields: ["a.js", "copy.js"] },
    { kind: "script", filters: { prioritize_malicious: true }, yields: ["a.js", "copy.js"] },
    {
      kind: "script",
      filters: everythingSeen("script"),
      yields: ["c.js", "copy.js", "a.js", "b.js"],
    },
    { kind: "connection", filters: {}, yields: ["feed"] },
    { kind: "cookie", filters: {}, yields: ["session", "hint"] },
    { kind: "cookie", filters: { name: "sess*" }, yields: ["session"] },
    { kind: "cookie", filters: { secure: false }, yields: ["hint"] },
    { kind: "cookie", filters: { http_only: true }, yields: ["session"] },
    { kind: "cookie", filters: { same_site: "strict" }, yields: ["session"] },
    { kind: "cookie", filters: { type: "unknown" }, yields: ["hint"] },
    { kind: "cookie", filters: { path: "/none" }, yields: [] },
    { kind: "cookie", filters: { domain: "none" }, yields: [] },
  ])(
    "lists the $kind items for $filters",
    async ({ kind, filters, yields }, { expect, signal }) => {
      await using world = await emulated(seed, { dialect });
      const inventory = createInventory(world.service);
      const items = await inventory.list(world.zone, kind, filters, signal);
      expect(items.map(nameOf)).toEqual(yields);
    },
  );

  it("reads one script with its pages and versions", async ({ expect, signal }) => {
    await using world = await emulated(seed, { dialect });
    const inventory = createInventory(world.service);
    const filters = { urls: ["a.js"] };
    const [listed] = await inventory.list(world.zone, "script", filters, signal);
    const script = await inventory.read(world.zone, "script", listed?.id ?? "", signal);
    expect(await inventory.readScript(world.zone, listed?.id ?? "", signal)).toEqual(script);
    expect(script).toMatchObject({
      pageUrls: ["https://shop.example.com/", "https://shop.example.com/pay"],
      scores: { integrity: 3, malware: undefined },
      versions: [{ hash, scores: { integrity: 3 }, fetchedAt: new Date("2026-11-19T00:00:00Z") }],
    });
  });

  it("says which item is not there", async ({ expect, signal }) => {
    await using world = await emulated(seed, { dialect });
    const inventory = createInventory(world.service);
    await expect(
      inventory.read(world.zone, "cookie", "0".repeat(32), signal),
    ).rejects.toMatchObject({ code: "API_NOT_FOUND" });
  });
});

describe("a long list", () => {
  const many = Array.from({ length: 730 }, (_, index) => ({
    id: `${index}`,
    url: `https://a/${index}`,
  }));

  function pageOf(page: string): { result: typeof many; resultInfo: { total_count: number } } {
    const from = page === "all" ? 0 : (Number(page) - 1) * 100;
    const result = page === "all" ? many : many.slice(from, from + 100);
    return { result, resultInfo: { total_count: many.length } };
  }

  async function read(
    answer: (page: string) => ReturnType<typeof pageOf>,
    signal: AbortSignal,
  ): Promise<{
    readonly count: number;
    readonly pages: readonly string[];
    readonly progress: number[];
  }> {
    const fake = fakeGet((call) => answer(call.query["page"] ?? ""));
    const progress: number[] = [];
    const items = await readerOf(fake.send).list(zoneOf(), "script", {}, signal, (done) =>
      progress.push(done),
    );
    return {
      count: items.length,
      pages: fake.calls.map(({ query }) => query["page"] ?? ""),
      progress,
    };
  }

  it("is read in one piece after its first page", async ({ expect, signal }) => {
    expect(await read(pageOf, signal)).toEqual({
      count: 730,
      pages: ["1", "all"],
      progress: [100, 730],
    });
  });

  it("is read page by page where one piece is cut", async ({ expect, signal }) => {
    const { count, pages } = await read(
      (page) => (page === "all" ? { ...pageOf(page), result: many.slice(0, 500) } : pageOf(page)),
      signal,
    );
    expect({ count, pages }).toEqual({
      count: 730,
      pages: ["1", "all", "2", "3", "4", "5", "6", "7", "8"],
    });
  });

  it("is read page by page where one piece is refused, and fails where the service is out of reach", async ({
    expect,
    signal,
  }) => {
    let failure: Error = new ServiceError("API_REFUSED", "too large");
    const answer = (page: string): ReturnType<typeof pageOf> => {
      if (page === "all") throw failure;
      return pageOf(page);
    };
    const { count, pages } = await read(answer, signal);
    expect({ count, pages: pages.length }).toEqual({ count: 730, pages: 9 });
    const down = new ServiceError("API_SERVER", "down", { transient: true });
    for (const other of [down, new Error("shutdown")]) {
      failure = other;
      await expect(read(answer, signal)).rejects.toBe(other);
    }
  });

  it("ends where it says no total and a page is short", async ({ expect, signal }) => {
    const fake = fakeGet(({ query }) => ({
      result: query["page"] === "1" ? many.slice(0, 100) : many.slice(100, 107),
    }));
    const items = await readerOf(fake.send).list(zoneOf(), "connection", {}, signal);
    expect(items).toHaveLength(107);
    expect(fake.calls).toHaveLength(2);
  });

  it.for([
    { total: 101, pages: ["1", "2"] },
    { total: 500, pages: ["1", "2", "3", "4", "5"] },
    { total: 501, pages: ["1", "all"] },
    { total: "501", pages: ["1", "2", "3", "4", "5", "6"] },
  ])("of a total of $total: the pages $pages", async ({ total, pages }, { expect, signal }) => {
    const found = many.slice(0, Number(total));
    const fake = fakeGet(({ query }) => {
      const from = query["page"] === "all" ? 0 : (Number(query["page"]) - 1) * 100;
      const to = query["page"] === "all" ? found.length : from + 100;
      return { result: found.slice(from, to), resultInfo: { total_count: total } };
    });
    const told: (number | undefined)[] = [];
    const items = await readerOf(fake.send).list(zoneOf(), "script", {}, signal, (_, of) =>
      told.push(of),
    );
    expect(items).toHaveLength(found.length);
    expect(fake.calls.map(({ query }) => query["page"])).toEqual(pages);
    expect(new Set(told)).toEqual(new Set([typeof total === "number" ? total : undefined]));
  });

  it.for([{ total: undefined }, { total: 1e9 }])(
    "ends where every page is the first one, whatever it says of its total: $total",
    async ({ total }, { expect, signal }) => {
      const fake = fakeGet((call, nth) => {
        if (nth > 9) throw new Error("it goes on and on");
        const isWhole = call.query["page"] === "all";
        const info = total === undefined ? {} : { resultInfo: { total_count: total } };
        return { result: isWhole ? [] : many.slice(0, 100), ...info };
      });
      const items = await readerOf(fake.send).list(zoneOf(), "script", {}, signal);
      expect(items).toHaveLength(100);
    },
  );

  it.for([{ total: undefined }, { total: 1e9 }])(
    "is rejected where its pages never end, with the total $total",
    async ({ total }, { expect, signal }) => {
      const fake = fakeGet((call, nth) => {
        const isWhole = call.query["page"] === "all";
        const info = total === undefined ? {} : { resultInfo: { total_count: total } };
        return { result: isWhole ? [] : [{ id: `${nth}` }], ...info };
      });
      const listing = readerOf(fake.send).list(zoneOf(), "script", {}, signal);
      await expect(listing).rejects.toThrow(
        "GET /zones/{zone_id}/page_shield/scripts: more than 1000 pages",
      );
      await expect(listing).rejects.toMatchObject({ code: "API_MALFORMED" });
      expect(fake.calls.length).toBeLessThanOrEqual(1_001);
    },
  );

  it("is read whole where a page holds less than was asked for", async ({ expect, signal }) => {
    const fake = fakeGet(({ query }) => {
      const from = (Number(query["page"]) - 1) * 50;
      return { result: many.slice(0, 120).slice(from, from + 50) };
    });
    const items = await readerOf(fake.send).list(zoneOf(), "cookie", {}, signal);
    expect(items).toHaveLength(120);
  });
});

it("leaves out what has no id, and reads what has nothing else", async ({ expect, signal }) => {
  const fake = fakeGet(() => ({ result: [{ url: "https://a/" }, { id: "1" }] }));
  const items = await readerOf(fake.send).list(zoneOf(), "script", {}, signal);
  expect(items).toMatchObject([{ id: "1", url: "", status: "", lastSeenAt: undefined }]);
});

describe("what pages loaded", () => {
  it("is every script and connection ever seen, without cookies", async ({ expect, signal }) => {
    await using world = await emulated(seed);
    const seen = await createInventory(world.service).listSeen(world.zone, signal);
    expect(seen.map(nameOf)).toEqual(["c.js", "copy.js", "a.js", "b.js", "feed"]);
  });

  it("is every script ever seen for a plan, which judges scripts alone", async ({
    expect,
    signal,
  }) => {
    await using world = await emulated(seed);
    const scripts = await world.reader.readScripts(world.zone, "sweep", signal);
    expect(scripts.map(nameOf)).toEqual(["c.js", "copy.js", "a.js", "b.js"]);
  });

  it("is listed for single pages, with or without their scheme", async ({ expect, signal }) => {
    await using world = await emulated(seed);
    const inventory = createInventory(world.service);
    for (const page of ["shop.example.com/pay", "*/pay"]) {
      const found = await inventory.listScriptsOn(world.zone, [page], signal);
      expect(found.map(nameOf)).toEqual(["a.js", "b.js"]);
    }
    expect(await inventory.listScriptsOn(world.zone, ["shop.example.com/x"], signal)).toEqual([]);
  });
});
