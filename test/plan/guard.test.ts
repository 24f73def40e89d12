import { describe, it } from "vitest";

import {
  guard,
  type GuardInput,
  isSuspended,
  type Limits,
  writeHolds,
} from "../../src/plan/guard/guard.ts";
import { planHash } from "../../src/plan/guard/release.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import {
  carriedOut,
  declared,
  desiredZone,
  entrypoint,
  exception,
  liveException,
  liveRule,
  liveZone,
  owner,
  policy,
  usualLimits,
} from "../support/model.ts";
import { policyPlan } from "../support/plan-of.ts";
import { liveOurs, plannedPolicies, plannedRules } from "../support/planned.ts";

const now = new Date("2026-11-21T10:00:00.000Z");

function refused(proposal: Plan, more: Partial<Limits & GuardInput> = {}): readonly string[] {
  const { mode = "enforce", suspension, isRestored, freeze, used = [], ...limit } = more;
  const limits = { ...usualLimits, ...limit };
  const guardInput = { limits, mode, suspension, isRestored, freeze, used, now };
  return guard(proposal, guardInput).map(({ reason: code, message }) => `${code}: ${message}`);
}

const enabled = { name: "enabled", value: true } as const;
const neutralSetting = { name: "use_cloudflare_reporting_endpoint", value: false } as const;
const enforced = declared([policy("checkout", { action: "allow" })]);
const bareZone = liveZone({
  settings: {
    enabled: false,
    use_cloudflare_reporting_endpoint: true,
    use_connection_url_path: false,
  },
  policies: [],
});

const mild = policyPlan(3, 1, 0);

