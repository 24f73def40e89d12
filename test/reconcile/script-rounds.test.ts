import { describe, it } from "vitest";

import type { InventoryPollerOptions } from "../../src/reconcile/inventory/inventory-poller.ts";
import type { DeclaredScripts } from "../../src/zone/declared-scripts.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import { Detected } from "../support/detected.ts";
import { script } from "../support/inventory.ts";
import { desiredZone, owner, shopZone } from "../support/model.ts";
import { authorised, declaredScripts, eventsIn, findingsIn } from "../support/watched.ts";
import { ServiceFault } from "../support/world.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const daily: InventoryPollerOptions = {
  everyMs: dayMs,
  kinds: ["script"],
  maliciousBelow: 50,
  owner,
};
const shop = shopZone.name;
const pay = "https://pay.example.net/pay.js";
const cdn = "https://cdn.example.net/a.js";
const pages = "scripts on shop.example.com/checkout/*";
const round = [`zone ${shop}`, `script ${shop}`];

function zoneWith(scripts: DeclaredScripts | undefined): DesiredZone {
  return desiredZone({ scripts });
}

function content(hash: string, fetchedAt: Date): Partial<Script> {
  return { hash, fetchedAt, versions: [{ hash, fetchedAt, scores: script("").scores }] };
}

/** A shop whose scripts are declared, on a day after their approval. */
function watched(scripts: DeclaredScripts, ...items: readonly Script[]): Detected {
  const at = new Detected(daily);
  at.items.set(shop, items);
  at.live = {
    policies: [],
    settings: {
      enabled: true,
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: false,
    },
  };
  at.start(zoneWith(scripts));
  return at;
}

/** Runs the round of a day, and gives its requests. */
async function nextRound(at: Detected): Promise<readonly string[]> {
  const before = at.reports.length;
  for (let hours = 0; hours < 30 && at.reports.length === before; hours += 1) {
    await at.clock.advance(hourMs);
  }
  return at.requests.splice(0);
}

describe("the rounds over a zone with declared scripts", () => {
  const pinned = declaredScripts([
    authorised(pay, { approvedOn: "2020-01-01", integrity: { by: "pinned" } }),
    authorised(cdn, { approvedOn: "2020-01-01" }),
  ]);
  const old = new Date("2019-12-01T00:00:00Z");
  const payScript = script(pay, { ...content("a".repeat(64), old), firstSeenAt: old });

  it("cost no more requests than without, while nothing moves", async ({ expect }) => {
    await using plain = new Detected(daily);
    plain.items.set(shop, [payScript, script(cdn)]);
    plain.start(zoneWith(undefined));
    await using at = watched(pinned, payScript, script(cdn));
    expect(await nextRound(plain)).toEqual(round);
    expect(await nextRound(at)).toEqual([...round, pages, `zone ${shop}`, `script ${pay}`]);
    for (let days = 0; days < 5; days += 1) {
      expect(await nextRound(at)).toEqual(await nextRound(plain));
    }
    expect(at.checks.slice(1).flatMap(eventsIn)).toEqual([]);
  });

  it("read versions of a pinned script alone, when its hash or time moved", async ({ expect }) => {
    await using at = watched(pinned, payScript, script(cdn));
    await nextRound(at);
    const moved = content("b".repeat(64), new Date("2026-11-01T00:00:00Z"));
    at.items.set(shop, [{ ...payScript, ...moved }, script(cdn, content("c".repeat(64), old))]);
    expect(await nextRound(at)).toEqual([...round, `script ${pay}`]);
    expect(at.checks.slice(1).flatMap(eventsIn)).toContain(`opened changed ${pay}`);
    expect(await nextRound(at)).toEqual(round);
  });

  it("ask for the pages when there are other scripts, and before a week is over", async ({
    expect,
  }) => {
    await using at = watched(pinned, payScript, script(cdn));
    await nextRound(at);
    const skimmer = script("https://evil.example/x.js");
    at.items.set(shop, [payScript, script(cdn), skimmer]);
    expect(await nextRound(at)).toContain(pages);
    expect(at.checks.flatMap(eventsIn)).toContain(`opened unauthorised ${skimmer.url}`);
    const asked: boolean[] = [];
    for (let days = 0; days < 7; days += 1) asked.push((await nextRound(at)).includes(pages));
    expect(asked.filter(Boolean)).toHaveLength(1);
  });

  it("do not judge scripts of other pages", async ({ expect }) => {
    const blog = script("https://blog.example/x.js");
    await using at = watched(pinned, payScript, blog);
    at.elsewhere.add(blog.id);
    await nextRound(at);
    expect(at.checks.flatMap(findingsIn)).toEqual([]);
  });

  it("keep what was found while the inventory cannot be read, and say so after a week", async ({
    expect,
  }) => {
    await using at = watched(declaredScripts([]), script(pay));
    await nextRound(at);
    at.faults.set(shop, () => new ServiceFault("API_FORBIDDEN", false));
    for (let days = 0; days < 9; days += 1) await nextRound(at);
    const last = at.checks.at(-1);
    expect(last && findingsIn(last)).toEqual([`unauthorised ${pay}`, "gap"]);
    expect(last?.watch.scripts).toHaveLength(1);
  });

  it("do not take a kind that the token may not read for an empty one", async ({ expect }) => {
    await using at = watched(declaredScripts([authorised(pay)]), script(pay));
    at.refusedKind = "script";
    at.rounds.reconfigure({ ...daily, kinds: ["script", "connection"] });
    await nextRound(at);
    expect(at.checks.map(({ watch }) => watch.readAt)).toContain(undefined);
    expect(at.checks.flatMap(findingsIn)).toEqual([]);
  });

  it("take a new declaration soon, and end with it", async ({ expect }) => {
    await using at = watched(declaredScripts([]), script(pay));
    await nextRound(at);
    at.rounds.declare([zoneWith(declaredScripts([authorised(pay, { approvedOn: "2020-01-01" })]))]);
    await at.clock.advance(60_000);
    expect(at.checks.slice(1).flatMap(eventsIn)).toEqual([`closed unauthorised ${pay}`]);
    at.rounds.declare([zoneWith(undefined)]);
    await at.clock.advance(60_000);
    expect(at.watches.size).toBe(0);
  });

  it("go on where a script was deleted before its versions were read", async ({ expect }) => {
    await using at = watched(pinned, payScript);
    let asked = 0;
    at.faults.set(shop, () => {
      asked += 1;
      return asked === 5 ? new ServiceFault("API_NOT_FOUND", false) : undefined;
    });
    await nextRound(at);
    expect(at.reports.map(({ result }) => result)).toEqual(["read"]);
    expect(at.checks.flatMap(findingsIn)).toEqual([]);
  });
});

describe("declared scripts that no round checks", () => {
  const scripts = declaredScripts([authorised(pay)]);

  it.for([
    { options: undefined, told: [shop] },
    { options: { ...daily, kinds: ["connection"] as const }, told: [shop] },
    { options: daily, told: [""] },
  ])("are told: $told", async ({ options, told }, { expect }) => {
    await using at = new Detected(options);
    at.start(zoneWith(scripts));
    expect(at.unchecked).toEqual(told);
  });

  it("are told when the inventory is switched off, and when scripts are declared", async ({
    expect,
  }) => {
    await using at = new Detected(daily);
    at.start(zoneWith(undefined));
    at.rounds.reconfigure(undefined);
    at.rounds.declare([zoneWith(scripts)]);
    at.rounds.reconfigure(daily);
    expect(at.unchecked).toEqual(["", "", shop, ""]);
  });
});
