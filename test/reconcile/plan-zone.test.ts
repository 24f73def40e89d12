import { describe, it } from "vitest";

import { rethrow } from "../../src/cli/session/session.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import { fingerprintsOf, type SavedPlan } from "../../src/plan/saved/fingerprint.ts";
import {
  type PlanPorts,
  type PlanRequest,
  planSaved,
  planZone,
} from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import type { Script } from "../../src/zone/inventory-item.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import type { PartsToRead } from "../../src/zone/ports.ts";
import type { ServiceErrorCode } from "../../src/zone/service-error.ts";
import { SimulatedClock } from "../support/clock.ts";
import { script } from "../support/inventory.ts";
import {
  absent,
  declared,
  deployment,
  desiredZone,
  livePolicy,
  liveZone,
  owner,
  policy,
  readAllAt,
  untuned,
} from "../support/model.ts";
import { ServiceFault } from "../support/world.ts";

const off = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};
const empty = liveZone({ settings: off, policies: [], entrypoint: absent });

/** Ports that give a live state, and note which parts were read. */
function portsOf(
  live: LiveZone,
  {
    parts = [],
    scripts = () => [],
  }: { readonly parts?: PartsToRead[]; readonly scripts?: () => readonly Script[] } = {},
): PlanPorts {
  return {
    reader: {
      readAnswers: (_zone, wanted) => {
        parts.push(wanted);
        return Promise.resolve({ readAt: readAllAt(0), digest: "", live: () => live });
      },
      readScripts: async () => {
        await Promise.resolve();
        return scripts();
      },
    },
    clock: new SimulatedClock(),
    runId: () => "run",
    bug: rethrow,
  };
}

function requestOf(content: Partial<ZoneContent>): PlanRequest {
  return {
    desired: desiredZone(content),
    owner,
    trigger: "manual",
    priority: "changed",
    revision: "r1",
    impact: { maliciousBelow: 50, freshMs: 3_600_000 },
    unchangedPlan: () => undefined,
    explain: (planned) => planned,
    holdsAt: (planned) => planned.holds,
  };
}

function planIn(report: ZoneReport): Plan {
  if (report.result === "error") throw new Error(report.failure.message);
  return report.plan;
}

function keysOf({ changes }: Plan): readonly string[] {
  return changes.map(({ key }) => key).toSorted();
}

const enabled = { settings: [{ name: "enabled", value: true }] } as const;
const logged = { policies: declared([policy("site")]) };
const blocking = { policies: declared([policy("site", { action: "allow" })]) };
const tuned = deployment("owasp", { tuning: { ...untuned, scoreThreshold: 40 } });
const plainRules = { rules: declared([deployment("owasp")]) };
const tunedRules = { rules: declared([tuned]) };

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
});

function namesOf(parts: PartsToRead): readonly string[] {
  return Object.entries(parts)
    .filter(([, isRead]) => isRead)
    .map(([name]) => name);
}

describe("a policy that begins to block, where the scripts on record", () => {
  const seen = { host: "shop.example.com", lastSeenAt: new Date("2026-11-20T11:59:00Z") };
  const lib = script("https://cdn.example.net/lib.js", seen);

  it("would be blocked, is held", async ({ expect, signal }) => {
    const ports = portsOf(empty, { scripts: () => [lib] });
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "blocks_in_use" }] });
  });

  it("would be blocked and were last seen long ago, is not held", async ({ expect, signal }) => {
    const old = { ...lib, lastSeenAt: new Date("2026-11-20T10:59:00Z") };
    const ports = portsOf(empty, { scripts: () => [old] });
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report.result).toBe("planned");
  });

  it.for<{ code: ServiceErrorCode }>([{ code: "API_FORBIDDEN" }, { code: "API_REFUSED" }])(
    "cannot be read with this token or contract ($code), is planned with a note",
    async ({ code }, { expect, signal }) => {
      const scripts = () => rethrow(new ServiceFault(code, false));
      const { report } = await planZone(requestOf(blocking), portsOf(empty, { scripts }), signal);
      expect([report.result, planIn(report).notes]).toEqual([
        "planned",
        [
          `the scripts on record could not be read (${code}): whether the policies block scripts in use was not checked`,
        ],
      ]);
    },
  );

  it("cannot be read for now, is not planned", async ({ expect, signal }) => {
    const fault = new ServiceFault("API_SERVER", true);
    const ports = portsOf(empty, { scripts: () => rethrow(fault) });
    const planned = await planZone(requestOf(blocking), ports, signal);
    expect(planned.report).toMatchObject({ result: "error", failure: { code: "API_SERVER" } });
    expect(planned.live).toBeUndefined();
  });

  it("cannot be read because of an internal error, is not planned", async ({ expect, signal }) => {
    const bugs: unknown[] = [];
    const mistake = new TypeError("a bug of ours");
    const ports = {
      ...portsOf(empty, { scripts: () => rethrow(mistake) }),
      bug: (error: unknown, zone: string) => bugs.push(error, zone),
    };
    const { report } = await planZone(requestOf(blocking), ports, signal);
    expect(report).toMatchObject({ result: "error", failure: { code: "INTERNAL" } });
    expect(bugs).toEqual([mistake, "shop.example.com"]);
  });
});

/** The plan of a declaration, saved when the zone was empty. */
function savedOf(content: Partial<ZoneContent>): SavedPlan {
  const made = plan(desiredZone(content), empty, owner);
  return { plan: made, fingerprints: fingerprintsOf(made, empty) };
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
    expect(remainingIn(empty).map(({ key }) => key)).toEqual(["policy/site"]);
  });

  it("is in sync where all was applied meanwhile, and a conflict where the files changed", async ({
    expect,
    signal,
  }) => {
    const switchedOn = liveZone({ settings: { ...off, enabled: true }, policies: [] });
    const applied = { ...requestOf(enabled), saved: savedOf(enabled) };
    const done = await planSaved(applied, portsOf(switchedOn), signal);
    expect([done.report.result, done.conflicts]).toEqual(["in_sync", []]);
    const changed = { ...requestOf({}), saved: savedOf(enabled) };
    const conflict = await planSaved(changed, portsOf(empty), signal);
    expect([conflict.report.result, conflict.conflicts.length]).toEqual(["planned", 1]);
  });

  it("is a conflict where the file names no change of its write", async ({ expect, signal }) => {
    const { fingerprints, plan: made } = savedOf(enabled);
    const writes = made.writes.map((write) => ({ ...write, changes: [] }));
    const saved = { fingerprints, plan: { ...made, changes: [], writes } };
    const forged = await planSaved({ ...requestOf({}), saved }, portsOf(empty), signal);
    expect([forged.report.result, forged.conflicts.length]).toEqual(["planned", 1]);
  });

  it("is held where a policy would block a script in use", async ({ expect, signal }) => {
    const host = "shop.example.com";
    const lastSeenAt = new Date("2026-11-20T11:59:00Z");
    const seen = script("https://cdn.example.net/lib.js", { host, lastSeenAt });
    const request = { ...requestOf(blocking), saved: savedOf(blocking) };
    const { report } = await planSaved(request, portsOf(empty, { scripts: () => [seen] }), signal);
    expect(report).toMatchObject({ result: "held", holds: [{ reason: "blocks_in_use" }] });
  });
});
