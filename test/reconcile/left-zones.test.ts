import { describe, it } from "vitest";

import type { HeldDeclaration } from "../../src/reconcile/fleet/desired-fleet.ts";
import { planZone } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import { declared, desiredZone, policy, settingsOff } from "../support/model.ts";
import { named } from "../support/reports.ts";
import { MemoryRunStore } from "../support/run-store.ts";
import { defaultOptions, many, oneCredential, protectedContent, World } from "../support/world.ts";
import { empty, enabled, portsOf, requestOf, tunedRules } from "../support/zone-planning.ts";

const on = { name: "enabled", value: true } as const;
const off = { name: "enabled", value: false } as const;

function contentOf(content: Partial<ZoneContent>): ZoneContent {
  return desiredZone(content).content;
}

const weaker = contentOf({ settings: [off], policies: declared([policy("checkout")]) });
const stronger = contentOf({
  settings: [on],
  policies: declared([policy("checkout", { action: "allow" })]),
});

/** A fleet that is as declared, whose next revision is held. */
async function heldFleet(
  zones: number,
  changed: number,
  content: ZoneContent,
  store = new MemoryRunStore(),
): Promise<World> {
  const fleetLimits = { ...defaultOptions.fleetLimits, maxFleetShare: 0.1 };
  const world = new World(many(zones), { fleetLimits }, oneCredential, store);
  world.remember();
  await world.begin();
  for (const zone of many(changed)) world.files.set(zone, content);
  await world.reload("r2");
  world.requests.length = 0;
  world.reports.length = 0;
  return world;
}

/** Somebody changes live zones. */
function edit(world: World, zones: readonly string[], change: (live: LiveZone) => LiveZone): void {
  for (const zone of zones) world.edit(zone, change);
}

function switchedOff({ settings = settingsOff, ...live }: LiveZone): LiveZone {
  return { ...live, settings: { ...settings, enabled: false } };
}

function enforced({ policies = [], ...live }: LiveZone): LiveZone {
  return { ...live, policies: policies.map((each) => ({ ...each, action: "allow" })) };
}

async function sweep(world: World): Promise<void> {
  world.requests.length = 0;
  await world.sweep("manual", 60_000);
}

function written({ requests }: World): readonly string[] {
  return requests.flatMap((each) => /^write (\S+)/.exec(each)?.[1] ?? []).toSorted();
}

/** The zones whose last run was held, with the causes that it told. */
function held({ reports }: World): readonly string[] {
  const last = new Map(reports.map((report) => [report.zone, report]));
  return [...last.values()].flatMap((report) => heldLine(report)).toSorted();
}

function heldLine(report: ZoneReport): readonly string[] {
  if (report.result !== "held") return [];
  const causes = report.plan.changes.flatMap((change) => change.causes.map(({ cause }) => cause));
  const holds = report.holds.map(({ reason }) => reason);
  return [`${report.zone} ${holds.join(",")} ${causes.join(",")}`];
}

function lines(zones: readonly string[]): readonly string[] {
  return zones.map((zone) => `${zone} set_back pending`);
}

