import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import {
  InventoryRounds,
  type InventoryRoundsOptions,
} from "../../src/reconcile/inventory-rounds.ts";
import type { InventoryReport } from "../../src/report/zone-inventory.ts";
import type { DesiredZone } from "../../src/zone/desired.ts";
import type { Item, ItemKind } from "../../src/zone/inventory.ts";
import type { LiveZone } from "../../src/zone/live.ts";
import { SimulatedClock } from "../support/clock.ts";
import { harmless, script } from "../support/inventory.ts";
import { declared, desiredZone, liveZone, owner, policy, zoneNamed } from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";

const hourMs = 3_600_000;
const daily: InventoryRoundsOptions = {
  everyMs: 24 * hourMs,
  kinds: ["script", "connection"],
  maliciousBelow: 50,
  owner,
};
const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;

/** Zones with what was detected in them, and rounds over them on a clock that stands still. */
class Detected implements AsyncDisposable {
  readonly clock = new SimulatedClock();
  readonly reports: InventoryReport[] = [];
  /** `script shop.example.com`, as they began. */
  readonly requests: string[] = [];
  readonly urgencies = new Set<string>();
  readonly items = new Map<string, readonly Item[]>();
  readonly faults = new Map<string, () => Error | undefined>();
  refusedKind: ItemKind | undefined;
  latencyMs = 0;
  /** What is live in every zone. */
  live: Partial<LiveZone> = { policies: [] };
  readonly stop = new AbortController();
  readonly rounds: InventoryRounds;
  #bugs: readonly unknown[] = [];
  #ended: Promise<void> = Promise.resolve();

  constructor(options: InventoryRoundsOptions | undefined) {
    this.rounds = new InventoryRounds(options, {
      source: {
        readAnswers: async (zone, { policies }, urgency, signal) => {
          this.urgencies.add(urgency);
          const live = policies ? this.live : { ...this.live, policies: undefined };
          await this.#request(zone.name, `zone ${zone.name}`, signal);
          return { digest: "", live: () => liveZone({ ...live, zone }) };
        },
        listItems: async (zone, kind, signal) => {
          await this.#request(zone.name, `${kind} ${zone.name}`, signal);
          if (kind === this.refusedKind) throw new ServiceFault("API_FORBIDDEN", false);
          return (this.items.get(zone.name) ?? []).filter((item) => item.kind === kind);
        },
        readManaged: () => Promise.reject(new Error("nobody asks for it")),
      },
      clock: this.clock,
      random: () => 1,
      report: (report) => this.reports.push(report),
      bug: (error) => {
        this.#bugs = [...this.#bugs, error];
      },
    });
  }

  /** Starts the rounds over some zones. */
  start(...zones: readonly DesiredZone[]): void {
    this.rounds.declare(zones);
    this.#ended = this.rounds.runUntil(this.stop.signal);
  }

  /** Resolves when the rounds have ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Faults of the program that were told, for a test that expects them. */
  takeBugs(): readonly unknown[] {
    const bugs = this.#bugs;
    this.#bugs = [];
    return bugs;
  }

  /** Ends the rounds, and throws where a fault of the program was told that the test did not take. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort();
    await this.#ended;
    if (this.#bugs.length > 0) throw new AggregateError(this.#bugs, "faults of the program");
  }

  /** Results since the last call: `shop.example.com read`. */
  told(): readonly string[] {
    return this.reports.splice(0).map(({ zone, result }) => `${zone} ${result}`);
  }

  async #request(zone: string, name: string, signal: AbortSignal): Promise<void> {
    this.requests.push(name);
    await this.clock.sleep(this.latencyMs, signal);
    const fault = this.faults.get(zone)?.();
    if (fault !== undefined) throw fault;
  }
}

function declaredZone(name: string, content: Partial<DesiredZone["content"]> = {}): DesiredZone {
  return { ...desiredZone(content), zone: zoneNamed(name) };
}

describe("the rounds", () => {
  it("ask for nothing where nobody wants to know", async ({ expect }) => {
    await using at = new Detected(undefined);
    at.start(declaredZone(shop));
    await at.clock.advance(48 * hourMs);
    expect(at.requests).toEqual([]);
  });

  it("look at one zone after the other, last of all who ask for the budget", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 10;
    at.start(declaredZone(shop), declaredZone(blog));
    await at.clock.advance(30_000);
    expect(at.requests).toEqual([
      `zone ${shop}`,
      `script ${shop}`,
      `connection ${shop}`,
      `zone ${blog}`,
      `script ${blog}`,
      `connection ${blog}`,
    ]);
    expect([...at.urgencies]).toEqual(["inventory"]);
    expect(at.told()).toEqual([`${shop} read`, `${blog} read`]);
  });

  it("spread a large fleet over its period, and look at each zone once", async ({ expect }) => {
    await using at = new Detected({ ...daily, everyMs: hourMs });
    const names = Array.from({ length: 1_000 }, (_, index) => `z${index}.example.com`);
    at.start(...names.map((name) => declaredZone(name)));
    await at.clock.advance(hourMs / 4);
    expect(at.reports.length).toBeGreaterThan(300);
    expect(at.reports.length).toBeLessThan(330);
    await at.clock.advance(hourMs / 2);
    expect(at.reports.length).toBeGreaterThanOrEqual(930);
    expect(new Set(at.reports.map(({ zone }) => zone)).size).toBe(at.reports.length);
  });

  it("come back to each zone once in a period", async ({ expect }) => {
    await using at = new Detected(daily);
    at.start(declaredZone(shop), declaredZone(blog));
    await at.clock.advance(23 * hourMs);
    expect(at.told()).toHaveLength(2);
    await at.clock.advance(2 * hourMs);
    expect(at.told().toSorted()).toEqual([`${blog} read`, `${shop} read`]);
  });

  it("look at a zone that is declared later, and no more at one that is not", async ({
    expect,
  }) => {
    await using at = new Detected(daily);
    at.start(declaredZone(shop));
    await at.clock.advance(30_000);
    expect(at.told()).toEqual([`${shop} read`]);
    at.rounds.declare([declaredZone(blog)]);
    await at.clock.advance(49 * hourMs);
    expect(new Set(at.told())).toEqual(new Set([`${blog} read`]));
  });

  it("do not tell of a zone that was taken out of the files meanwhile", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 1_000;
    at.start(declaredZone(shop));
    await at.clock.advance(500);
    at.rounds.declare([]);
    await at.clock.advance(30_000);
    expect(at.told()).toEqual([]);
  });

  it("end in the middle of a look when told to stop", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 1_000;
    at.start(declaredZone(shop), declaredZone(blog));
    await at.clock.advance(500);
    at.stop.abort();
    await at.ended;
    expect(at.requests).toEqual([`zone ${shop}`]);
    expect(at.reports).toEqual([]);
  });

  it("begin when they are switched on, and end when they are switched off", async ({ expect }) => {
    await using at = new Detected(undefined);
    at.start(declaredZone(shop));
    at.rounds.reconfigure(daily);
    await at.clock.advance(30_000);
    expect(at.told()).toEqual([`${shop} read`]);
    at.rounds.reconfigure(undefined);
    await at.clock.advance(48 * hourMs);
    expect(at.told()).toEqual([]);
  });
});

