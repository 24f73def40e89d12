import { describe, it } from "vitest";

import { plan, type Plan } from "../../src/plan/plan.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import { owaspRulesetId } from "../../src/zone/managed-ruleset.ts";
import { daily, declaredZone, Detected } from "../support/detected.ts";
import { cookie, script } from "../support/inventory.ts";
import { absent, declared, deployment, liveZone, owner, policy } from "../support/model.ts";
import { authorised, declaredScripts } from "../support/watched.ts";
import { ServiceFault } from "../support/world.ts";

const hourMs = 3_600_000;
const [shop, blog] = ["shop.example.com", "blog.example.com"] as const;

function zones(count: number): readonly DesiredZone[] {
  return Array.from({ length: count }, (_, index) => declaredZone(`z${index}.example.com`));
}

function busy(): Error {
  return new ServiceFault("API_SERVER", true);
}

/** A plan of a zone that a guard holds. */
function heldPlan(key: string, name: string = shop): Plan {
  const desired = declaredZone(name, { policies: declared([policy(key)]) });
  return plan(desired, liveZone({ zone: desired.zone, policies: [] }), owner);
}

describe("the pause between two reads of the poller", () => {
  it.for([
    { count: 2, everyMs: 24 * hourMs, pauseMs: 200 },
    { count: 50, everyMs: 24 * hourMs, pauseMs: 5_000 },
    { count: 200, everyMs: 24 * hourMs, pauseMs: 10_000 },
    { count: 200, everyMs: hourMs, pauseMs: 10_000 },
    { count: 400, everyMs: hourMs, pauseMs: 7_200 },
  ])("of $count zones in $everyMs ms is $pauseMs ms", async ({ count, everyMs, pauseMs }, test) => {
    const { expect } = test;
    await using at = new Detected({ ...daily, everyMs });
    await at.run(pauseMs - 1, ...zones(count));
    expect(at.reports).toHaveLength(1);
    await at.clock.advance(1);
    expect(at.reports).toHaveLength(2);
  });
});

/** What asks for a zone at once, among three; each time in another way. */
const urgent: readonly {
  readonly when: string;
  readonly asks: (at: Detected, time: string) => void;
}[] = [
  {
    when: "its plan is held",
    asks: (at, time) => at.rounds.planHeld(heldPlan(time, "z2.example.com")),
  },
  {
    when: "other scripts are declared for it",
    asks: (at, time) => {
      const scripts = declaredScripts([authorised(`https://cdn.example.net/${time}.js`)]);
      at.rounds.declare([...zones(2), declaredZone("z2.example.com", { scripts })]);
    },
  },
];

describe("a zone is read at once", () => {
  it.for(urgent)("where $when, before those of a sweep", async ({ asks }, { expect }) => {
    await using at = new Detected(daily);
    await at.run(0, ...zones(3));
    asks(at, "first");
    await at.clock.advance(300);
    expect(at.takeResults()).toEqual(["z0.example.com read", "z2.example.com read"]);
    await at.clock.advance(30_000);
    at.takeResults();
    asks(at, "second");
    await at.clock.advance(0);
    expect(at.takeResults()).toEqual(["z2.example.com read"]);
  });
});

describe("the next read of a zone", () => {
  it.for([
    { chance: 0, hours: 21.6 },
    { chance: 1, hours: 24 },
  ])("follows after $hours hours at chance $chance", async ({ chance, hours }, { expect }) => {
    await using at = new Detected(daily);
    at.chance = chance;
    await at.run(hours * hourMs - 1, declaredZone(shop));
    expect(at.takeResults()).toEqual([`${shop} read`]);
    await at.clock.advance(1);
    expect(at.takeResults()).toEqual([`${shop} read`]);
  });

  it("waits as long as the service asks after a failure", async ({ expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, () => new ServiceFault("API_RATE_LIMITED", true, 300_000));
    await at.run(299_000, declaredZone(shop));
    expect(at.reports).toMatchObject([
      { result: "error", zone: shop, failure: { code: "API_RATE_LIMITED" } },
    ]);
    expect(at.reports[0]?.at).toEqual(new Date(Number(at.clock.now()) - 299_000));
    await at.clock.advance(1_000);
    expect(at.reports).toHaveLength(2);
  });

  it.for([
    { when: "was read", drop: false },
    { when: "was dropped from the files and is declared again", drop: true },
  ])("is soon after a failure where the zone $when before", async ({ drop }, { expect }) => {
    await using at = new Detected(daily);
    at.faults.set(shop, busy);
    at.start(declaredZone(shop), declaredZone(blog));
    // It failed four times, and the next read would follow after 40 s.
    await at.clock.advance(50_000);
    if (!drop) at.faults.clear();
    else at.rounds.declare([declaredZone(blog)]);
    await at.clock.advance(100_000);
    at.takeResults();
    at.faults.set(shop, busy);
    at.rounds.declare([declaredZone(blog)]);
    at.rounds.declare([declaredZone(shop), declaredZone(blog)]);
    await at.clock.advance(6_000);
    expect(at.takeResults()).toEqual([`${shop} error`, `${shop} error`]);
  });

  it("does not follow where the same zones are declared again", async ({ expect }) => {
    await using at = new Detected(daily);
    await at.run(30_000, declaredZone(shop), declaredZone(blog));
    at.takeResults();
    at.rounds.declare([declaredZone(shop, { policies: declared([]) }), declaredZone(blog)]);
    await at.clock.advance(30_000);
    expect(at.takeResults()).toEqual([]);
  });

  it("is at once where the options are others", async ({ expect }) => {
    await using at = new Detected(daily);
    await at.run(30_000, declaredZone(shop), declaredZone(blog));
    at.takeResults();
    at.requests.length = 0;
    at.rounds.reconfigure({ ...daily, kinds: ["cookie"] });
    await at.clock.advance(0);
    expect(at.requests).toContain(`cookie ${shop}`);
    await at.clock.advance(30_000);
    expect(at.takeResults()).toEqual([`${shop} read`, `${blog} read`]);
    expect(at.requests).toContain(`cookie ${blog}`);
  });

  it("follows until the poller is stopped", async ({ expect }) => {
    await using at = new Detected(daily);
    at.start(declaredZone(shop));
    let hasEnded = false;
    void at.ended.then(() => (hasEnded = true));
    await at.clock.advance(hourMs);
    expect(hasEnded).toBe(false);
    at.stop.abort();
    await at.clock.advance(0);
    expect(hasEnded).toBe(true);
  });

  it("is not reported where the inventory is switched off meanwhile", async ({ expect }) => {
    await using at = new Detected(daily);
    at.latencyMs = 1_000;
    await at.run(500, declaredZone(shop));
    at.rounds.reconfigure(undefined);
    await at.clock.advance(48 * hourMs);
    expect(at.takeResults()).toEqual([]);
  });
});

