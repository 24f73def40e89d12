import * as fc from "fast-check";
import { describe, it } from "vitest";

import { textIn } from "../../src/api/wire-value.ts";
import { rethrow } from "../../src/cli/session/session.ts";
import { planZone } from "../../src/reconcile/run/plan-zone.ts";
import type { ZoneReport } from "../../src/state/run-report.ts";
import { coerceObject, coerceObjects, type JsonObject } from "../../src/syntax/json.ts";
import type { ZoneContent } from "../../src/zone/desired-zone.ts";
import { factsOfPhase, type RulePhase, rulePhases } from "../../src/zone/rule-phase.ts";
import { SimulatedClock } from "../support/clock.ts";
import { startFleet } from "../support/emulated-fleet.ts";
import { emulated } from "../support/emulated.ts";
import {
  block,
  declared,
  deployment,
  desiredZone,
  exception,
  policy,
  rateLimit,
} from "../support/model.ts";
import { OneZoneRuns } from "../support/one-zone-runs.ts";
import { cases } from "../support/properties.ts";
import { deployOwasp } from "../support/writes.ts";
import { planIn, requestOf } from "../support/zone-planning.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const limit = block("login", { ratelimit: rateLimit });

/** A zone with all that can be declared: two settings, one policy, and two, one and three rules. */
const whole: ZoneContent = desiredZone({
  settings: [
    { name: "enabled", value: true },
    { name: "use_connection_url_path", value: true },
  ],
  policies: declared([policy("checkout")]),
  rules: {
    custom_rules: declared([block("admin"), block("internal")]),
    rate_limiting_rules: declared([limit]),
    managed_rules: declared([deployment("owasp"), exception("health"), exception("status")]),
  },
}).content;

/** The same with managed rules as its only list. */
const oneList: ZoneContent = {
  ...whole,
  rules: { managed_rules: declared([deployment("owasp"), exception("health")]) },
};

/** A zone that is as it is declared, with its requests from then on. */
class Watched extends OneZoneRuns {
  static async start(
    rulesetVersions: "trust" | "read",
    content = whole,
    identical: "stored" | "ignored" = "stored",
  ): Promise<Watched> {
    const clock = new SimulatedClock();
    const at = await emulated(
      { entitlements: { policies: 10 } },
      {
        clock,
        timeoutMs: 1e9,
        budget: { limit: 1e9 },
        retry: { maxAttempts: 1 },
        seed: { undocumented: { identical_put: identical } },
      },
    );
    const watched = new Watched(at, { rulesetVersions, clock });
    await watched.run(content, "enforce");
    await watched.check(content);
    return watched;
  }

  /** A check of the zone an hour later: its result and what it requested. */
  async check(
    content = whole,
    mode: "enforce" | "observe" = "observe",
  ): Promise<readonly string[]> {
    await this.clock.advance(hour);
    this.at.journal();
    const { result } = await this.run(content, mode);
    return [result, ...this.at.journal().map(shortened)];
  }

  /** The entry point of a phase now. */
  async entrypoint(phase: RulePhase): Promise<Shown> {
    const found = await this.at.send(
      "GET",
      `/rulesets/phases/${factsOfPhase(phase).wire}/entrypoint`,
    );
    const shown = coerceObject(found);
    return {
      id: textIn(shown, "id"),
      version: textIn(shown, "version"),
      rules: coerceObjects(shown["rules"]),
    };
  }

  /** Deletes the entry point of a phase, and creates another one with the same rules. */
  async createAgain(phase: RulePhase): Promise<void> {
    const { id, rules } = await this.entrypoint(phase);
    await this.at.send("DELETE", `/rulesets/${id}`);
    await this.at.send("POST", "/rulesets", {
      kind: "zone",
      phase: factsOfPhase(phase).wire,
      name: "default",
      rules: rules.map(withoutFacts),
    });
  }
}

/** The entry point of a phase, as the service has it; empty where it is absent. */
interface Shown {
  readonly id: string;
  readonly version: string;
  readonly rules: readonly JsonObject[];
}

function shortened(request: string): string {
  const [method = "", path = ""] = request.split(" ");
  const phase = rulePhases.find((each) => path.includes(`/${factsOfPhase(each).wire}/`));
  return `${method} ${phase ?? path.replace("/zones/…/", "").replace(/\?.*$/, "")}`;
}

const shield = ["GET page_shield", "GET page_shield/policies"];
const lists = rulePhases.map((phase) => `GET ${phase}`);

