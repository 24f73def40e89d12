import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import {
  fingerprintsOf,
  freshnessOf,
  partsTouched,
  type SavedPlan,
} from "../../src/plan/saved/fingerprint.ts";
import type { DesiredZone } from "../../src/zone/desired-zone.ts";
import type { LiveZone } from "../../src/zone/live-zone.ts";
import {
  absent,
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  exception,
  liveDeployment,
  livePolicy,
  liveRule,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { checkout, liveOwasp, liveUploads, owasp } from "../support/planned.ts";
import { statesOf } from "../support/service-model.ts";

function save(desired: DesiredZone, live: LiveZone): SavedPlan {
  const proposal = plan(desired, live, owner);
  return { plan: proposal, fingerprints: fingerprintsOf(proposal, live) };
}

const off = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};
const foreign = liveRule("f1", { action: "log" });

const settings = desiredZone({ settings: [{ name: "enabled", value: true }] });
const policies = desiredZone({ policies: declared([checkout]) });
const rules = desiredZone({ rules: declared([owasp]) });

const differing = carriedOut("p1", checkout, { enabled: false });
const loose = carriedOut("p1", checkout, { value: "script-src 'self' cdn.example.net" });
const disabled = liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false });

describe("the fingerprints of a plan", () => {
  it.for([
    {
      when: "another setting was changed",
      desired: settings,
      before: { settings: off },
      now: { settings: { ...off, use_connection_url_path: true } },
      stale: [],
    },
    {
      when: "the policy was changed",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [{ ...differing, value: "img-src 'self'" }] },
      stale: ["policy/p1"],
    },
    {
      when: "the twin of a duplicate is still there",
      desired: policies,
      before: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      now: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      stale: [],
    },
    {
      when: "the twin of a duplicate was deleted",
      desired: policies,
      before: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      now: { policies: [carriedOut("p2", checkout)] },
      stale: ["mark/zonewarden:checkout"],
    },
    {
      when: "the policy was switched off",
      desired: policies,
      before: { policies: [loose] },
      now: { policies: [{ ...loose, enabled: false }] },
      stale: ["policy/p1"],
    },
    {
      when: "the policy was switched on",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [{ ...loose, enabled: true }] },
      stale: ["policy/p1"],
    },
    {
      when: "the policy is gone",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [] },
      stale: ["policy/p1"],
    },
    {
      when: "another policy was changed",
      desired: policies,
      before: { policies: [differing, livePolicy("p2")] },
      now: { policies: [livePolicy("p2", { enabled: false }), differing] },
      stale: [],
    },
    {
      when: "the policy to be made was made by somebody else",
      desired: policies,
      before: { policies: [] },
      now: { policies: [carriedOut("p7", checkout, { enabled: false })] },
      stale: ["mark/zonewarden:checkout"],
    },
    {
      when: "the rule was changed",
      desired: rules,
      before: { entrypoint: entrypoint(disabled) },
      now: { entrypoint: entrypoint(liveOwasp) },
      stale: ["rule/r1"],
    },
    {
      when: "the rule to be deleted was changed",
      desired: desiredZone({ rules: declared([]) }),
      before: { entrypoint: entrypoint(liveOwasp) },
      now: { entrypoint: entrypoint(disabled) },
      stale: ["rule/r1"],
    },
    {
      when: "another rule was added beside the one that differs",
      desired: rules,
      before: { entrypoint: entrypoint(disabled) },
      now: { entrypoint: entrypoint(foreign, disabled) },
      stale: [],
    },
    {
      when: "a rule was added to a list that is to be replaced",
      desired: desiredZone({ rules: declared([exception("a"), exception("b")]) }),
      before: { entrypoint: entrypoint() },
      now: { entrypoint: entrypoint(foreign) },
      stale: ["entrypoint"],
    },
    {
      when: "an entry point was made where there was none",
      desired: rules,
      before: { entrypoint: absent },
      now: { entrypoint: entrypoint() },
      stale: ["entrypoint"],
    },
    {
      when: "rules were added where one is to be moved",
      desired: desiredZone({ rules: declared([exception("uploads"), deployment("owasp")]) }),
      before: {
        entrypoint: entrypoint(liveOwasp, liveUploads),
      },
      now: {
        entrypoint: entrypoint(liveOwasp, foreign, liveUploads),
      },
      stale: ["entrypoint"],
    },
  ] satisfies readonly {
    when: string;
    desired: DesiredZone;
    before: Partial<LiveZone>;
    now: Partial<LiveZone>;
    stale: readonly string[];
  }[])("tell what moved when $when", ({ desired, before, now, stale }, { expect }) => {
    const saved = save(desired, liveZone(before));
    expect(saved.plan.writes).toHaveLength(1);
    const freshness = freshnessOf(saved, liveZone(now));
    expect(freshness.stale).toEqual(stale);
    expect(freshness.send).toEqual(stale.length === 0 ? saved.plan.writes : []);
    expect(freshness.held).toEqual(stale.length === 0 ? [] : saved.plan.writes);
    expect(freshnessOf(saved, liveZone(before)).stale).toEqual([]);
  });

  it("need no twin of a policy without a mark, which is deleted beside a duplicate", ({
    expect,
  }) => {
    const live = liveZone({
      policies: [carriedOut("p1", checkout), carriedOut("p2", checkout), livePolicy("p3")],
    });
    const saved = save(desiredZone({ policies: declared([checkout], "delete") }), live);
    expect(saved.plan.writes.map(({ changes }) => changes)).toEqual([["policy/p2"], ["policy/p3"]]);
    expect(freshnessOf(saved, live)).toMatchObject({ stale: [], send: saved.plan.writes });
  });

  it("need no twin of a duplicate whose key is no longer declared", ({ expect }) => {
    const [p1, p2] = [carriedOut("p1", checkout), carriedOut("p2", checkout)];
    const saved = save(desiredZone({ policies: declared([]) }), liveZone({ policies: [p1, p2] }));
    expect(freshnessOf(saved, liveZone({ policies: [p2] }))).toMatchObject({
      stale: [],
      send: [{ call: "delete-policy", id: "p2" }],
    });
  });

  it.for([
    {
      when: "the setting was changed as it shall be",
      desired: settings,
      before: { settings: off },
      now: { settings: { ...off, enabled: true } },
    },
    {
      when: "the policy to be made is there",
      desired: policies,
      before: { policies: [] },
      now: { policies: [carriedOut("p7", checkout)] },
    },
    {
      when: "the policy to be deleted is gone",
      desired: desiredZone({ policies: declared([]) }),
      before: { policies: [carriedOut("p1", checkout)] },
      now: { policies: [] },
    },
    {
      when: "a rule to be deleted is gone already",
      desired: desiredZone({ rules: declared([]) }),
      before: { entrypoint: entrypoint(liveOwasp) },
      now: { entrypoint: entrypoint() },
    },
    {
      when: "a rule to be moved stands where it shall",
      desired: desiredZone({ rules: declared([exception("uploads"), deployment("owasp")]) }),
      before: { entrypoint: entrypoint(liveOwasp, liveUploads) },
      now: { entrypoint: entrypoint(liveUploads, liveOwasp) },
    },
  ] satisfies readonly {
    when: string;
    desired: DesiredZone;
    before: Partial<LiveZone>;
    now: Partial<LiveZone>;
  }[])("know as done what is so already: $when", ({ desired, before, now }, { expect }) => {
    const saved = save(desired, liveZone(before));
    const { writes } = saved.plan;
    expect(freshnessOf(saved, liveZone(now))).toEqual({
      stale: [],
      done: writes,
      send: [],
      held: [],
    });
    expect(freshnessOf(saved, liveZone(before)).send).toEqual(writes);
  });

  it("hold back what comes after a stale write, since the order protects", ({ expect }) => {
    const desired = desiredZone({ policies: declared([checkout, policy("cart")]) });
    const live = liveZone({ policies: [carriedOut("p1", policy("old"))] });
    const saved = save(desired, live);
    expect(saved.plan.writes.map(({ changes }) => changes)).toEqual([
      ["policy/cart"],
      ["policy/checkout"],
      ["policy/old"],
    ]);
    const now = liveZone({
      policies: [...(live.policies ?? []), carriedOut("p7", checkout, { enabled: false })],
    });
    const { send, held } = freshnessOf(saved, now);
    expect(send).toEqual(saved.plan.writes.slice(0, 1));
    expect(held).toEqual(saved.plan.writes.slice(1));
  });

  it("know a plan that was carried out, and what another hand has done the same", ({ expect }) => {
    const live = liveZone({ policies: [], settings: off, entrypoint: absent });
    const desired = desiredZone({
      ...settings.content,
      policies: declared([checkout]),
      rules: declared([owasp]),
    });
    const saved = save(desired, live);
    const after = statesOf(live, saved.plan.writes).at(-1) ?? live;
    expect(freshnessOf(saved, after)).toMatchObject({
      stale: [],
      done: saved.plan.writes,
      send: [],
      held: [],
    });
    const moved = { ...after, policies: [carriedOut("p1", checkout, { enabled: false })] };
    expect(freshnessOf(saved, moved).stale).toEqual(["mark/zonewarden:checkout"]);
  });

  it.for([
    { desired: settings, before: { settings: off }, parts: ["settings"] },
    { desired: policies, before: { policies: [differing] }, parts: ["policies"] },
    { desired: rules, before: { entrypoint: absent }, parts: ["rules"] },
    { desired: rules, before: { entrypoint: entrypoint(disabled) }, parts: ["rules"] },
  ] satisfies readonly {
    desired: DesiredZone;
    before: Partial<LiveZone>;
    parts: readonly string[];
  }[])(
    "know that $parts must be read again, and take nothing unread as it was",
    (given, { expect }) => {
      const saved = save(given.desired, liveZone(given.before));
      const touched = Object.entries(partsTouched(saved.plan)).filter(([, isTouched]) => isTouched);
      expect(touched.map(([name]) => name)).toEqual(given.parts);
      expect(freshnessOf(saved, liveZone()).send).toEqual([]);
    },
  );
});
