import { describe, it } from "vitest";

import type { Change } from "../../src/plan/change.ts";
import {
  howToRelease,
  isHash,
  isReleased,
  isRestOf,
  planHash,
  type UsedRelease,
} from "../../src/plan/guard/release.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { zoneId } from "../../src/zone/zone.ts";
import { policyPlan } from "../support/plan-of.ts";

const mild = policyPlan(3, 1, 0);

describe("the hash of a plan", () => {
  it("is the same for the same requests to the same zone", ({ expect }) => {
    expect(planHash(policyPlan(3, 1, 0))).toBe(planHash(mild));
    expect(planHash(mild)).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is another for other requests and for another zone", ({ expect }) => {
    expect(planHash(policyPlan(3, 2, 0))).not.toBe(planHash(mild));
    const id = zoneId("1".repeat(32)) ?? mild.zone.id;
    expect(planHash({ ...mild, zone: { ...mild.zone, id } })).not.toBe(planHash(mild));
  });

  it("is another for changes from other values, though the requests are the same", ({ expect }) => {
    const [first, ...others] = mild.changes;
    if (first?.verb !== "update") throw new Error("the plan updates nothing first");
    const from = (before: string): Plan => {
      const change = { ...first, fields: [{ field: "action", before, after: "log" }] };
      return { ...mild, changes: [change, ...others] };
    };
    expect(planHash(from("allow"))).not.toBe(planHash(from("block")));
    expect(planHash(from("allow"))).toBe(planHash(from("allow")));
  });

  it("is told from what only looks like one", ({ expect }) => {
    const one = planHash(mild);
    expect([one, `sha256-${one}`].map(isHash)).toEqual([true, true]);
    const others = [one.slice(1), `${one}0`, `0${one}`, one.toUpperCase(), one.replace(/^./, "g")];
    expect(others.map(isHash)).toEqual(others.map(() => false));
  });

  it("does not hang on words", ({ expect }) => {
    const changes: readonly Change[] = mild.changes.map((each) => ({ ...each, title: "Other" }));
    expect(planHash({ ...mild, changes, notes: ["a note"] })).toBe(planHash(mild));
  });
});

/** The first writes of a plan, as a plan of its own. */
function firstWrites(plan: Plan, count: number): Plan {
  return { ...plan, writes: plan.writes.slice(0, count) };
}

describe("a release of a plan", () => {
  const whole = policyPlan(3, 2, 0);
  const hash = planHash(whole);
  const other = zoneId("1".repeat(32)) ?? whole.zone.id;
  const elsewhere = { ...whole, zone: { ...whole.zone, id: other } };
  const last = { ...whole, writes: whole.writes.slice(1) };

  it.for<{
    readonly when: string;
    readonly plan: Plan;
    readonly accept?: readonly string[];
    readonly used?: readonly UsedRelease[];
    readonly released: boolean;
  }>([
    { when: "no release was given", plan: whole, released: false },
    { when: "its hash was given", plan: whole, accept: [hash], released: true },
    { when: "the hash of another plan was given", plan: mild, accept: [hash], released: false },
    {
      when: "its hash was used and nothing of it is left",
      plan: whole,
      accept: [hash],
      used: [{ hash, rest: { zone: whole.zone, writes: [] } }],
      released: false,
    },
    {
      when: "its hash was used and it is not known what is left",
      plan: whole,
      accept: [hash],
      used: [{ hash, rest: undefined }],
      released: false,
    },
    {
      when: "another plan was used",
      plan: whole,
      accept: [hash],
      used: [{ hash: planHash(mild), rest: undefined }],
      released: true,
    },
    {
      when: "all of the released plan is left",
      plan: whole,
      used: [{ hash, rest: whole }],
      released: true,
    },
    {
      when: "it is a part of what is left",
      plan: firstWrites(whole, 1),
      used: [{ hash, rest: whole }],
      released: true,
    },
    {
      when: "it is the last part of what is left of the second used release",
      plan: last,
      used: [
        { hash: planHash(mild), rest: firstWrites(whole, 1) },
        { hash, rest: whole },
      ],
      released: true,
    },
    {
      when: "it has one write more than what is left",
      plan: whole,
      used: [{ hash, rest: last }],
      released: false,
    },
    {
      when: "another zone has the same writes left",
      plan: elsewhere,
      used: [{ hash, rest: whole }],
      released: false,
    },
    {
      when: "it writes nothing",
      plan: firstWrites(whole, 0),
      used: [{ hash, rest: whole }],
      released: false,
    },
  ])("counts or not where $when", ({ plan, accept = [], used = [], released }, { expect }) => {
    expect(isReleased(plan, { accept, used })).toBe(released);
    const isRest = used.some((release) => isRestOf(plan, release));
    expect(isRest).toBe(released && accept.length === 0);
  });

  it("is asked for by the hash, and again where the hash was used", ({ expect }) => {
    const used = [{ hash, rest: undefined }];
    expect(howToRelease(whole, { accept: [], used: [] })).toEqual({
      words: `release this plan once with --accept ${hash}`,
      hash,
    });
    expect(howToRelease(whole, { accept: [hash], used })).toEqual({
      words: `take ${hash}, which was used, out of limits.accept and put it in again, or give it to apply --accept`,
      hash: undefined,
    });
    expect(howToRelease(mild, { accept: [hash], used })).toEqual({
      words: `release this plan once with --accept ${planHash(mild)}`,
      hash: planHash(mild),
    });
  });
});
