import { describe, it } from "vitest";

import { neutral } from "../../src/plan/change.ts";
import { plan, type Plan } from "../../src/plan/plan.ts";
import { confirmSaved, rejectSaved } from "../../src/plan/saved/confirm.ts";
import { savedPlan, type SavedPlan } from "../../src/plan/saved/saved-plan.ts";
import type { LivePolicy } from "../../src/zone/live-zone.ts";
import type { Policy } from "../../src/zone/resource.ts";
import {
  carriedOut,
  declared,
  deployment,
  desiredZone,
  entrypoint,
  liveDeployment,
  liveZone,
  owner,
  policy,
} from "../support/model.ts";
import { plannedPolicies } from "../support/planned.ts";

function planOf(policies: readonly Policy[], live: readonly LivePolicy[]): Plan {
  return plannedPolicies(declared(policies), live);
}

function savedOf(policies: readonly Policy[], live: readonly LivePolicy[]): SavedPlan {
  return savedPlan(planOf(policies, live), liveZone({ policies: live }));
}

const names = ["a", "b", "c", "d"];
const on = names.map((key) => policy(key));
const off = names.map((key) => policy(key, { enabled: false }));
const live = off.map((each) => carriedOut(each.key, each));
const [a, b, c, d] = on.map((each) => [each]);
const [first = [], second = [], third = [], fourth = []] = [a, b, c, d];
const changed = live.map((each) => ({ ...each, action: "allow" }));