describe("a zone in sync with lists of three phases", () => {
  it.for([
    { versions: "read" as const, requests: [...shield, ...lists] },
    { versions: "trust" as const, requests: [...shield, "GET rulesets"] },
  ])("costs $requests.length requests with $versions", async (given, { expect }) => {
    await using zone = await Watched.start(given.versions);
    expect(await zone.check()).toEqual(["in_sync", ...given.requests]);
    expect(await zone.check()).toEqual(["in_sync", ...given.requests]);
  });

  it("is read in full once a day", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    // It was read a moment ago.
    const costs: number[] = [];
    for (let ms = 0; ms < 2 * day; ms += hour) costs.push((await zone.check()).length - 1);
    expect(costs.flatMap((cost, nth) => (cost === 3 ? [] : [`${nth + 1}: ${cost}`]))).toEqual([
      "24: 5",
      "48: 5",
    ]);
  });

  it("is read in full after a restart", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    zone.restart("kept");
    expect(await zone.check()).toEqual(["in_sync", ...shield, ...lists]);
    expect(await zone.check()).toHaveLength(1 + 3);
  });

  it("is read in full after it was named as changed, until that succeeds", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    zone.distrustVersions();
    await zone.at.fault({ fault: "status", status: 500, path: "*/entrypoint", count: 1 });
    expect(await zone.check()).toEqual(["error", ...shield, lists[0]]);
    expect(await zone.check()).toEqual(["in_sync", ...shield, ...lists]);
    expect(await zone.check()).toHaveLength(1 + 3);
  });

  it("is read in full where the listing fails", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    await zone.at.fault({ fault: "status", status: 403, path: "*/rulesets", count: 1 });
    expect(await zone.check()).toEqual(["in_sync", ...shield, "GET rulesets", ...lists]);
    expect(await zone.check()).toHaveLength(1 + 3);
  });

  it("needs no listing where only one list is declared", async ({ expect }) => {
    await using zone = await Watched.start("trust", oneList);
    expect(await zone.check(oneList)).toEqual(["in_sync", ...shield, "GET managed_rules"]);
  });
});

describe("a zone whose versions are trusted is read before it is written", () => {
  it("where a rule was edited", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    await zone.at.edit({ rule: "zonewarden:login", set: { enabled: false } });
    const [result, ...requests] = await zone.check(whole, "enforce");
    expect(result).toBe("applied");
    expect(requests.slice(0, -1)).toEqual([...shield, "GET rulesets", ...lists]);
    expect(requests.at(-1)).toMatch(/^PATCH rulesets/);
  });

  it("where the declaration changed", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    const edited = {
      ...whole,
      rules: {
        ...whole.rules,
        custom_rules: declared([block("admin", { enabled: false }), block("internal")]),
      },
    };
    const [result, ...requests] = await zone.check(edited, "enforce");
    expect(result).toBe("applied");
    expect(requests.slice(0, -1)).toEqual([...shield, ...lists]);
    expect(requests.at(-1)).toMatch(/^PATCH rulesets/);
  });

  it("where a policy was edited, without a listing", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    await zone.at.edit({
      policy: "Scripts of checkout [zonewarden:checkout]",
      set: { enabled: false },
    });
    const [result, ...requests] = await zone.check(whole, "enforce");
    expect(result).toBe("applied");
    expect(requests.slice(0, -1)).toEqual([...shield, ...lists]);
  });

  it("where an entry point was deleted", async ({ expect }) => {
    await using zone = await Watched.start("trust");
    const { id } = await zone.entrypoint("rate_limiting_rules");
    await zone.at.send("DELETE", `/rulesets/${id}`);
    const [result, ...requests] = await zone.check(whole, "enforce");
    expect(result).toBe("applied");
    expect(requests.slice(0, -1)).toEqual([...shield, "GET rulesets", ...lists]);
  });
});

it("reads an entry point that was created again, with the same version and the same rules", async ({
  expect,
}) => {
  await using zone = await Watched.start("trust");
  const { id, version } = await zone.entrypoint("rate_limiting_rules");
  await zone.createAgain("rate_limiting_rules");
  const again = await zone.entrypoint("rate_limiting_rules");
  expect([again.version, again.id === id]).toEqual([version, false]);
  expect(await zone.check()).toEqual(["in_sync", ...shield, "GET rulesets", ...lists]);
  expect(await zone.check()).toHaveLength(1 + 3);
});

it("reads a zone in full after the audit log named it", async ({ expect }) => {
  const clock = new SimulatedClock();
  const budget = { limit: 1e9 };
  await using at = await emulated(
    { entitlements: { policies: 10 } },
    { clock, timeoutMs: 1e9, budget },
  );
  const declaredZones = new Map<string, ZoneContent>([[at.zone.name, whole]]);
  await using fleet = startFleet(at, { clock, declared: declaredZones, rulesetVersions: "trust" });
  const { reconciler, reports } = fleet;
  const sweep = async (): Promise<readonly string[]> => {
    at.journal();
    const before = reports.length;
    reconciler.requestSweep("schedule");
    await fleet.until(() => reports.length > before);
    return at.journal().map(shortened).slice(1);
  };
  await sweep();
  await sweep();
  expect(await sweep()).toEqual([...shield, "GET rulesets"]);
  await fleet.pass(minute);
  at.journal();
  const before = reports.length;
  reconciler.wakeZone(at.zone.name);
  await fleet.until(() => reports.length > before);
  expect(at.journal().map(shortened)).toEqual([...shield, ...lists]);
});