describe("zones that are live as a held revision declares them", () => {
  it("stay, and go back at once with the files, whatever that weakens", async ({ expect }) => {
    await using world = await heldFleet(20, 7, stronger);
    edit(world, many(5), enforced);
    await sweep(world);
    expect([written(world), held(world)]).toEqual([[], lines(many(5))]);
    const [hold] = world.reports.flatMap((each) => (each.result === "held" ? each.holds : []));
    // A command plans the files on the disk: it never has this plan.
    expect(hold?.message).toBe(
      `the held revision r2 is live here already, and the zone is not set back: accept the revision, revert the files, or release this plan once: add ${hold?.hash} to limits.accept of the daemon`,
    );
    const limits = { ...world.options.limits, accept: [hold?.hash ?? ""] };
    world.reconciler.reconfigure({ ...world.options, limits });
    await sweep(world);
    expect([written(world), held(world)]).toEqual([many(1), lines(many(5, 1))]);
    for (const zone of many(7)) world.files.set(zone, protectedContent);
    world.revision = "r1";
    world.reports.length = 0;
    world.reconciler.filesChanged();
    await world.clock.advance(60_000);
    expect(written(world)).toEqual(many(5));
    expect(held(world)).toEqual([]);
  });

  it("stay with less protection up to max_weakened, also over a restart", async ({ expect }) => {
    const store = new MemoryRunStore();
    await using world = await heldFleet(20, 9, weaker, store);
    edit(world, many(5), switchedOff);
    await sweep(world);
    expect(written(world)).toHaveLength(2);
    const left = held(world);
    expect(left).toHaveLength(3);
    // Those that stay do not make room for others with time.
    edit(world, many(9, 5), switchedOff);
    for (let hour = 0; hour < 3; hour += 1) {
      world.clock.step(3_600_000);
      await sweep(world);
      expect(held(world)).toEqual(left);
    }
    await using next = await heldFleet(20, 9, weaker, store);
    for (const [name, live] of world.live) next.live.set(name, live);
    edit(next, many(9, 5), switchedOff);
    await sweep(next);
    expect(held(next)).toHaveLength(3);
    expect(written(next)).toHaveLength(4);
  });

  it("are set back where it is not known what was applied to them", async ({ expect }) => {
    const store = new MemoryRunStore();
    await using world = await heldFleet(20, 9, weaker, store);
    edit(world, many(2), switchedOff);
    store.texts.delete(named("z1.example"));
    await sweep(world);
    expect([written(world), held(world)]).toEqual([["z1.example"], lines(many(1))]);
  });

  it("make room where they are set back by hand", async ({ expect }) => {
    await using world = await heldFleet(20, 9, weaker);
    edit(world, many(3), switchedOff);
    await sweep(world);
    expect(held(world)).toEqual(lines(many(3)));
    edit(world, many(1), (live) => ({ ...live, settings: { ...settingsOff, enabled: true } }));
    await sweep(world);
    edit(world, many(9, 8), switchedOff);
    await sweep(world);
    expect(held(world)).toEqual(lines([...many(3, 1), ...many(9, 8)]));
  });
});

const both = contentOf({
  settings: [off],
  policies: declared([policy("checkout", { action: "allow" })]),
});
const undeclared = contentOf({ settings: [off], policies: undefined });

describe("a zone is compared with what a held revision declares", () => {
  it.for<{
    what: string;
    content: ZoneContent;
    live: (live: LiveZone) => LiveZone;
    writes: number;
    holds: readonly string[];
  }>([
    {
      what: "half of it is live",
      content: both,
      live: switchedOff,
      writes: 0,
      holds: lines(many(1)),
    },
    {
      what: "beside it, somebody changed what both revisions declare alike",
      content: contentOf({ settings: [off], policies: declared([policy("checkout")]) }),
      live: (live) => enforced(switchedOff(live)),
      writes: 1,
      holds: [],
    },
    {
      what: "a value is as neither revision declares it",
      content: both,
      live: (live) => {
        const policies = live.policies?.map((each) => ({ ...each, value: "script-src *" }));
        return switchedOff({ ...live, policies });
      },
      writes: 2,
      holds: [],
    },
    {
      what: "somebody deleted what it does not declare",
      content: undeclared,
      live: (live) => switchedOff({ ...live, policies: [] }),
      writes: 2,
      holds: [],
    },
    {
      what: "it does not declare all of the zone",
      content: undeclared,
      live: switchedOff,
      writes: 0,
      holds: lines(many(1)),
    },
  ])("$what", async ({ content, live, writes, holds }, { expect }) => {
    await using world = await heldFleet(12, 12, content);
    edit(world, many(1), live);
    await sweep(world);
    expect([written(world), held(world)]).toEqual([
      Array.from({ length: writes }, () => "z0.example"),
      holds,
    ]);
    await sweep(world);
    expect(written(world)).toEqual([]);
  });

  it("only it needs the score rule", async ({ expect, signal }) => {
    const live = { ...empty, settings: { ...settingsOff, enabled: true } };
    const parts: PartsToRead[] = [];
    const active = requestOf({ settings: [off], rules: { managed_rules: declared([]) } });
    const content = contentOf({ ...enabled, ...tunedRules });
    const declaration: HeldDeclaration = { content, digest: "d2", revision: "r2" };
    const heldRevision = { held: declaration, mayStay: () => true };
    const { report } = await planZone(
      { ...active, heldRevision },
      portsOf(live, { parts }),
      signal,
    );
    expect([report.result, parts.map(({ scoreRule }) => scoreRule)]).toEqual(["held", [true]]);
  });
});
