import { describe, it } from "vitest";

import type { Fleet } from "../../src/state/fleet.ts";
import type { Item } from "../../src/zone/inventory-item.ts";
import { drifted, fleetOf, held, shop } from "../support/fleets.ts";
import { inventoryRead, inventoryUnreadable } from "../support/inventories.ts";
import { connection, cookie, script } from "../support/inventory.ts";
import { at, declared, failure, fleetRefusal, report } from "../support/reports.ts";
import { freshMetrics, scrape } from "../support/scrapes.ts";
import { authorised, check, day, declaredScripts, readingOf } from "../support/watched.ts";

/** The series that say why zones are held. */
function seriesOfHolds(series: ReadonlyMap<string, number>): readonly string[] {
  return [...series]
    .filter(([name]) => name.startsWith("zonewarden_zone_held"))
    .map(([name, value]) => `${name} ${value}`);
}

describe("the series of a zone", () => {
  it("exist for a zone without a run", async ({ expect }) => {
    const { series } = await scrape(freshMetrics());
    const zone = `zone="${shop}"`;
    expect(series.get(`zonewarden_zone_status{${zone},status="unknown"}`)).toBe(1);
    expect(series.get(`zonewarden_zone_last_success_timestamp_seconds{${zone}}`)).toBe(0);
    expect(seriesOfHolds(series)).toEqual([]);
  });

  it("tell of drift by its impact, and why its plan is held", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.recordZone(report(shop, 1, held("too_many_deletes", "weakening")));
    const { series } = await scrape(freshMetrics(), fleet);
    const zone = `zone="${shop}"`;
    expect(series.get(`zonewarden_drift_resources{${zone},kind="policy",impact="weakens"}`)).toBe(
      1,
    );
    expect(
      series.get(`zonewarden_drift_resources{${zone},kind="policy",impact="strengthens"}`),
    ).toBeUndefined();
    expect(series.get(`zonewarden_drift_detected_total{${zone}}`)).toBe(1);
    expect(seriesOfHolds(series)).toEqual([
      `zonewarden_zone_held{${zone},reason="too_many_deletes"} 1`,
      `zonewarden_zone_held{${zone},reason="weakening"} 1`,
    ]);
    expect(series.get(`zonewarden_zone_last_success_timestamp_seconds{${zone}}`)).toBe(
      at(1).getTime() / 1000,
    );
  });

  it("tell that a revision of the files holds it, from its reading to its release", async ({
    expect,
  }) => {
    const series = `zonewarden_zone_held{zone="${shop}",reason="fleet_change"}`;
    const fleet = fleetOf(declared(shop, { hold: fleetRefusal }));
    const isHeld = async (): Promise<number | undefined> =>
      (await scrape(freshMetrics(), fleet)).series.get(series);
    expect(await isHeld()).toBe(1);
    fleet.recordZone(report(shop, 1, { result: "in_sync" }));
    expect(await isHeld()).toBe(1);
    fleet.declare([declared(shop)], at(2));
    expect(await isHeld()).toBeUndefined();
  });

  it.for([
    { kept: ["a/1.js", "b/2.js", "b/3.js", "a/4.js", "b/5.js"], more: 0, counts: [2, 3] },
    // Those that are not authorised are kept first.
    { kept: ["b/1.js", "b/2.js"], more: 7, counts: [0, 9] },
    { kept: ["b/1.js", "a/2.js", "a/3.js"], more: 7, counts: [9, 1] },
  ])(
    "tell how many scripts on the declared pages are authorised, and how many are not: $kept and $more more",
    async ({ kept, more, counts }, { expect }) => {
      const fleet = fleetOf();
      const reading = readingOf(kept.map((path) => script(`https://cdn.example.net/${path}`)));
      const scripts = declaredScripts([authorised("https://cdn.example.net/a/*")]);
      const { watch } = check(scripts, reading, day(2));
      fleet.recordScripts(shop, { ...watch, moreScripts: more });
      const { series } = await scrape(freshMetrics(), fleet);
      const onPages = `zonewarden_scripts_on_pages{zone="${shop}",authorised=`;
      expect(["true", "false"].map((each) => series.get(`${onPages}"${each}"}`))).toEqual(counts);
    },
  );

  it("go with the zone", async ({ expect }) => {
    const fleet = fleetOf(declared(shop), declared("other.example.com"));
    fleet.recordZone(report(shop, 1, drifted));
    fleet.declare([declared("other.example.com")], at(2));
    const { text } = await scrape(freshMetrics(), fleet);
    expect(text).not.toContain(shop);
    expect(text).toContain("other.example.com");
  });

  it("are at most 15 for a zone in order whose inventory is read", async ({ expect }) => {
    const names = Array.from({ length: 40 }, (_, nth) => `site-${nth}.example.com`);
    const fleet = fleetOf(...names.map((name) => declared(name)));
    fleet.followInventory(true);
    const items = [script("https://cdn.example.net/a.js"), cookie("session")];
    for (const name of names) {
      fleet.recordZone(report(name, 1, { result: "in_sync" }));
      fleet.recordInventory(
        inventoryRead(name, 1, { items, outside: { scripts: [], unclear: 0 } }),
      );
    }
    const { series } = await scrape(freshMetrics(), fleet);
    const ofZones = [...series.keys()].filter((each) => each.includes('zone="'));
    expect(ofZones.length).toBeGreaterThan(5 * names.length);
    expect(ofZones.length).toBeLessThanOrEqual(15 * names.length);
  });

  it("have exactly one status for each zone", async ({ expect }) => {
    const names = ["a.example.com", "b.example.com", "c.example.com"];
    const fleet = fleetOf(...names.map((name) => declared(name)));
    fleet.recordZone(report("a.example.com", 1, drifted));
    fleet.recordZone(report("b.example.com", 1, { result: "error" }));
    const { series } = await scrape(freshMetrics(), fleet);
    for (const name of names) {
      const values = [...series].filter(([key]) =>
        key.startsWith(`zonewarden_zone_status{zone="${name}"`),
      );
      expect(values.map(([, value]) => value)).toEqual([1]);
    }
  });
});

