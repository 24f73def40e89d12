import { describe, it } from "vitest";

import { daily, declaredZone, Detected } from "../support/detected.ts";
import { connection, harmless, script } from "../support/inventory.ts";
import { absent, declared, deployment, policy } from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";

const hourMs = 3_600_000;
const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;

function busy(): Error {
  return new ServiceFault("API_SERVER", true);
}

describe("the inventory poller", () => {
  it("sends no request where the inventory is off", async ({ expect }) => {
    await using at = new Detected(undefined);
    await at.run(48 * hourMs, declaredZone(shop));
    expect(at.requests).toEqual([]);
  });

  it("reads one zone at a time, at the lowest request priority", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 10;
    await at.run(30_000, declaredZone(shop), declaredZone(blog));
    expect(at.requests).toEqual([
      `zone ${shop}`,
      `script ${shop}`,
      `connection ${shop}`,
      `zone ${blog}`,
      `script ${blog}`,
      `connection ${blog}`,
    ]);
    expect([...at.priorities]).toEqual(["inventory"]);
    expect(at.takeResults()).toEqual([`${shop} read`, `${blog} read`]);
  });

  it("spreads a large fleet over the interval, and reads each zone once", async ({ expect }) => {
    await using at = new Detected({ ...daily, everyMs: hourMs });
    const names = Array.from({ length: 1_000 }, (_, index) => `z${index}.example.com`);
    await at.run(hourMs / 4, ...names.map((name) => declaredZone(name)));
    expect(at.reports.length).toBeGreaterThan(300);
    expect(at.reports.length).toBeLessThan(330);
    await at.clock.advance(hourMs / 2);
    expect(at.reports.length).toBeGreaterThanOrEqual(930);
    expect(new Set(at.reports.map(({ zone }) => zone)).size).toBe(at.reports.length);
  });

  it("reads a zone that is declared later, and none that is no longer declared", async ({
    expect,
  }) => {
    await using at = new Detected(daily);
    await at.run(30_000, declaredZone(shop));
    expect(at.takeResults()).toEqual([`${shop} read`]);
    at.rounds.declare([declaredZone(blog)]);
    await at.clock.advance(49 * hourMs);
    expect(new Set(at.takeResults())).toEqual(new Set([`${blog} read`]));
  });

  it("does not report a zone that was dropped from the files meanwhile", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 1_000;
    await at.run(500, declaredZone(shop));
    at.rounds.declare([]);
    await at.clock.advance(30_000);
    expect(at.takeResults()).toEqual([]);
  });

  it("stops during a read", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 1_000;
    await at.run(500, declaredZone(shop), declaredZone(blog));
    at.stop.abort();
    await at.ended;
    expect(at.requests).toEqual([`zone ${shop}`]);
    expect(at.reports).toEqual([]);
  });

  it("starts when the inventory is switched on, and stops when it is switched off", async ({
    expect,
  }) => {
    await using at = new Detected(undefined);
    at.start(declaredZone(shop));
    at.rounds.reconfigure(daily);
    await at.clock.advance(30_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
    at.rounds.reconfigure(undefined);
    await at.clock.advance(48 * hourMs);
    expect(at.takeResults()).toEqual([]);
  });
});

describe("an inventory read that fails", () => {
  it("is retried with back-off where the failure is transient", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    await at.run(60_000, declaredZone(shop));
    // At once, then after 5, 10 and 20 s and the pause between two reads.
    expect(at.takeResults()).toHaveLength(4);
    at.faults.clear();
    await at.clock.advance(60_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
  });

  it("waits for the next interval where it is not permitted", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new ServiceFault("API_FORBIDDEN", false));
    await at.run(23 * hourMs, declaredZone(shop));
    expect(at.takeResults()).toEqual([`${shop} error`]);
    await at.clock.advance(2 * hourMs);
    expect(at.takeResults()).toEqual([`${shop} error`]);
  });

  it.for([
    { refused: "connection", other: "script" },
    { refused: "script", other: "connection" },
  ] as const)(
    "of $refused, which is not available, does not affect $other",
    async (kinds, { expect }) => {
      const { refused, other } = kinds;
      await using at = new Detected(daily);
      at.items.set(shop, [script("https://cdn.example.net/a.js")]);
      at.refusedKind = refused;
      await at.run(0, declaredZone(shop));
      const [report] = at.reports;
      if (report?.result !== "read") throw new Error("not read");
      expect([...report.facts.kinds.keys()]).toEqual([other]);
      expect(report.facts.notPermitted.get(refused)).toMatchObject({ code: "API_FORBIDDEN" });
      await at.clock.advance(20 * hourMs);
      expect(at.requests).toHaveLength(3);
    },
  );

  it("of one kind for a moment is an error of the zone, and is retried", async ({ expect }) => {
    await using at = new Detected(daily);
    let asked = 0;
    at.faults.set(shop, () => ((asked += 1) === 2 ? busy() : undefined));
    await at.run(6_000, declaredZone(shop));
    expect(at.takeResults()).toEqual([`${shop} error`, `${shop} read`]);
  });

  it("of the only kind is an error of the zone", async ({ expect }) => {
    await using at = new Detected({ ...daily, kinds: ["script"] });
    at.refusedKind = "script";
    await at.run(0, declaredZone(shop));
    expect(at.takeResults()).toEqual([`${shop} error`]);
  });

  it("delays no other zone", async ({ expect }) => {
    await using at = new Detected(daily);
    const fault = new Error("a fault of our own");
    at.faults.set(shop, () => fault);
    await at.run(3_000, declaredZone(shop), declaredZone(blog));
    expect(at.takeResults()).toEqual([`${shop} error`, `${blog} read`]);
    expect(at.bugs.take()).toEqual([fault]);
  });
});

