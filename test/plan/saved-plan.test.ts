import { describe, it } from "vitest";

import { plan } from "../../src/plan/plan.ts";
import { type ConfirmedPlan, confirmSaved } from "../../src/plan/saved/confirm.ts";
import { partsTouched, savedPlan } from "../../src/plan/saved/saved-plan.ts";
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

/** A plan that was saved at a live state, confirmed at a later one. */
function confirmed(desired: DesiredZone, before: LiveZone, now: LiveZone): ConfirmedPlan {
  const saved = savedPlan(plan(desired, before, owner), before);
  return confirmSaved(saved, plan(desired, now, owner), now);
}

const off = {
  enabled: false,
  use_cloudflare_reporting_endpoint: true,
  use_connection_url_path: false,
};
const foreign = liveRule("f1", { action: "log" });
const answer = { content: "no", content_type: "text/plain", status_code: 403 };
const challenge = liveRule("f3", { action: "block" });
const answering = liveRule("f3", { action: "block", action_parameters: { response: answer } });

const settings = desiredZone({ settings: [{ name: "enabled", value: true }] });
const policies = desiredZone({ policies: declared([checkout]) });
const rules = desiredZone({ rules: { managed_rules: declared([owasp]) } });

const differing = carriedOut("p1", checkout, { enabled: false });
const loose = carriedOut("p1", checkout, { value: "script-src 'self' cdn.example.net" });
const disabled = liveDeployment("r1", { ref: "zonewarden:owasp", enabled: false });