describe("the guard", () => {
  it("lets a plan pass that stays within its limits", ({ expect }) => {
    expect(refused(mild)).toEqual([]);
  });

  it("never holds a plan without changes", ({ expect }) => {
    expect(refused(policyPlan(1, 0, 0), { mode: "observe" })).toEqual([]);
  });

  it.for([
    { kept: 7, updated: 0, deleted: 3, holds: false },
    { kept: 43, updated: 0, deleted: 57, limit: 0.57, holds: false },
    { kept: 6, updated: 0, deleted: 4, holds: true },
    { kept: 2, updated: 0, deleted: 1, holds: true },
    { kept: 3, updated: 0, deleted: 1, holds: false },
    { kept: 0, updated: 0, deleted: 2, holds: false },
    { kept: 0, updated: 0, deleted: 3, holds: true },
    { kept: 2, updated: 3, deleted: 0, holds: false },
    { kept: 1, updated: 2, deleted: 0, holds: true },
  ])(
    "of $kept kept, $updated updated, $deleted deleted things: holds $holds",
    ({ kept, updated, deleted, limit = 0.3, holds }, { expect }) => {
      const proposal = policyPlan(kept, updated, deleted);
      expect(refused(proposal, { maxDeleteShare: limit }).length > 0).toBe(holds);
    },
  );

  it("counts settings, policies and rules together", ({ expect }) => {
    const mixed = plan(
      desiredZone({
        settings: [{ name: "enabled", value: true }, neutralSetting],
        policies: declared([policy("p1"), policy("p2")]),
        rules: { managed_rules: declared([exception("a"), exception("b")]) },
      }),
      liveZone({
        settings: bareZone.settings,
        policies: [carriedOut("1", policy("p1")), carriedOut("2", policy("p2"))],
        entrypoints: {
          managed_rules: entrypoint(
            liveException("r1", "a", { ref: "zonewarden:a" }),
            liveException("r2", "else", { ref: "zonewarden:b" }),
          ),
        },
      }),
      owner,
    );
    expect(mixed.compared).toBe(6);
    expect(refused(mixed, { maxUpdateShare: 0.4 })).toEqual([]);
    expect(refused(mixed, { maxUpdateShare: 0.3 })).toEqual([
      `too_many_updates: would update 2 of 6 managed settings, policies and rules (33.3 %), the limit is 30 %: release this plan once with --accept ${planHash(mixed)}, or raise limits.max_update_share`,
    ]);
    const rulesGone = plannedRules(
      declared([]),
      entrypoint(...["a", "b", "c"].map((key) => liveOurs(key))),
    );
    expect(refused(rulesGone)).toEqual([
      `too_many_deletes: would delete 3 of 3 managed policies and rules (100 %), the limit is 30 %: release this plan once with --accept ${planHash(rulesGone)}, or raise limits.max_delete_share`,
    ]);
  });

  it.for([
    { when: "another rule comes than the plan has", tier: "free", live: 5, yields: "may have 5" },
    { when: "the plan has room", tier: "pro", live: 5, yields: undefined },
    { when: "nothing comes", tier: "free", live: 6, isLive: true, yields: undefined },
    { when: "the plan is unknown", tier: "", live: 5, yields: undefined },
    {
      when: "the contract allows more",
      tier: "free",
      live: 5,
      quota: { free: { custom_rules: 6 } },
      yields: undefined,
    },
    {
      when: "the contract allows less",
      tier: "enterprise",
      live: 5,
      quota: { enterprise: { custom_rules: 4 }, free: { custom_rules: 9 } },
      yields: "may have 4",
    },
  ])("counts the rules of a phase: $when", (row, { expect }) => {
    const { tier, live, isLive = false, quota = {}, yields } = row;
    const rules = Array.from({ length: live }, (_, nth) =>
      liveRule(`r${nth}`, { action: "block" }),
    );
    const proposal = plannedRules(
      declared([exception("own", { enabled: !isLive })]),
      entrypoint(...rules, ...(isLive ? [liveOurs("own")] : [])),
      { phase: "custom_rules", tier },
    );
    expect(proposal.changes).toHaveLength(1);
    expect(refused(proposal, { quota, maxUpdateShare: 1 })).toEqual(
      yields === undefined ? [] : [expect.stringContaining(yields)],
    );
  });

  it("says what a contract that allows more rules needs", ({ expect }) => {
    const proposal = plannedRules(declared([exception("a"), exception("b")]), entrypoint(), {
      phase: "rate_limiting_rules",
      tier: "free",
    });
    expect(refused(proposal)).toEqual([
      "quota: rate_limiting_rules would have 2 rules, and a zone of the plan free may have 1: declare fewer, or set limits.quota.free.rate_limiting_rules if its contract allows more",
    ]);
  });

  it("does not count updates that only strengthen and cannot break for the share", ({ expect }) => {
    const settings = [{ name: "enabled", value: true }, neutralSetting] as const;
    const log = policy("log");
    const off = { ...carriedOut("1", log), enabled: false };
    const correction = plan(
      desiredZone({ settings: [settings[0]], policies: declared([log, policy("b")]) }),
      liveZone({ settings: bareZone.settings, policies: [off, carriedOut("2", policy("b"))] }),
      owner,
    );
    expect(correction.changes.map(({ key }) => key)).toEqual(["setting/enabled", "policy/log"]);
    expect(correction.compared).toBe(3);
    expect(refused(correction, { maxUpdateShare: 0 })).toEqual([]);
    const blocking = policy("log", { action: "allow" });
    const others = plan(
      desiredZone({ settings, policies: declared([blocking]) }),
      liveZone({
        settings: bareZone.settings,
        policies: [{ ...carriedOut("1", blocking), enabled: false }],
      }),
      owner,
    );
    expect(refused(others)).toEqual([
      `too_many_updates: would update 2 of 3 managed settings, policies and rules (66.7 %), the limit is 60 %: release this plan once with --accept ${planHash(others)}, or raise limits.max_update_share`,
    ]);
  });

  it("does not count settings among the resources of which a share may be deleted", ({
    expect,
  }) => {
    const keys = ["a", "b", "c", "d"];
    const settings = Array.from({ length: 6 }, () => enabled);
    const one = plan(
      desiredZone({ settings, policies: declared(keys.slice(0, 1).map((key) => policy(key))) }),
      liveZone({
        settings: {
          enabled: true,
          use_cloudflare_reporting_endpoint: true,
          use_connection_url_path: false,
        },
        policies: keys.slice(0, 4).map((key) => carriedOut(key, policy(key))),
      }),
      owner,
    );
    expect(one).toMatchObject({ compared: 10, deletable: 4 });
    expect(refused(one)).toEqual([
      `too_many_deletes: would delete 3 of 4 managed policies and rules (75 %), the limit is 30 %: release this plan once with --accept ${planHash(one)}, or raise limits.max_delete_share`,
    ]);
  });

  it("lets the one rule of a small zone be deleted", ({ expect }) => {
    expect(refused(policyPlan(0, 0, 1))).toEqual([]);
  });

  it("lets settings be changed in a zone that declares no policies and no rules", ({ expect }) => {
    const settings = [
      enabled,
      { name: "use_cloudflare_reporting_endpoint", value: true },
      { name: "use_connection_url_path", value: false },
    ] as const;
    const proposal = plan(desiredZone({ settings }), bareZone, owner);
    expect(proposal).toMatchObject({ compared: 3, deletable: 0, changes: [{ verb: "update" }] });
    expect(refused(proposal)).toEqual([]);
  });

  it("says what it found, the limit, and both ways to allow it", ({ expect }) => {
    const deletes = policyPlan(138, 0, 64);
    expect(refused(deletes)).toEqual([
      `too_many_deletes: would delete 64 of 202 managed policies and rules (31.7 %), the limit is 30 %: release this plan once with --accept ${planHash(deletes)}, or raise limits.max_delete_share`,
    ]);
    const updates = policyPlan(1, 3, 0);
    expect(refused(updates)).toEqual([
      `too_many_updates: would update 3 of 4 managed settings, policies and rules (75 %), the limit is 60 %: release this plan once with --accept ${planHash(updates)}, or raise limits.max_update_share`,
    ]);
  });

  it("holds weakening plans only with weakening: refuse, and names the first changes", ({
    expect,
  }) => {
    const weak = policyPlan(20, 0, 5);
    expect(refused(weak)).toEqual([]);
    expect(refused(weak, { weakening: "refuse" })).toEqual([
      `weakening: 5 of 5 changes weaken the protection, or may (policy/p20, policy/p21, policy/p22 and 2 more), and limits.weakening is refuse: release this plan once with --accept ${planHash(weak)}`,
    ]);
    expect(refused(mild, { weakening: "refuse" })).toEqual([]);
  });

  it("holds unclear changes like weakening ones", ({ expect }) => {
    const other = policy("checkout", { action: "allow", value: "script-src other.example" });
    const proposal = plannedPolicies(declared([other]), [
      carriedOut("p1", policy("checkout", { action: "allow" })),
    ]);
    expect(proposal.changes.map(({ effect }) => effect.direction)).toEqual(["unclear"]);
    expect(refused(proposal, { weakening: "refuse" })).toEqual([
      `weakening: 1 of 1 changes weaken the protection, or may (policy/checkout), and limits.weakening is refuse: release this plan once with --accept ${planHash(proposal)}`,
    ]);
  });

  it("repeats what the plan itself has against it", ({ expect }) => {
    const gap = { reason: "unsafe_order", message: "a gives up what b takes over" } as const;
    const taken = { reason: "already_deployed", message: "deployed already" } as const;
    const blocked = { ...mild, holds: [gap, taken] };
    expect(refused(blocked)).toEqual([
      "already_deployed: deployed already",
      `unsafe_order: a gives up what b takes over, or release this plan once with --accept ${planHash(mild)}`,
    ]);
    // What the service would refuse is not made possible by a person's word.
    expect(refused(blocked, { accept: [planHash(mild)] })).toEqual([
      "already_deployed: deployed already",
    ]);
  });

  it("lets a plan pass that a person released by its hash, and only that one", ({ expect }) => {
    const deletes = policyPlan(0, 0, 4);
    expect(refused(deletes, { accept: [planHash(deletes)] })).toEqual([]);
    expect(refused(deletes, { accept: [planHash(mild)] })).toHaveLength(1);
  });

  it("writes nothing in a zone that is observed or suspended, whatever was released", ({
    expect,
  }) => {
    const accept = [planHash(mild)];
    const suspension = { reason: "the sale", until: new Date("2026-12-01T00:00:00.000Z") };
    expect(refused(mild, { mode: "observe", accept })).toEqual([
      "observe: the mode is observe: nothing is written; set mode: enforce, or write named zones once with apply --enforce",
    ]);
    expect(refused(mild, { suspension, accept })).toEqual([
      "suspend: the zone is suspended until 2026-12-01T00:00:00.000Z (the sale): nothing is written; remove suspend to go on",
    ]);
    expect(refused(mild, { suspension: { reason: "", until: undefined } })).toEqual([
      "suspend: the zone is suspended: nothing is written; remove suspend to go on",
    ]);
  });

  it("writes nothing in a freeze but what a person released", ({ expect }) => {
    const freeze = { reason: 'the freeze window "sale" is open', letStrengtheningPass: false };
    expect(refused(mild, { freeze })).toEqual([
      `freeze: the freeze window "sale" is open: nothing is written; wait, change windows, or release this plan once with --accept ${planHash(mild)}`,
    ]);
    expect(refused(mild, { freeze, accept: [planHash(mild)] })).toEqual([]);
  });

  it.for([
    { when: "only strengthens", content: { settings: [enabled] }, codes: [] },
    { when: "may break something", content: { policies: enforced }, codes: ["freeze"] },
    {
      when: "does both",
      content: { settings: [enabled], policies: enforced },
      codes: ["freeze"],
    },
    { when: "is neutral", content: { settings: [neutralSetting] }, codes: ["freeze"] },
  ])(
    "in a freeze that lets strengthening pass: a plan that $when",
    ({ content, codes }, { expect }) => {
      const freeze = { reason: "a freeze", letStrengtheningPass: true };
      const proposal = plan(desiredZone(content), bareZone, owner);
      expect(proposal.changes).not.toEqual([]);
      expect(refused(proposal, { freeze }).map((text) => text.split(":")[0])).toEqual(codes);
      // It is the same for a declaration that only the state knows, and no release overrides it.
      const accept = [planHash(proposal)];
      const held = refused(proposal, { isRestored: true, accept });
      expect(held.map((text) => text.split(":")[0])).toEqual(codes.map(() => "fleet_change"));
    },
  );

  it("says in such a freeze which changes of a plan hold the others back", ({ expect }) => {
    const freeze = { reason: "a freeze", letStrengtheningPass: true };
    const content = { settings: [enabled, neutralSetting], policies: enforced };
    const mixed = plan(desiredZone(content), bareZone, owner);
    expect(mixed.changes).toHaveLength(3);
    expect(refused(mixed, { freeze, maxUpdateShare: 1 })).toEqual([
      `freeze: a freeze: nothing is written, as a plan is carried out whole and not all of it only strengthens (setting/use_cloudflare_reporting_endpoint, policy/checkout); wait, change windows, or release this plan once with --accept ${planHash(mixed)}`,
    ]);
  });

  it("holds any other write to a zone by its mode, its suspension and every freeze", ({
    expect,
  }) => {
    const none = { mode: "enforce", suspension: undefined, freeze: undefined, now } as const;
    const freeze = { reason: "the sale", letStrengtheningPass: true };
    const suspension = { reason: "", until: undefined };
    expect(writeHolds(none)).toEqual([]);
    expect(writeHolds({ ...none, freeze })).toEqual([
      { reason: "freeze", message: "the sale: nothing is written; wait, or change windows" },
    ]);
    const all = writeHolds({ ...none, mode: "observe", suspension, freeze });
    expect(all.map(({ reason }) => reason)).toEqual(["observe", "suspend", "freeze"]);
  });

  it("ends a suspension at its moment", ({ expect }) => {
    expect(isSuspended({ reason: "", until: undefined }, now)).toBe(true);
    expect(isSuspended({ reason: "", until: new Date(now.getTime() + 1) }, now)).toBe(true);
    expect(isSuspended({ reason: "", until: now }, now)).toBe(false);
    expect(refused(mild, { suspension: { reason: "the sale", until: now } })).toEqual([]);
  });
});
