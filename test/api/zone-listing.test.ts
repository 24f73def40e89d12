import { describe, it } from "vitest";

import { ZoneLister } from "../../src/api/read/zone-listing.ts";
import type { Call, Send } from "../../src/api/request/call.ts";
import { routes } from "../../src/api/routes.ts";
import type { Zone } from "../../src/zone/zone.ts";
import { fakeGet } from "../support/get.ts";
import { type WireZone, wireZones } from "../support/wire-zones.ts";

/** Answers a page of `zones` as the service does, or without `result_info`, or with fewer zones than asked for. */
function page(zones: readonly WireZone[], call: Call, hasInfo = true, most = 50): object {
  const number = Number(call.query["page"]);
  const size = Math.min(Number(call.query["per_page"]), most);
  const result = zones.slice((number - 1) * size, number * size);
  return hasInfo ? { result, resultInfo: { total_count: zones.length } } : { result };
}

function listZones(send: Send, signal: AbortSignal): Promise<readonly Zone[]> {
  return new ZoneLister().list(send, signal);
}

/** An answer with what tells it from others. */
function withDigest(answer: object): object {
  return { ...answer, digest: JSON.stringify(answer) };
}

describe("the zone listing", () => {
  it("carries account, status and plan, in the service's order", async ({ expect, signal }) => {
    const wire = {
      id: "a".repeat(32),
      name: "Shop.Example.com",
      status: "pending",
      account: { id: "acc1", name: "Shops" },
      plan: { legacy_id: "pro" },
      paused: true,
    };
    const { send, calls } = fakeGet(() => ({
      result: [
        wire,
        { ...wire, id: "b".repeat(32), account: null, plan: 1 },
        { ...wire, id: "c".repeat(32), account: { id: "../acc", name: "Odd" } },
      ],
      resultInfo: { total_count: 3 },
    }));
    expect(await listZones(send, signal)).toEqual([
      {
        id: "a".repeat(32),
        name: "shop.example.com",
        status: "pending",
        accountId: "acc1",
        accountName: "Shops",
        tier: "pro",
      },
      expect.objectContaining({ accountId: "", accountName: "", tier: "" }),
      expect.objectContaining({ accountId: "", accountName: "Odd" }),
    ]);
    const query = { page: "1", per_page: "50", order: "name", direction: "asc" };
    expect(calls).toMatchObject([{ route: routes.zones, params: {}, query }]);
  });

  it.for([
    { zones: 0, hasInfo: true, most: 50, requests: 1 },
    { zones: 1, hasInfo: true, most: 50, requests: 1 },
    { zones: 50, hasInfo: true, most: 50, requests: 1 },
    { zones: 51, hasInfo: true, most: 50, requests: 2 },
    { zones: 120, hasInfo: true, most: 50, requests: 3 },
    { zones: 60, hasInfo: true, most: 20, requests: 3 },
    { zones: 61, hasInfo: true, most: 20, requests: 4 },
    { zones: 0, hasInfo: false, most: 50, requests: 2 },
    { zones: 49, hasInfo: false, most: 50, requests: 2 },
    { zones: 50, hasInfo: false, most: 50, requests: 2 },
    { zones: 120, hasInfo: false, most: 50, requests: 3 },
    { zones: 60, hasInfo: false, most: 20, requests: 4 },
  ])(
    "of $zones zones in pages of $most (with a total: $hasInfo) costs $requests requests",
    async (row, context) => {
      const zones = wireZones(row.zones);
      const { send, calls } = fakeGet((call) => page(zones, call, row.hasInfo, row.most));
      const listed = await listZones(send, context.signal);
      context.expect(listed.map(({ name }) => name)).toEqual(zones.map(({ name }) => name));
      context.expect(calls).toHaveLength(row.requests);
    },
  );

  it("is read again when a zone that goes makes another fall between two pages", async ({
    expect,
    signal,
  }) => {
    const before = wireZones(120);
    const after = before.toSpliced(3, 1);
    const { send, calls } = fakeGet((call, nth) => page(nth === 1 ? before : after, call));
    const listed = await listZones(send, signal);
    expect(listed.map(({ name }) => name)).toEqual(after.map(({ name }) => name));
    expect(calls).toHaveLength(6);
  });

  it("is read again when a zone that comes shows another one twice", async ({ expect, signal }) => {
    const before = wireZones(120).slice(1);
    const after = wireZones(120);
    const { send } = fakeGet((call, nth) => page(nth === 1 ? before : after, call));
    const listed = await listZones(send, signal);
    expect(listed).toHaveLength(120);
  });

  it.for([
    { when: "never end", total: undefined, requests: 2_000 },
    { when: "are too short for the total", total: 99_999, requests: 1 },
  ])("whose pages $when is rejected", async ({ total, requests }, { expect, signal }) => {
    const all = wireZones(2_001);
    const { send, calls } = fakeGet((_call, nth) => ({
      result: all.slice(nth, nth + 1),
      ...(total !== undefined && { resultInfo: { total_count: total } }),
    }));
    const listing = listZones(send, signal);
    await expect(listing).rejects.toThrow("more than 2000 pages");
    await expect(listing).rejects.toMatchObject({ code: "API_MALFORMED", fault: "parse" });
    expect(calls).toHaveLength(requests);
  });

  it("that never stands still holds everything that was seen", async ({ expect, signal }) => {
    const all = wireZones(200);
    const { send, calls } = fakeGet((call, nth) => page(all.slice(nth % 2, 110 + nth), call));
    const listed = await listZones(send, signal);
    expect(calls.length).toBeLessThan(12);
    expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
    expect(listed.length).toBeGreaterThanOrEqual(110);
  });

  it.for([
    { nameless: 3, total: 121, says: undefined },
    { nameless: 3, total: 122, says: "the pages hold 121 zones of 122" },
  ])(
    "that never stands still counts each of $nameless elements without an id, of $total in all",
    async ({ nameless, total, says }, { expect, signal }) => {
      const zones = wireZones(118);
      const all = [...zones.slice(0, 10), {}, {}, ...zones.slice(10), {}];
      expect(all).toHaveLength(zones.length + nameless);
      const { send } = fakeGet(({ query }) => {
        const end = Number(query["page"]) * 50;
        const isLast = end >= all.length;
        return {
          result: all.slice(end - 50, end),
          resultInfo: { total_count: isLast ? total : total - 1 },
        };
      });
      const listing = listZones(send, signal);
      if (says === undefined) expect(await listing).toHaveLength(zones.length);
      else await expect(listing).rejects.toThrow(says);
    },
  );

  it.for([1, 2])("ends where every page is page %d or one before it", async (most, context) => {
    const { expect, signal } = context;
    const { send, calls } = fakeGet(({ query }) => {
      const end = 50 * Math.min(Number(query["page"]), most);
      return { result: wireZones(end).slice(end - 50) };
    });
    expect(await listZones(send, signal)).toHaveLength(50 * most);
    expect(calls).toHaveLength(most + 1);
  });

  it.for([
    { when: "every page is the first one", instead: () => "1", hold: 50 },
    {
      when: "the last one is empty",
      instead: (asked = "") => (asked === "3" ? "4" : asked),
      hold: 100,
    },
  ])("that stays short of its total, since $when, is no success", async (row, context) => {
    const { expect, signal } = context;
    const zones = wireZones(120);
    const { send, calls } = fakeGet((call) =>
      page(zones, { ...call, query: { ...call.query, page: row.instead(call.query["page"]) } }),
    );
    await expect(listZones(send, signal)).rejects.toThrow(
      `the pages hold ${row.hold} zones of 120`,
    );
    await expect(listZones(send, signal)).rejects.toMatchObject({
      code: "API_MALFORMED",
      fault: "parse",
      transient: true,
    });
    expect(calls).toHaveLength(18);
  });

  it("asks for no more pages than the shortest ones that the service knows", async ({
    expect,
    signal,
  }) => {
    const zones = wireZones(11);
    const { send, calls } = fakeGet((call) => page(zones, call, true, 2));
    await expect(listZones(send, signal)).rejects.toThrow("the pages hold 6 zones of 11");
    expect(calls.map(({ query }) => query["page"]).slice(0, 3)).toEqual(["1", "2", "3"]);
    expect(calls).toHaveLength(9);
  });

  it.for(["1", null])("reads to its end where its total is %j", async (total, context) => {
    const { expect, signal } = context;
    const { send, calls } = fakeGet(({ query }) => ({
      result: query["page"] === "1" ? wireZones(1) : [],
      resultInfo: { total_count: total },
    }));
    expect(await listZones(send, signal)).toHaveLength(1);
    expect(calls).toHaveLength(2);
  });

  it("asks for all pages after the first side by side", async ({ expect, signal }) => {
    const zones = wireZones(400);
    const { promise, resolve } = Promise.withResolvers<void>();
    let waiting = 0;
    const listed = await listZones(async (call) => {
      const { send } = fakeGet((asked) => page(zones, asked));
      if (call.query["page"] !== "1") {
        waiting += 1;
        if (waiting === 7) resolve();
        await promise;
      }
      return send(call, signal);
    }, signal);
    expect(listed.map(({ name }) => name)).toEqual(zones.map(({ name }) => name));
  });

  it.for([
    { total: 100_000, says: "the second page" },
    { total: 100_001, says: "GET /zones: 100001 zones are too many" },
    { total: 1e9, says: "1000000000 zones are too many" },
  ])("of $total zones ends with: $says", async ({ total, says }, { expect, signal }) => {
    const { send } = fakeGet(({ query }) => {
      if (query["page"] !== "1") throw new Error("the second page");
      return { result: wireZones(50), resultInfo: { total_count: total } };
    });
    await expect(listZones(send, signal)).rejects.toThrow(says);
  });

  it("leaves out what no file could ever name", async ({ expect, signal }) => {
    const zones = [
      { id: "short", name: "a.example" },
      { id: "c".repeat(32), name: "no name!" },
    ];
    const { send } = fakeGet(() => ({ result: zones }));
    expect(await listZones(send, signal)).toEqual([]);
  });

  it.for([{ result: null }, { result: {} }, { result: [null] }, { result: ["shop"] }])(
    "is refused when it is none: $result",
    async ({ result }, { expect, signal }) => {
      const { send } = fakeGet(() => ({ result }));
      await expect(listZones(send, signal)).rejects.toMatchObject({
        code: "API_MALFORMED",
        message: "GET /zones: not a list of zones; unexpected response shape",
      });
    },
  );
});

