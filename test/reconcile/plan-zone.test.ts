import { describe, it } from "vitest";

import { plan, type Plan } from "../../src/plan/plan.ts";
import { savedPlan, type SavedPlan } from "../../src/plan/saved/saved-plan.ts";
import { planSaved, planZone } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import {
  absent,
  customRuleset,
  declared,
  desiredZone,
  livePolicy,
  liveZone,
  owner,
  policy,
  settingsOff,
} from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";
import {
  blocking,
  empty,
  enabled,
  failsWith,
  keysOf,
  lib,
  logged,
  planIn,
  plainRules,
  portsOf,
  requestOf,
  tunedRules,
} from "../support/zone-planning.ts";

describe("planning a zone", () => {
  it.for([
    { adoptOnly: true, titles: ["policy/site"] },
    { adoptOnly: false, titles: ["policy/new", "policy/site"] },
  ])("to adopt only ($adoptOnly)", async ({ adoptOnly, titles }, { expect, signal }) => {
    const site = policy("site");
    const { description, action, expression, enabled: isEnabled, value } = site;
    const facts = { description, action, expression, enabled: isEnabled, value };
    const live = liveZone({ policies: [livePolicy("p1", facts)] });
    const content = { policies: declared([site, policy("new")]) };
    const ownership = { adopt: true, rules: [] };
    const request = { ...requestOf(content), ownership, adoptOnly };
    const { report } = await planZone(request, portsOf(live), signal);
    expect([report.result, keysOf(planIn(report))]).toEqual(["planned", titles]);
  });

  it.for<{ what: string; content: Partial<ZoneContent>; reads: readonly string[] }>([
    { what: "nothing", content: {}, reads: [] },
    { what: "settings", content: enabled, reads: ["settings"] },
    { what: "policies", content: logged, reads: ["policies"] },
    { what: "no policy at all", content: { policies: declared([]) }, reads: ["policies"] },
    { what: "rules", content: plainRules, reads: ["rules"] },
    { what: "a rule with a threshold", content: tunedRules, reads: ["rules", "scoreRule"] },
  ])("reads the parts that are declared: $what", async ({ content, reads }, { expect, signal }) => {
    const parts: PartsToRead[] = [];
    await planZone(requestOf(content), portsOf(empty, { parts }), signal);
    expect(parts.map(namesOf)).toEqual([reads]);
  });

  it("reads what is declared and what waits for its wave", async ({ expect, signal }) => {
    const parts: PartsToRead[] = [];
    const [first, second] = [customRuleset("first"), customRuleset("second")];
    const content = { ...enabled, customRulesets: declared([first]) };
    const waiting = desiredZone({ ...logged, customRulesets: declared([second, first]) }).content;
    const entrypoints = { ...empty.entrypoints, custom_rules: absent };
    const live = { ...empty, entrypoints, customRulesets: [] };
    await planZone({ ...requestOf(content), waiting }, portsOf(live, { parts }), signal);
    expect(parts).toMatchObject([
      { settings: true, policies: true, customRulesets: { owner, keys: ["first", "second"] } },
    ]);
  });
});

function namesOf(parts: PartsToRead): readonly string[] {
  return Object.entries(parts)
    .filter(([, isRead]) => (Array.isArray(isRead) ? isRead.length > 0 : isRead))
    .map(([name]) => name);
}

function withNote(planned: Plan): Plan {
  return { ...planned, notes: ["policies were declared before"] };
}

describe("a zone with nothing to do", () => {
  it("has the notes that it is explained with, and no guard holds it", async ({
    expect,
    signal,
  }) => {
    const inSync = liveZone({ settings: { ...settingsOff, enabled: true } });
    const request = { ...requestOf(enabled), explain: withNote };
    const planned = await planZone(request, portsOf(inSync), signal);
    expect(planned.report).toMatchObject({
      result: "in_sync",
      phases: noTime,
      plan: { notes: ["policies were declared before"] },
    });
    expect(planned.holdsAt(new Date(0))).toEqual([]);
  });
});

function suspendedUntil(ms: number): Partial<ZoneContent> {
  return { ...enabled, suspension: { reason: "a load test", until: new Date(ms) } };
}

describe("a zone whose suspension is over", () => {
  it("is told with the remedy once, in sync or not, and not before its end", async ({
    expect,
    signal,
  }) => {
    const inSync = liveZone({ settings: { ...settingsOff, enabled: true } });
    const differs = liveZone({ settings: settingsOff });
    const now = portsOf(inSync).clock.now().getTime();
    const told = [
      expect.stringMatching(
        /^the suspension of the zone ended at .*; remove suspend from the zone/,
      ),
    ];
    for (const live of [inSync, differs]) {
      const over = await planZone(requestOf(suspendedUntil(now)), portsOf(live), signal);
      expect(planIn(over.report).notes).toEqual(told);
      const known = planIn(over.report);
      const again = { ...requestOf(suspendedUntil(now)), unchangedPlan: () => known };
      const second = await planZone(again, portsOf(live), signal);
      expect(planIn(second.report).notes).toEqual(told);
      const lasts = await planZone(requestOf(suspendedUntil(now + 1)), portsOf(live), signal);
      expect(planIn(lasts.report).notes).toEqual([]);
    }
    const endless = { ...enabled, suspension: { reason: "", until: undefined } };
    const { report } = await planZone(requestOf(endless), portsOf(inSync), signal);
    expect(planIn(report).notes).toEqual([]);
  });
});