describe("a saved plan", () => {
  it.for([
    {
      when: "another setting was changed",
      desired: settings,
      before: { settings: off },
      now: { settings: { ...off, use_connection_url_path: true } },
      sends: true,
    },
    {
      when: "the policy was changed",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [{ ...differing, value: "img-src 'self'" }] },
      sends: false,
    },
    {
      when: "the twin of a duplicate is still there",
      desired: policies,
      before: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      now: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      sends: true,
    },
    {
      when: "the twin of a duplicate was deleted",
      desired: policies,
      before: { policies: [carriedOut("p1", checkout), carriedOut("p2", checkout)] },
      now: { policies: [carriedOut("p2", checkout)] },
      sends: false,
    },
    {
      when: "the policy was switched off",
      desired: policies,
      before: { policies: [loose] },
      now: { policies: [{ ...loose, enabled: false }] },
      sends: false,
    },
    {
      when: "the policy was switched on",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [{ ...loose, enabled: true }] },
      sends: false,
    },
    {
      when: "the policy is gone",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [] },
      sends: false,
    },
    {
      when: "another policy was changed",
      desired: policies,
      before: { policies: [differing, livePolicy("p2")] },
      now: { policies: [livePolicy("p2", { enabled: false }), differing] },
      sends: true,
    },
    {
      when: "the policy to be made was made by somebody else",
      desired: policies,
      before: { policies: [] },
      now: { policies: [carriedOut("p7", checkout, { enabled: false })] },
      sends: false,
    },
    {
      when: "the rule was changed",
      desired: rules,
      before: { entrypoints: { managed_rules: entrypoint(disabled) } },
      now: { entrypoints: { managed_rules: entrypoint(liveOwasp) } },
      sends: false,
    },
    {
      when: "the rule to be deleted was changed",
      desired: desiredZone({ rules: { managed_rules: declared([]) } }),
      before: { entrypoints: { managed_rules: entrypoint(liveOwasp) } },
      now: { entrypoints: { managed_rules: entrypoint(disabled) } },
      sends: false,
    },
    {
      when: "another rule was added beside the one that differs",
      desired: rules,
      before: { entrypoints: { managed_rules: entrypoint(disabled) } },
      now: { entrypoints: { managed_rules: entrypoint(foreign, disabled) } },
      sends: true,
    },
    {
      when: "a rule was added to a list that is to be replaced",
      desired: desiredZone({
        rules: { managed_rules: declared([exception("a"), exception("b")], "delete") },
      }),
      before: { entrypoints: { managed_rules: entrypoint(challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(foreign, challenge) } },
      sends: false,
    },
    {
      when: "an entry point was made where there was none",
      desired: rules,
      before: { entrypoints: { managed_rules: absent } },
      now: { entrypoints: { managed_rules: entrypoint() } },
      sends: false,
    },
    {
      when: "a rule without a mark that is to be deleted does something else",
      desired: desiredZone({ rules: { managed_rules: declared([], "delete") } }),
      before: { entrypoints: { managed_rules: entrypoint(challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(answering) } },
      sends: false,
    },
    {
      when: "a rule that is to leave the list does something else",
      desired: desiredZone({ rules: { managed_rules: declared([exception("a")], "delete") } }),
      before: { entrypoints: { managed_rules: entrypoint(challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(answering) } },
      sends: false,
    },
    {
      when: "the rule beside which one is to be made does something else",
      desired: rules,
      before: { entrypoints: { managed_rules: entrypoint(challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(answering) } },
      sends: false,
    },
    {
      when: "a rule before which an exception is to be made was added",
      desired: desiredZone({ rules: { managed_rules: declared([exception("uploads")]) } }),
      before: { entrypoints: { managed_rules: entrypoint(challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(challenge, liveDeployment("f2")) } },
      sends: false,
    },
    {
      when: "a rule before which an exception is to be made was deleted",
      desired: desiredZone({ rules: { managed_rules: declared([exception("uploads")]) } }),
      before: { entrypoints: { managed_rules: entrypoint(foreign, challenge) } },
      now: { entrypoints: { managed_rules: entrypoint(challenge) } },
      sends: false,
    },
    {
      when: "a policy that is to be deleted has another unknown field",
      desired: desiredZone({ policies: declared([]) }),
      before: { policies: [carriedOut("p1", checkout, { rest: { report_only: true } })] },
      now: { policies: [carriedOut("p1", checkout, { rest: { report_only: false } })] },
      sends: false,
    },
    {
      when: "somebody took our mark off the policy",
      desired: policies,
      before: { policies: [differing] },
      now: { policies: [{ ...differing, description: checkout.description }] },
      sends: false,
    },
    {
      when: "somebody took our mark off a policy that is to be deleted",
      desired: desiredZone({ policies: declared([], "delete") }),
      before: { policies: [differing] },
      now: { policies: [{ ...differing, description: checkout.description }] },
      sends: false,
    },
    {
      when: "rules were added where one is to be moved",
      desired: desiredZone({
        rules: { managed_rules: declared([exception("uploads"), deployment("owasp")]) },
      }),
      before: {
        entrypoints: { managed_rules: entrypoint(liveOwasp, liveUploads) },
      },
      now: {
        entrypoints: { managed_rules: entrypoint(liveOwasp, foreign, liveUploads) },
      },
      sends: false,
    },
  ] satisfies readonly {
    when: string;
    desired: DesiredZone;
    before: Partial<LiveZone>;
    now: Partial<LiveZone>;
    sends: boolean;
  }[])("is sent only if it would change the same: $when", (given, { expect }) => {
    const [before, now] = [liveZone(given.before), liveZone(given.now)];
    const { writes } = plan(given.desired, before, owner);
    expect(writes).toHaveLength(1);
    const { conflicts, plan: left } = confirmed(given.desired, before, now);
    expect(conflicts).toEqual(given.sends ? [] : writes);
    expect(left.writes).toEqual(writes);
  });

  it("goes on with a duplicate whose key is no longer declared", ({ expect }) => {
    const [p1, p2] = [carriedOut("p1", checkout), carriedOut("p2", checkout)];
    const none = desiredZone({ policies: declared([]) });
    const now = liveZone({ policies: [p2] });
    expect(confirmed(none, liveZone({ policies: [p1, p2] }), now)).toMatchObject({
      conflicts: [],
      plan: { writes: [{ call: "delete-policy", id: "p2" }] },
    });
  });

  it("deletes no last policy that was the duplicate of another when a person saw it", ({
    expect,
  }) => {
    const [p1, p2] = [carriedOut("p1", checkout), carriedOut("p2", checkout)];
    const then = liveZone({ policies: [p1, p2] });
    const saved = savedPlan(plan(policies, then, owner), then);
    expect(saved.changes).toMatchObject([{ id: "p2", effect: { direction: "neutral" } }]);
    const now = liveZone({ policies: [p2] });
    const today = plan(desiredZone({ policies: declared([]) }), now, owner);
    expect(today.changes).toMatchObject([{ id: "p2", effect: { direction: "weakens" } }]);
    expect(today.writes).toMatchObject([{ call: "delete-policy", id: "p2" }]);
    const { conflicts, plan: left } = confirmSaved(saved, today, now);
    expect(conflicts).toEqual(saved.writes);
    expect(left.notes).toEqual([
      "the plan in the file is not the plan of today: today there is no delete-policy policy/p2; save a new plan",
    ]);
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
      desired: desiredZone({ rules: { managed_rules: declared([]) } }),
      before: { entrypoints: { managed_rules: entrypoint(liveOwasp) } },
      now: { entrypoints: { managed_rules: entrypoint() } },
    },
    {
      when: "a rule to be moved stands where it shall",
      desired: desiredZone({
        rules: { managed_rules: declared([exception("uploads"), deployment("owasp")]) },
      }),
      before: { entrypoints: { managed_rules: entrypoint(liveOwasp, liveUploads) } },
      now: { entrypoints: { managed_rules: entrypoint(liveUploads, liveOwasp) } },
    },
  ] satisfies readonly {
    when: string;
    desired: DesiredZone;
    before: Partial<LiveZone>;
    now: Partial<LiveZone>;
  }[])("is done where it is so already: $when", (given, { expect }) => {
    const [before, now] = [liveZone(given.before), liveZone(given.now)];
    const done = confirmed(given.desired, before, now);
    expect(done).toMatchObject({ conflicts: [], plan: { writes: [] } });
    expect(done.plan.notes).toMatchObject([expect.stringMatching(/^already applied: /)]);
  });

  it("holds back what comes after a write that moved, since the order protects", ({ expect }) => {
    const desired = desiredZone({ policies: declared([checkout, policy("cart")]) });
    const before = liveZone({ policies: [carriedOut("p1", policy("old"))] });
    const { writes } = plan(desired, before, owner);
    expect(writes.map(({ changes }) => changes)).toEqual([
      ["policy/cart"],
      ["policy/checkout"],
      ["policy/old"],
    ]);
    const now = liveZone({
      policies: [...(before.policies ?? []), carriedOut("p7", checkout, { enabled: false })],
    });
    expect(confirmed(desired, before, now).conflicts).toEqual(writes.slice(1));
  });

  it.for([
    { desired: settings, before: { settings: off }, parts: ["settings"] },
    { desired: policies, before: { policies: [differing] }, parts: ["policies"] },
    {
      desired: rules,
      before: { entrypoints: { managed_rules: absent } },
      parts: ["managed_rules"],
    },
  ] satisfies readonly {
    desired: DesiredZone;
    before: Partial<LiveZone>;
    parts: readonly string[];
  }[])("needs $parts read again", ({ desired, before, parts }, { expect }) => {
    expect([...partsTouched(plan(desired, liveZone(before), owner))]).toEqual(parts);
  });
});