// Rules that the service accepts in each phase: two of ours, whose content differs from what is declared, and one of others.
const refs = ["zonewarden:admin", "zonewarden:health", "theirs"] as const;
const ruleOf: Readonly<Record<RulePhase, (ref: string, isEnabled: boolean) => JsonObject>> = {
  custom_rules: (ref, enabled) => ({ ref, enabled, action: "log", expression: "ssl" }),
  rate_limiting_rules: (ref, enabled) => ({
    ref,
    enabled,
    action: "log",
    expression: "ssl",
    ratelimit: { characteristics: ["cf.colo.id"], period: 60, requests_per_period: 9 },
  }),
  managed_rules: (ref, enabled) => ({ ...deployOwasp, ref, enabled }),
};

const someRule = fc.record({ ref: fc.constantFrom(...refs), enabled: fc.boolean() });
const phase = fc.constantFrom(...rulePhases);
const nth = fc.nat({ max: 3 });
const edit = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ verb: fc.constant("add" as const), phase, rule: someRule, nth }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ verb: fc.constant("change" as const), phase, rule: someRule, nth }),
  },
  { weight: 3, arbitrary: fc.record({ verb: fc.constant("move" as const), phase, nth }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("remove" as const), phase, nth }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant("put" as const),
      phase,
      rules: fc.array(someRule, { maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("put-same" as const), phase }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant("drop" as const), phase }) },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant("create-again" as const), phase }) },
  {
    weight: 1,
    arbitrary: fc.record({ verb: fc.constant("switch" as const), phase, enabled: fc.boolean() }),
  },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** Somebody else edits a zone; what the service rejects changes nothing. */
async function make(change: Edit, zone: Watched): Promise<void> {
  const path = `/rulesets/phases/${factsOfPhase(change.phase).wire}/entrypoint`;
  const { id, rules } = await zone.entrypoint(change.phase);
  const target = "nth" in change ? rules[change.nth % Math.max(1, rules.length)] : undefined;
  const rule = `/rulesets/${id}/rules/${textIn(target ?? {}, "id")}`;
  const made = (each: { readonly ref: string; readonly enabled: boolean }): JsonObject =>
    ruleOf[change.phase](each.ref, each.enabled);
  switch (change.verb) {
    case "add":
      await zone.at.send("POST", `/rulesets/${id}/rules`, {
        ...made(change.rule),
        position: { index: 1 },
      });
      return;
    case "change":
      await zone.at.send("PATCH", rule, made(change.rule));
      return;
    case "move":
      await zone.at.send("PATCH", rule, { position: { index: 1 } });
      return;
    case "remove":
      await zone.at.send("DELETE", rule);
      return;
    case "put":
      await zone.at.send("PUT", path, { rules: change.rules.map(made) });
      return;
    case "put-same":
      await zone.at.send("PUT", path, { rules: rules.map(withoutFacts) });
      return;
    case "drop":
      await zone.at.send("DELETE", `/rulesets/${id}`);
      return;
    case "create-again":
      await zone.createAgain(change.phase);
      return;
    case "switch":
      await zone.at.send("PUT", "/page_shield", { enabled: change.enabled });
  }
}

function withoutFacts({
  id: _id,
  version: _version,
  last_updated: _at,
  ...rule
}: JsonObject): JsonObject {
  return rule;
}

/** The plan of the zone from all of its lists, with what the process of the zone remembers as adopted. */
async function planInFull(zone: Watched, signal: AbortSignal): Promise<ZoneReport> {
  const { at, clock, store } = zone;
  const ownership = { adopt: false, rules: store.adopted(at.zone.name) };
  const request = { ...requestOf(whole), desired: { zone: at.zone, content: whole }, ownership };
  const ports = { reader: at.reader, clock, runId: () => "full", bug: rethrow };
  return (await planZone(request, ports, signal)).report;
}

/** What a report plans, without the causes, which follow from what the process applied. */
function plannedIn(report: ZoneReport): unknown {
  const { changes, writes, notes } = planIn(report);
  return { changes: changes.map((each) => ({ ...each, causes: [] })), writes, notes };
}

it.for(["stored", "ignored"] as const)(
  "plans the same with trust as with read, whatever others edit, where an identical PUT is %s",
  { timeout: 120_000 },
  async (identical, { expect, signal }) => {
    const seen = { unread: 0, differed: 0 };
    const sweep = fc.record({
      edits: fc.array(edit, { maxLength: 2 }),
      mode: fc.constantFrom("observe" as const, "enforce" as const, "enforce" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(sweep, { minLength: 3, maxLength: 9 }), async (sweeps) => {
        await using zone = await Watched.start("trust", whole, identical);
        for (const { edits, mode } of sweeps) {
          for (const each of edits) await make(each, zone);
          await zone.clock.advance(15 * minute);
          const full = await planInFull(zone, signal);
          zone.at.journal();
          const trusted = await zone.run(whole, mode);
          expect(plannedIn(trusted)).toEqual(plannedIn(full));
          const requests = zone.at.journal().map(shortened);
          if (!lists.some((list) => requests.includes(list))) seen.unread += 1;
          if (trusted.result !== "in_sync") seen.differed += 1;
        }
      }),
      cases(60),
    );
    expect(seen.unread).toBeGreaterThan(0);
    expect(seen.differed).toBeGreaterThan(0);
  },
);