describe("an inventory report has", () => {
  const enforced = policy("site", { action: "allow" });
  const own = { id: "p1", description: "By hand", rest: {} };
  const live = { ...enforced, ...own, value: "default-src 'self'" };
  const bad = script("https://evil.example.net/m.js", { scores: { ...harmless, integrity: 3 } });
  const gone = script("https://gone.example.net/a.js", { status: "inactive" });

  it("counts, malicious items and items that no policy allows", async ({ expect }) => {
    await using at = new Detected(daily);
    at.live = { policies: [live] };
    const api = connection("https://api.example.net/orders");
    at.items.set(shop, [bad, gone, script(`https://${shop}/app.js`), api]);
    await at.run(0, declaredZone(shop));
    const [report] = at.reports;
    if (report?.result !== "read") throw new Error("not read");
    const { kinds, malicious, outside, impact } = report.facts;
    expect(kinds.get("script")).toMatchObject({ total: 3, malicious: 1 });
    expect(kinds.get("connection")).toMatchObject({ total: 1 });
    expect(kinds.has("cookie")).toBe(false);
    expect(malicious.map(({ name }) => name)).toEqual([bad.url]);
    expect(outside).toMatchObject({ count: 1, newest: [{ name: bad.url }] });
    expect(impact).toEqual([]);
  });

  it("what follows from the parts that the zone declares, and from its policies", async ({
    expect,
  }) => {
    await using at = new Detected(daily);
    const settings = [{ name: "enabled", value: true }] as const;
    const on = {
      enabled: true,
      use_cloudflare_reporting_endpoint: true,
      use_connection_url_path: false,
    };
    at.live = { policies: [], settings: on };
    await at.run(1_000, declaredZone(shop, { settings }), declaredZone(blog));
    const policies = { policies: true, rules: [], scoreRule: false };
    expect(at.wanted).toMatchObject([
      { ...policies, settings: true },
      { ...policies, settings: false },
    ]);
  });

  it("the impact of the zone's plan", async ({ expect }) => {
    await using at = new Detected(daily);
    at.items.set(shop, [bad]);
    await at.run(0, declaredZone(shop, { policies: declared([enforced]) }));
    const [report] = at.reports;
    const impact = report?.result === "read" ? report.facts.impact.join("\n") : "";
    expect(impact).toContain("✗ newly blocks: 1");
    expect(impact).toContain(bad.url);
  });

  it.for([
    { when: "is held", transient: false, results: ["read"], notes: 1 },
    { when: "fails for a moment", transient: true, results: ["error", "error"], notes: 0 },
  ])(
    "what could be read where a managed ruleset $when, and a retry where that may help",
    async ({ transient, results, notes }, { expect }) => {
      await using at = new Detected(daily);
      at.live = { policies: [], entrypoints: { managed_rules: absent } };
      at.managedFault = new ServiceFault("API_NOT_FOUND", transient);
      await at.run(
        6_000,
        declaredZone(shop, { rules: { managed_rules: declared([deployment("owasp")]) } }),
      );
      const lines = at.reports.flatMap((each) => (each.result === "read" ? each.facts.impact : []));
      expect(at.reports.map(({ result }) => result)).toEqual(results);
      expect(lines.filter((line) => line.includes("API_NOT_FOUND"))).toHaveLength(notes);
    },
  );
});
