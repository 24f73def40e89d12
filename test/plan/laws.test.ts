import * as fc from "fast-check";
import { describe, it } from "vitest";

import { type Plan, plan } from "../../src/plan/plan.ts";
import { confirmSaved } from "../../src/plan/saved/confirm.ts";
import { savedPlan } from "../../src/plan/saved/saved-plan.ts";
import { planJson } from "../../src/render/plan-json.ts";
import { planOf } from "../../src/render/read-plan-file.ts";
import { canonicalJson, isJsonObject } from "../../src/syntax/json.ts";
import { byPhase, type DesiredZone } from "../../src/zone/desired-zone.ts";
import type { LivePolicy, LiveRule, LiveZone } from "../../src/zone/live-zone.ts";
import { unmarked } from "../../src/zone/mark.ts";
import { promotedObjects } from "../../src/zone/promoted-objects.ts";
import type { Policy, Rule } from "../../src/zone/resource.ts";
import { neighborOf } from "../../src/zone/rule-place.ts";
import type { Write } from "../../src/zone/write.ts";
import { type Pair, pairs } from "../support/arbitrary-zones.ts";
import { foreignPolicies, foreignRules, rulesOf } from "../support/foreign.ts";
import { owner } from "../support/model.ts";
import { cases } from "../support/properties.ts";
import { weakMoments } from "../support/protection.ts";
import { afterWrite, statesOf } from "../support/service-model.ts";
import { respelled } from "../support/spellings.ts";

/** Every law of planning holds in so many pairs of a declared and a live zone. */
const runs = cases(50);

const manyRuns = 900_000;

/** A plan that the service does not refuse: nobody else deploys what is declared. */
function plannable({ desired, live }: Pair): Plan {
  const proposal = plan(desired, live, owner);
  fc.pre(proposal.holds.every(({ reason: code }) => code !== "already_deployed"));
  return proposal;
}

function afterAll(live: LiveZone, { writes }: Plan): LiveZone {
  return statesOf(live, writes).at(-1) ?? live;
}

/** What writes send: the changes that they name, rules further off, and the order of equals depend on what else is live. */
function sent(writes: readonly Write[]): readonly string[] {
  return writes
    .map(({ changes: _labels, ...request }) => {
      const position = "position" in request && request.position && neighborOf(request.position);
      return canonicalJson({ ...request, position });
    })
    .toSorted();
}

/** What a live policy is known by. */
function identityOf({ description }: LivePolicy): string | undefined {
  const mark = unmarked(description);
  return mark.owner === owner ? mark.key : description;
}

function bytesOf({ wire }: LiveRule): string {
  return JSON.stringify(wire);
}