describe("a listing after another", () => {
  it("takes no page apart that is as it was, and gives the same zones", async ({
    expect,
    signal,
  }) => {
    const lister = new ZoneLister();
    const zones = wireZones(120);
    const { send, calls } = fakeGet((call) => withDigest(page(zones, call)));
    const first = await lister.list(send, signal);
    const unread: Send = async (call, own) => ({
      ...(await send(call, own)),
      result: () => expect.unreachable("the page is known"),
    });
    const again = await lister.list(unread, signal);
    expect(calls).toHaveLength(6);
    expect(again).toHaveLength(120);
    for (const [index, zone] of again.entries()) expect(zone).toBe(first[index]);
  });

  it("shows what changed, came and went", async ({ expect, signal }) => {
    const lister = new ZoneLister();
    const before = wireZones(120);
    const after = [...before.slice(1), { id: "f".repeat(32), name: "zz.example" }].map((zone) =>
      zone === before[60] ? { ...zone, status: "moved" } : zone,
    );
    await lister.list(fakeGet((call) => withDigest(page(before, call))).send, signal);
    const { send } = fakeGet((call) => withDigest(page(after, call)));
    const listed = await lister.list(send, signal);
    expect(listed.map(({ name }) => name)).toEqual(after.map(({ name }) => name));
    expect(listed.filter(({ status }) => status === "moved")).toHaveLength(1);
  });

  it("takes pages apart that have no digest to tell them by", async ({ expect, signal }) => {
    const lister = new ZoneLister();
    await lister.list(fakeGet((call) => page(wireZones(60), call)).send, signal);
    const { send } = fakeGet((call) => page(wireZones(70), call));
    expect(await lister.list(send, signal)).toHaveLength(70);
  });
});