describe("a zone that cannot be planned", () => {
  it("is held by no guard, and has no digest that another run could compare", async ({
    expect,
    signal,
  }) => {
    const scripts = failsWith(new ServiceFault("API_SERVER", true));
    const planned = await planZone(requestOf(blocking), portsOf(empty, { scripts }), signal);
    expect(planned.report).toMatchObject({ result: "error", phases: noTime });
    expect(planned.digest).toBe("");
    expect(planned.holdsAt(new Date(0))).toEqual([]);
  });
});

/** What phases take while the clock stands still. */
const noTime = { fetch: 0, plan: 0, apply: 0 };

/** The plan of a declaration, saved when the zone was empty. */
function savedOf(content: Partial<ZoneContent>): SavedPlan {
  return savedPlan(plan(desiredZone(content), empty, owner), empty);
}

describe("planning a saved plan", () => {
  const both = { ...enabled, ...logged };

  it.for<{
    what: string;
    saved: Partial<ZoneContent>;
    today: Partial<ZoneContent>;
    reads: string;
  }>([
    { what: "settings", saved: enabled, today: {}, reads: "settings" },
    { what: "settings of today", saved: logged, today: enabled, reads: "settings policies" },
    { what: "policies", saved: logged, today: {}, reads: "policies" },
    { what: "policies of today", saved: enabled, today: logged, reads: "settings policies" },
    { what: "rules", saved: plainRules, today: {}, reads: "rules" },
    { what: "rules of today", saved: enabled, today: plainRules, reads: "settings rules" },
    { what: "a threshold", saved: tunedRules, today: tunedRules, reads: "rules scoreRule" },
  ])("reads what it touches and what is declared: $what", async (each, { expect, signal }) => {
    const { saved, today, reads } = each;
    const parts: PartsToRead[] = [];
    const request = { ...requestOf(today), saved: savedOf(saved) };
    await planSaved(request, portsOf(empty, { parts }), signal);
    expect(parts.map((one) => namesOf(one).join(" "))).toEqual([reads]);
  });

  it("lets the guards judge the whole plan of today, and applies what was saved", async ({
    expect,
    signal,
  }) => {
    const judged: (readonly string[])[] = [];
    const request = {
      ...requestOf(both),
      saved: savedOf(logged),
      holdsAt: (today: Plan) => {
        judged.push(keysOf(today));
        return [];
      },
    };
    const planned = await planSaved(request, portsOf(empty), signal);
    expect(judged).toEqual([["policy/site", "setting/enabled"]]);
    expect([planned.report.result, keysOf(planIn(planned.report))]).toEqual([
      "planned",
      ["policy/site"],
    ]);
    expect(planned.conflicts).toEqual([]);
  });

  it("leaves what was not saved out of what is left to do", async ({ expect, signal }) => {
    const request = { ...requestOf(both), saved: savedOf(logged) };
    const { remainingIn } = await planSaved(request, portsOf(empty), signal);
    expect(remainingIn(empty).changes.map(({ key }) => key)).toEqual(["policy/site"]);
  });

  it("is in sync where all was applied meanwhile, and a conflict where the files changed", async ({
    expect,
    signal,
  }) => {
    const switchedOn = liveZone({ settings: { ...settingsOff, enabled: true }, policies: [] });
    const applied = { ...requestOf(enabled), saved: savedOf(enabled) };
    const done = await planSaved(applied, portsOf(switchedOn), signal);
    expect([done.report.result, done.conflicts]).toEqual(["in_sync", []]);
    const changed = { ...requestOf({}), saved: savedOf(enabled) };
    const conflict = await planSaved(changed, portsOf(empty), signal);
    expect([conflict.report.result, conflict.conflicts.length]).toEqual(["planned", 1]);
  });

  it("is a conflict where the file names no change of its write", async ({ expect, signal }) => {
    const made = savedOf(enabled);
    const writes = made.writes.map((write) => ({ ...write, changes: [] }));
    const saved = { ...made, changes: [], writes };
    const forged = await planSaved({ ...requestOf({}), saved }, portsOf(empty), signal);
    expect([forged.report.result, forged.conflicts.length]).toEqual(["planned", 1]);
  });

  it("is held where a policy would block a script in use", async ({ expect, signal }) => {
    const request = { ...requestOf(blocking), saved: savedOf(blocking) };
    const { report } = await planSaved(request, portsOf(empty, { scripts: () => [lib] }), signal);
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "blocks_in_use" }] });
  });
});