describe("a saved plan", () => {
  it.for<{
    readonly when: string;
    readonly file: readonly Policy[];
    readonly then?: readonly LivePolicy[];
    readonly today: readonly Policy[];
    readonly now: readonly LivePolicy[];
    readonly sends: readonly string[];
    readonly keeps: readonly string[];
    readonly notes: readonly string[];
  }>([
    {
      when: "is the plan of today",
      file: on.slice(0, 2),
      today: on.slice(0, 2),
      now: live.slice(0, 2),
      sends: ["policy/a", "policy/b"],
      keeps: [],
      notes: [],
    },
    {
      when: "was carried out",
      file: first,
      today: first,
      now: first.map((each) => carriedOut(each.key, each)),
      sends: [],
      keeps: [],
      notes: ["already applied: policy/a"],
    },
    {
      when: "has a write that today's plan does not have",
      file: [...first, ...second],
      today: [...first, ...off.slice(1, 2)],
      now: live.slice(0, 2),
      sends: ["policy/a"],
      keeps: ["policy/b"],
      notes: ["today there is no update-policy policy/b"],
    },
    {
      when: "writes another value",
      file: [policy("a", { value: "script-src *" })],
      today: first,
      now: live.slice(0, 1),
      sends: [],
      keeps: ["policy/a"],
      notes: ["update-policy policy/a differs"],
    },
    {
      when: "acts on what somebody changed",
      file: on.slice(0, 2),
      today: on.slice(0, 2),
      now: [...changed.slice(0, 1), ...live.slice(1, 2)],
      sends: [],
      keeps: ["policy/a", "policy/b"],
      notes: [
        "update-policy policy/a or a write before it acts on a changed resource",
        "update-policy policy/b or a write before it acts on a changed resource",
      ],
    },
    {
      when: "does not have a write that comes first today",
      file: second,
      today: on.slice(0, 2),
      now: live.slice(0, 2),
      sends: [],
      keeps: ["policy/b"],
      notes: ["update-policy policy/b comes after update-policy policy/a"],
    },
    {
      when: "does not have a write that comes between two of its writes today",
      file: [...first, ...third],
      today: on.slice(0, 3),
      now: live.slice(0, 3),
      sends: ["policy/a"],
      keeps: ["policy/c"],
      notes: ["update-policy policy/c comes after update-policy policy/b"],
    },
    {
      when: "differs in four places",
      file: on,
      today: off,
      now: live,
      sends: [],
      keeps: ["policy/a", "policy/b", "policy/c", "policy/d"],
      notes: [
        "today there is no update-policy policy/a",
        "today there is no update-policy policy/b",
        "today there is no update-policy policy/c and 1 more",
      ],
    },
    {
      when: "differs in three places",
      file: [...first, ...second, ...third],
      today: off.slice(0, 3),
      now: live.slice(0, 3),
      sends: [],
      keeps: ["policy/a", "policy/b", "policy/c"],
      notes: names.slice(0, 3).map((name) => `today there is no update-policy policy/${name}`),
    },
    {
      when: "does not have a write that comes last today",
      file: third,
      today: [...third, ...fourth],
      now: live.slice(2, 4),
      sends: ["policy/c"],
      keeps: [],
      notes: [],
    },
  ])("that $when", ({ file, today: policies, now, sends, keeps, notes }, { expect }) => {
    const saved = savedOf(
      file,
      live.filter(({ id }) => file.some(({ key }) => key === id)),
    );
    const today = planOf(policies, now);
    const confirmed = confirmSaved(saved, today, liveZone({ policies: now }));
    const keys = confirmed.plan.writes.flatMap((write) => write.changes);
    expect(keys).toEqual([...sends, ...keeps]);
    expect(confirmed.conflicts.flatMap((write) => write.changes)).toEqual(keeps);
    expect(confirmed.plan.changes.map(({ key }) => key).toSorted()).toEqual(keys);
    const differs = "the plan in the file is not the plan of today: ";
    const isApplied = notes[0]?.startsWith("already") === true;
    expect(confirmed.plan.notes).toEqual(
      isApplied || notes.length === 0 ? notes : [`${differs}${notes.join(", ")}; save a new plan`],
    );
  });

  it("is today's plan with its remarks, where both have the same writes", ({ expect }) => {
    const saved = savedOf(first, live.slice(0, 1));
    const today = { ...planOf(first, live.slice(0, 1)), notes: ["a remark"] };
    const now = liveZone({ policies: live.slice(0, 1) });
    expect(confirmSaved(saved, today, now)).toEqual({ plan: today, conflicts: [] });
  });

  it("is not applied yet where it only takes something away, which its write does not name", ({
    expect,
  }) => {
    const words = { description: "OWASP" };
    const switched = { ...words, ref: "zonewarden:owasp" };
    const zone = liveZone({
      entrypoints: {
        managed_rules: entrypoint(liveDeployment("r1", switched, { enabled: false })),
      },
    });
    const today = plan(
      desiredZone({ rules: { managed_rules: declared([deployment("owasp", words)]) } }),
      zone,
      owner,
    );
    expect(today.changes).toMatchObject([{ fields: [{ field: "overrides.enabled" }] }]);
    expect(confirmSaved(savedPlan(today, zone), today, zone)).toEqual({
      plan: today,
      conflicts: [],
    });
  });

  it("is a conflict where the file says that a write protects more or less than it does", ({
    expect,
  }) => {
    const saved = savedOf(first, live.slice(0, 1));
    const changes = saved.changes.map((change) => ({ ...change, effect: neutral }));
    const today = planOf(first, live.slice(0, 1));
    const now = liveZone({ policies: live.slice(0, 1) });
    const confirmed = confirmSaved({ ...saved, changes }, today, now);
    expect(confirmed.conflicts).toEqual(saved.writes);
    expect(confirmed.plan.notes).toEqual([
      "the plan in the file is not the plan of today: update-policy policy/a has another effect; save a new plan",
    ]);
  });

  it("names a write of the file that says not what it changes", ({ expect }) => {
    const saved = savedOf(first, live.slice(0, 1));
    const writes = saved.writes.map((write) => ({ ...write, changes: [] }));
    const zone = liveZone({ policies: live.slice(0, 1) });
    const today = planOf(off.slice(0, 1), live.slice(0, 1));
    const edited = { ...saved, writes };
    expect(confirmSaved(edited, today, zone).plan.notes).toEqual([
      "the plan in the file is not the plan of today: today there is no update-policy; save a new plan",
    ]);
  });

  it("claims no effect where its change is not one of today", ({ expect }) => {
    const saved = savedOf(first, live.slice(0, 1));
    const today = planOf(off.slice(0, 1), live.slice(0, 1));
    const { plan: confirmed } = confirmSaved(
      saved,
      today,
      liveZone({ policies: live.slice(0, 1) }),
    );
    const effect = {
      direction: "unclear",
      mayBreak: false,
      reasons: ["not a change of today's plan"],
    };
    expect(confirmed.changes).toMatchObject([{ key: "policy/a", effect }]);
    const rejected = rejectSaved(saved, "the zone is another");
    expect(rejected.conflicts).toEqual(saved.writes);
    expect(rejected.plan).toMatchObject({
      writes: saved.writes,
      changes: [{ key: "policy/a", effect }],
      holds: [],
      notes: [
        "the plan in the file is not the plan of today: the zone is another; save a new plan",
      ],
    });
  });
});