describe("the series of a zone's inventory", () => {
  const bad = { urlReportedMalicious: true, firstSeenAt: at(0) };
  const items: readonly Item[] = [
    script("https://cdn.example.net/a.js"),
    script("https://cdn.example.net/b.js", { status: "infrequent" }),
    script("https://evil.example/now.js", bad),
    script("https://evil.example/then.js", { urlReportedMalicious: true, status: "inactive" }),
    connection("https://evil.example/collect", { ...bad, status: "" }),
    cookie("session"),
    cookie("cart", { firstSeenAt: at(-60) }),
  ];
  const never = {
    'last_success_timestamp_seconds{zone="shop.example.com"}': 0,
    'failing{zone="shop.example.com"}': 0,
    'malicious_found_total{zone="shop.example.com",kind="script"}': 0,
    'malicious_found_total{zone="shop.example.com",kind="connection"}': 0,
  };
  const gauges = {
    ...byStatus("items", { script: [2, 1, 1, 0], connection: [0, 0, 0, 1], cookie: [0, 0, 0, 2] }),
    'new_items{zone="shop.example.com",kind="script"}': 1,
    'new_items{zone="shop.example.com",kind="connection"}': 1,
    'new_items{zone="shop.example.com",kind="cookie"}': 1,
    ...byStatus("malicious_items", { script: [1, 0, 1, 0], connection: [0, 0, 0, 1] }),
    'scripts_outside_policies{zone="shop.example.com"}': 2,
  };
  const read = {
    ...gauges,
    'last_success_timestamp_seconds{zone="shop.example.com"}': Number(at(1)) / 1000,
    'failing{zone="shop.example.com"}': 0,
    'malicious_found_total{zone="shop.example.com",kind="script"}': 1,
    'malicious_found_total{zone="shop.example.com",kind="connection"}': 1,
  };
  const scripts = [script("https://a.example/"), script("https://b.example/")];
  const looked = inventoryRead(shop, 1, { items, outside: { scripts, unclear: 1 } });

  it("do not exist while inventories are off", async ({ expect }) => {
    const fleet = fleetOf();
    expect(await inventorySeries(fleet)).toEqual({});
    fleet.followInventory(true);
    fleet.recordInventory(looked);
    fleet.followInventory(false);
    expect(await inventorySeries(fleet)).toEqual({});
  });

  it("begin with the counters at zero: what was not read has no numbers", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.followInventory(true);
    expect(await inventorySeries(fleet)).toEqual(never);
    fleet.declare([declared(shop), declared("new.example.com")], at(1));
    const text = JSON.stringify(never).replaceAll(shop, "new.example.com");
    expect(await inventorySeries(fleet, "new.example.com")).toEqual(JSON.parse(text));
  });

  it("are all there once it was read", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.followInventory(true);
    fleet.recordInventory(looked);
    expect(await inventorySeries(fleet)).toEqual(read);
  });

  it("keep the last read when a read fails", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.followInventory(true);
    fleet.recordInventory(inventoryUnreadable(shop, 0));
    const failing = 'failing{zone="shop.example.com"}';
    expect(await inventorySeries(fleet)).toEqual({ ...never, [failing]: 1 });
    fleet.recordInventory(looked);
    fleet.recordInventory(inventoryUnreadable(shop, 2));
    expect(await inventorySeries(fleet)).toEqual({ ...read, [failing]: 1 });
  });

  it("show which kinds are not permitted", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.followInventory(true);
    const kinds = ["script", "connection"] as const;
    const notPermitted = new Map([["cookie", failure("403")]] as const);
    fleet.recordInventory(inventoryRead(shop, 1, { kinds, notPermitted }));
    const series = await inventorySeries(fleet);
    expect(series).toMatchObject({
      'failing{zone="shop.example.com"}': 0,
      'not_permitted{zone="shop.example.com",kind="cookie"}': 1,
    });
    expect(Object.keys(series)).not.toContain('new_items{zone="shop.example.com",kind="cookie"}');
  });

  it("have no series without an enforced policy or for other kinds", async ({ expect }) => {
    const fleet = fleetOf();
    fleet.followInventory(true);
    fleet.recordInventory(inventoryRead(shop, 1, { items: [cookie("cart")], kinds: ["cookie"] }));
    const names = Object.keys(await inventorySeries(fleet));
    expect(names.filter((name) => name.startsWith("scripts_outside"))).toEqual([]);
    expect(names.filter((name) => /^\w*items\{/.test(name) && !/cookie/.test(name))).toEqual([]);
    expect(names).toContain('items{zone="shop.example.com",kind="cookie",status="none"}');
  });
});

/** The series of each kind with its counts of items that are active, infrequent, inactive, and of no status. */
function byStatus(
  name: string,
  counts: Readonly<Record<string, readonly number[]>>,
): Readonly<Record<string, number | undefined>> {
  const rows = Object.entries(counts).flatMap(([kind, values]) =>
    ["active", "infrequent", "inactive", "none"]
      .map((status, nth) => {
        return [`${name}{zone="${shop}",kind="${kind}",status="${status}"}`, values[nth]] as const;
      })
      .filter(([, value]) => value !== 0),
  );
  return Object.fromEntries(rows);
}

/** The series of a zone's inventory, without the beginning that they share. */
async function inventorySeries(
  fleet: Fleet,
  zone: string = shop,
): Promise<Readonly<Record<string, number>>> {
  const { series } = await scrape(freshMetrics(), fleet);
  const beginning = "zonewarden_inventory_";
  return Object.fromEntries(
    [...series]
      .filter(([name]) => name.startsWith(beginning) && name.includes(`zone="${zone}"`))
      .map(([name, value]) => [name.slice(beginning.length), value]),
  );
}