async function readOnce(...declaredZones: readonly DesiredZone[]): Promise<Detected> {
  const at = new Detected(daily);
  await at.run(30_000, ...declaredZones);
  at.takeResults();
  return at;
}

describe("a plan that is held", () => {
  it("is read again where it is another one, and not of a zone that is not declared", async ({
    expect,
  }) => {
    await using at = await readOnce(declaredZone(shop));
    at.rounds.planHeld(heldPlan("site"));
    at.rounds.planHeld(heldPlan("site", blog));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
    at.rounds.planHeld(heldPlan("other"));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
  });

  it("is read again where its zone was dropped from the files and is declared again", async ({
    expect,
  }) => {
    await using at = await readOnce(declaredZone(shop), declaredZone(blog));
    at.rounds.planHeld(heldPlan("site"));
    await at.clock.advance(15_000);
    at.rounds.declare([declaredZone(blog)]);
    at.rounds.declare([declaredZone(shop), declaredZone(blog)]);
    await at.clock.advance(15_000);
    at.takeResults();
    at.rounds.planHeld(heldPlan("site"));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
  });

  it("is read though it came before its zone was declared", async ({ expect }) => {
    await using at = await readOnce(declaredZone(shop));
    at.rounds.planHeld(heldPlan("site", blog));
    at.rounds.declare([declaredZone(shop), declaredZone(blog)]);
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${blog} read`]);
    at.rounds.planHeld(heldPlan("site", blog));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${blog} read`]);
  });

  it("is not read again where its zone is declared again", async ({ expect }) => {
    await using at = await readOnce(declaredZone(shop));
    at.rounds.planHeld(heldPlan("site"));
    await at.clock.advance(15_000);
    at.takeResults();
    at.rounds.declare([declaredZone(shop)]);
    at.rounds.planHeld(heldPlan("site"));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([]);
  });

  it("is not read where the inventory is off", async ({ expect }) => {
    await using at = new Detected(undefined);
    at.start(declaredZone(shop));
    at.rounds.planHeld(heldPlan("site"));
    at.rounds.reconfigure(daily);
    await at.clock.advance(15_000);
    at.takeResults();
    at.rounds.planHeld(heldPlan("site"));
    await at.clock.advance(15_000);
    expect(at.takeResults()).toEqual([`${shop} read`]);
  });
});

describe("a report of an inventory", () => {
  it("tells nothing of policies where scripts could not be read", async ({ expect }) => {
    await using at = new Detected(daily);
    at.refusedKind = "script";
    await at.run(0, declaredZone(shop));
    const [report] = at.reports;
    expect(report).toMatchObject({ result: "read", zone: shop, at: at.clock.now() });
    expect(report?.result === "read" && report.facts.outside).toBeUndefined();
  });

  it("asks for the managed rulesets that the plan deploys", async ({ expect }) => {
    await using at = new Detected(daily);
    at.live = { policies: [], entrypoints: { managed_rules: absent } };
    at.managedFault = new ServiceFault("API_NOT_FOUND", false);
    await at.run(
      0,
      declaredZone(shop, { rules: { managed_rules: declared([deployment("owasp")]) } }),
    );
    expect(at.managed).toEqual([`${shop} ${owaspRulesetId}`]);
  });

  it("judges a plan by scripts and connections, not by cookies", async ({ expect }) => {
    await using at = new Detected({ ...daily, kinds: ["script", "cookie"] });
    at.items.set(shop, [script("https://cdn.example.net/a.js"), cookie("session")]);
    const policies = declared([policy("site", { action: "allow" })]);
    await at.run(0, declaredZone(shop, { policies }));
    const [report] = at.reports;
    const impact = report?.result === "read" ? report.facts.impact.join("\n") : "";
    expect(impact).toContain("https://cdn.example.net/a.js");
    expect(impact).not.toContain("session");
  });

  it("is an error of the zone where a kind fails by an error of the program", async ({
    expect,
  }) => {
    await using at = new Detected(daily);
    let asked = 0;
    const fault = new TypeError("a fault of our own");
    at.faults.set(shop, () => ((asked += 1) === 2 ? fault : undefined));
    await at.run(0, declaredZone(shop));
    expect(at.reports).toMatchObject([{ result: "error", failure: { code: "INTERNAL" } }]);
    expect(at.bugs.take()).toEqual([fault]);
  });
});