describe("a look that fails", () => {
  it("is tried again soon, and ever later, where it may pass", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new ServiceFault("API_SERVER", true));
    at.start(declaredZone(shop));
    await at.clock.advance(60_000);
    // At once, then after 5 seconds and the rest between two looks, after 10 and after 20.
    expect(at.told()).toHaveLength(4);
    at.faults.clear();
    await at.clock.advance(60_000);
    expect(at.told()).toEqual([`${shop} read`]);
  });

  it("waits for the next period where it is not allowed", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new ServiceFault("API_FORBIDDEN", false));
    at.start(declaredZone(shop));
    await at.clock.advance(23 * hourMs);
    expect(at.told()).toEqual([`${shop} unreadable`]);
    await at.clock.advance(2 * hourMs);
    expect(at.told()).toEqual([`${shop} unreadable`]);
  });

  it("of one kind that the contract does not show hides no other", async ({ expect }) => {
    await using at = new Detected(daily);
    at.items.set(shop, [script("https://cdn.example.net/a.js")]);
    at.refusedKind = "connection";
    at.start(declaredZone(shop));
    await at.clock.advance(0);
    const [report] = at.reports;
    if (report?.result !== "read") throw new Error("not read");
    expect([...report.facts.kinds.keys()]).toEqual(["script"]);
    expect(report.facts.refused.get("connection")).toMatchObject({ code: "API_FORBIDDEN" });
    await at.clock.advance(20 * hourMs);
    expect(at.requests).toHaveLength(3);
  });

  it("holds no other zone up", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new Error("a fault of our own"));
    at.start(declaredZone(shop), declaredZone(blog));
    await at.clock.advance(3_000);
    expect(at.told()).toEqual([`${shop} unreadable`, `${blog} read`]);
    expect(at.takeBugs()).toHaveLength(1);
  });
});

describe("a look tells", () => {
  const enforced = policy("site", { action: "allow" });
  const live = { ...enforced, id: "p1", description: "By hand", rest: {} };
  const bad = script("https://evil.example.net/m.js", { scores: { ...harmless, integrity: 3 } });
  const gone = script("https://gone.example.net/a.js", { status: "inactive" });

  it("numbers, what is malicious and what no policy lets in", async ({ expect }) => {
    await using at = new Detected(daily);
    at.live = { policies: [live] };
    at.items.set(shop, [bad, gone, script(`https://${shop}/app.js`)]);
    at.start(declaredZone(shop));
    await at.clock.advance(0);
    const [report] = at.reports;
    if (report?.result !== "read") throw new Error("not read");
    const { kinds, malicious, outside, impact } = report.facts;
    expect(kinds.get("script")).toMatchObject({ total: 3, malicious: 1 });
    expect(kinds.get("connection")).toMatchObject({ total: 0 });
    expect(kinds.has("cookie")).toBe(false);
    expect(malicious.map(({ what }) => what)).toEqual([bad.url]);
    expect(outside).toMatchObject({ count: 1, some: [{ what: bad.url }] });
    expect(impact).toEqual([]);
  });

  it("what the zone's plan would do to what was seen", async ({ expect }) => {
    await using at = new Detected(daily);
    at.items.set(shop, [bad]);
    at.start(declaredZone(shop, { policies: declared([enforced]) }));
    await at.clock.advance(0);
    const [report] = at.reports;
    const impact = report?.result === "read" ? report.facts.impact.join("\n") : "";
    expect(impact).toContain("✗ blocks anew: 1");
    expect(impact).toContain(bad.url);
  });
});

it("a plan that is held is judged at once, and once", async ({ expect }) => {
  await using at = new Detected(daily);
  const desired = declaredZone(shop, { policies: declared([policy("site", { action: "allow" })]) });
  at.start(desired, declaredZone(blog));
  await at.clock.advance(30_000);
  at.told();
  const held = plan(desired, liveZone({ policies: [] }), owner);
  at.rounds.judge(held);
  await at.clock.advance(15_000);
  expect(at.told()).toEqual([`${shop} read`]);
  at.rounds.judge(held);
  await at.clock.advance(15_000);
  expect(at.told()).toEqual([]);
});