describe("laws of planning", { timeout: manyRuns }, () => {
  it("carrying out a plan makes the next plan empty", ({ expect }) => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const after = afterAll(pair.live, plannable(pair));
        expect(plan(pair.desired, after, owner)).toMatchObject({ changes: [], writes: [] });
      }),
      runs,
    );
  });

  it("what is foreign is equal before and after, byte for byte and in its order", ({ expect }) => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const after = afterAll(pair.live, plannable(pair));
        const policies = foreignPolicies(pair);
        const left = after.policies?.filter(({ id }) => policies.some((each) => each.id === id));
        expect(left ?? []).toEqual(policies);
        const rules = foreignRules(pair);
        const still = rulesOf(after).filter(({ id }) => rules.some((each) => each.id === id));
        expect(still.map(bytesOf)).toEqual(rules.map(bytesOf));
      }),
      runs,
    );
  });

  it("no state between two requests is weaker than both ends, or the plan says so", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const { writes, holds } = plannable(pair);
        fc.pre(holds.every(({ reason: code }) => code !== "unsafe_order"));
        expect(weakMoments(statesOf(pair.live, writes))).toEqual([]);
      }),
      runs,
    );
  });

  it("no state is weaker than both ends, whatever the service refuses", ({ expect }) => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.boolean()), (pair, dice) => {
        const proposal = plannable(pair);
        fc.pre(proposal.holds.every(({ reason: code }) => code !== "unsafe_order"));
        const done: Write[] = [];
        const undone = new Set<Write>();
        for (const write of proposal.writes) {
          const waits = proposal.waitsFor.get(write)?.some((other) => undone.has(other)) ?? true;
          if (waits || dice.next().value === true) undone.add(write);
          else done.push(write);
        }
        const states = statesOf(pair.live, done);
        expect(weakMoments([...states, afterAll(pair.live, proposal)])).toEqual([]);
      }),
      runs,
    );
  });

  it("there are at most as many writes as changed objects, each named once", ({ expect }) => {
    fc.assert(
      fc.property(pairs, ({ desired, live }) => {
        const { changes, writes } = plan(desired, live, owner);
        const keys = changes.map(({ key }) => key);
        expect(writes.length).toBeLessThanOrEqual(new Set(keys).size);
        expect(writes.flatMap((write) => write.changes)).toEqual(keys);
      }),
      runs,
    );
  });

  it("the order of policies and settings, declared or live, changes nothing", ({ expect }) => {
    fc.assert(
      fc.property(pairs, ({ desired, live }) => {
        const { content } = desired;
        const { policies, settings } = content;
        const turned = {
          ...desired,
          content: {
            ...content,
            settings: settings.toReversed(),
            policies: policies && { ...policies, items: policies.items.toReversed() },
          },
        };
        const { changes, writes, holds } = plan(desired, live, owner);
        expect(plan(turned, live, owner)).toMatchObject({ changes, writes, holds });
        // Of several live policies for one declared one the first listed counts: they have no time stamp.
        const names = live.policies?.map(identityOf) ?? [];
        fc.pre(new Set(names).size === names.length);
        const relisted = { ...live, policies: live.policies?.toReversed() };
        expect(plan(desired, relisted, owner)).toMatchObject({ changes, writes, holds });
      }),
      runs,
    );
  });

  it("a plan, written as JSON and read again, is the same plan", ({ expect }) => {
    fc.assert(
      fc.property(pairs, ({ desired, live }) => {
        const proposal = plan(desired, live, owner);
        const json: unknown = JSON.parse(JSON.stringify(planJson(proposal)));
        expect(planOf(isJsonObject(json) ? json : {})).toEqual({
          ...proposal,
          changes: proposal.changes.map(({ counted: _counted, ...change }) => change),
          waitsFor: new Map(),
          liveKeys: new Map(),
          policyForms: new Map(),
          placedBy: new Map(),
          grown: [],
        });
      }),
      runs,
    );
  });

  it("a saved plan that was cut off after any request is carried on from there, and done once", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const proposal = plannable(pair);
        for (const [count, live] of statesOf(pair.live, proposal.writes).entries()) {
          const { conflicts, plan: left } = confirmSaved(
            savedPlan(proposal, pair.live),
            plan(pair.desired, live, owner),
            live,
          );
          expect(conflicts).toEqual([]);
          expect(sent(left.writes)).toEqual(sent(proposal.writes.slice(count)));
        }
      }),
      runs,
    );
  });

  it("a saved plan writes nothing to what has moved, and nothing when it was carried out", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, fc.nat(), (pair, chosen) => {
        const proposal = plannable(pair);
        fc.pre(proposal.writes.length > 0);
        // Somebody else sends one of the requests first: that moves what it touches.
        const write = proposal.writes[chosen % proposal.writes.length];
        if (write === undefined) return;
        for (const live of [afterWrite(pair.live, write), afterAll(pair.live, proposal)]) {
          const { conflicts, plan: left } = confirmSaved(
            savedPlan(proposal, pair.live),
            plan(pair.desired, live, owner),
            live,
          );
          expect(sent(left.writes.filter((each) => !conflicts.includes(each)))).not.toContainEqual(
            sent([write])[0],
          );
        }
      }),
      runs,
    );
  });

  it("equal states give an empty plan in every spelling that the service may answer in", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat(99)), (pair, dice) => {
        const after = afterAll(pair.live, plannable(pair));
        const spelled = respelled(after, dice);
        expect(plan(pair.desired, spelled, owner)).toMatchObject({ changes: [], writes: [] });
      }),
      runs,
    );
  });

  it("each object with steps is live at the one that is known, else where it was, else at the first", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const proposal = plannable(pair);
        const objects = promotedObjects(pair.desired.content);
        const after = plan(pair.desired, afterAll(pair.live, proposal), owner).steps;
        expect([...after.keys()].toSorted()).toEqual([...objects.keys()].toSorted());
        for (const [key, { promotion }] of objects) {
          const step = promotion.at ?? proposal.steps.get(key)?.live ?? 0;
          expect(after.get(key)).toMatchObject({ live: step, planned: step });
        }
      }),
      runs,
    );
  });

  it("whoever does not know the steps of a zone moves none of them, and whoever does moves those", ({
    expect,
  }) => {
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.nat(3)), (pair, dice) => {
        const known = atEach(pair.desired, () => Number(dice.next().value));
        const after = afterAll(pair.live, plannable({ ...pair, desired: known }));
        const unknown = atEach(pair.desired, () => undefined);
        expect(plan(unknown, after, owner)).toMatchObject({ changes: [], writes: [] });
        const others = atEach(known, (at, count) => ((at ?? 0) + 1) % count);
        const moves = plan(others, after, owner).changes.flatMap(({ key, verb, fields }) =>
          fields.map(({ field, before, after: next }) => ({ key, verb, field, before, next })),
        );
        const expected = [...promotedObjects(known.content)].map(([key, { promotion }]) => {
          const { field, steps, at = 0 } = promotion;
          const next = steps[(at + 1) % steps.length];
          return { key, verb: "update", field, before: steps[at], next };
        });
        expect(moves.map((each) => each.key).toSorted()).toEqual(
          expected.map(({ key }) => key).toSorted(),
        );
        expect(moves).toEqual(expect.arrayContaining(expected));
      }),
      runs,
    );
  });
});

/** A zone each of whose objects with steps is at another one; `count`: how many it has. */
function atEach(
  { zone, content }: DesiredZone,
  stepFor: (at: number | undefined, count: number) => number | undefined,
): DesiredZone {
  const promoted = <T extends Policy | Rule>(item: T): T => {
    const { promotion } = item;
    if (promotion === undefined) return item;
    const count = promotion.steps.length;
    const at = stepFor(promotion.at, count);
    return { ...item, promotion: { ...promotion, at: at === undefined ? at : at % count } };
  };
  const { policies, rules } = content;
  return {
    zone,
    content: {
      ...content,
      policies: policies && { ...policies, items: policies.items.map(promoted) },
      rules: byPhase((phase) => {
        const declared = rules[phase];
        return declared && { ...declared, items: declared.items.map(promoted) };
      }),
    },
  };
}
