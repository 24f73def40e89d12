import * as fc from "fast-check";
import { describe, it } from "vitest";

import { type LiveRule, rulesIn } from "../../src/zone/live-zone.ts";
import { keyOfRef } from "../../src/zone/mark.ts";
import type { Rule, RulePosition } from "../../src/zone/resource.ts";
import { declared, entrypoint, exception, liveRule, liveZone, owner } from "../support/model.ts";
import { liveOurs, plannedRules } from "../support/planned.ts";
import { cases } from "../support/properties.ts";
import { statesOf } from "../support/service-model.ts";

/** Every law of the order holds in so many scenes. */
const runs = cases(800);

const foreignIds = ["f1", "f2", "f3", "f4"];
const keys = ["a", "b", "c", "d", "e"];

/** A live list of ids: those of foreign rules, and keys of ours. What is declared may be live or not. */
interface Scene {
  readonly live: readonly string[];
  readonly rules: readonly Rule[];
}

const position: fc.Arbitrary<RulePosition | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.constantFrom<RulePosition>("first", "last") },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom("before", "after"), fc.constantFrom(...foreignIds))
      .map(([side, id]): RulePosition => (side === "before" ? { before: id } : { after: id })),
  },
);

const scenes: fc.Arbitrary<Scene> = fc
  .tuple(
    fc.shuffledSubarray([...foreignIds, ...keys]),
    fc.shuffledSubarray(keys, { minLength: 1 }),
    fc.array(position, { minLength: keys.length, maxLength: keys.length }),
  )
  .map(([live, order, positions]) => ({
    // A rule that is live and not declared would be deleted.
    live: live.filter((id) => foreignIds.includes(id) || order.includes(id)),
    rules: order.map((key, index) => exception(key, { position: positions[index] })),
  }));

function liveOf(id: string): LiveRule {
  return foreignIds.includes(id) ? liveRule(id, { action: "log" }) : liveOurs(id);
}

function planOf({ live, rules }: Scene) {
  return plannedRules(declared(rules), entrypoint(...live.map(liveOf)));
}

/** The list when the first writes of a plan are done: the ids of foreign rules, and keys of ours. */
function listAfter(scene: Scene, done?: number): readonly string[] {
  const managed = entrypoint(...scene.live.map(liveOf));
  const before = liveZone({ entrypoints: { managed_rules: managed } });
  const after = statesOf(before, planOf(scene).writes.slice(0, done)).at(-1);
  return rulesIn(after?.entrypoints.managed_rules).map(({ id, ref }) => keyOfRef(owner, ref) ?? id);
}

/** Every list in which foreign rules and declared ones keep their order, and each position is what it says. */
function possibleLists({ live, rules }: Scene): readonly (readonly string[])[] {
  const foreign = live.filter((id) => foreignIds.includes(id));
  const order = rules.map(({ key }) => key);
  return merged(foreign, order).filter((list) =>
    rules.every((rule) => isPlaced(rule, list, foreign)),
  );
}

function merged(a: readonly string[], b: readonly string[]): readonly (readonly string[])[] {
  const [[first, ...restOfA], [second, ...restOfB]] = [a, b];
  if (first === undefined || second === undefined) return [[...a, ...b]];
  return [
    ...merged(restOfA, b).map((rest) => [first, ...rest]),
    ...merged(a, restOfB).map((rest) => [second, ...rest]),
  ];
}

function isPlaced(
  { key, position: at }: Rule,
  list: readonly string[],
  foreign: readonly string[],
): boolean {
  const index = list.indexOf(key);
  const indices = foreign.map((id) => list.indexOf(id));
  if (at === undefined) return true;
  if (at === "first") return indices.every((each) => index < each);
  if (at === "last") return indices.every((each) => each < index);
  return "before" in at ? index < list.indexOf(at.before) : list.indexOf(at.after) < index;
}

/** How many live rules of ours have to move at least, so that a list becomes another one. */
function movesTo(list: readonly string[], live: readonly string[]): number {
  const ours = live.filter((id) => keys.includes(id));
  const kept = subsets(ours).filter((subset) => {
    const isKept = (id: string): boolean => foreignIds.includes(id) || subset.includes(id);
    return (
      String(live.filter(isKept)) === String(list.filter((id) => live.includes(id) && isKept(id)))
    );
  });
  return ours.length - Math.max(...kept.map(({ length }) => length));
}

function subsets(list: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = list;
  if (first === undefined) return [[]];
  return subsets(rest).flatMap((subset) => [subset, [first, ...subset]]);
}

/** Scenes of which every position names a live rule. */
const known = scenes.filter(({ live, rules }) =>
  rules.every(({ position: at }) => {
    if (typeof at !== "object") return true;
    return live.includes("before" in at ? at.before : at.after);
  }),
);

const possible = known.filter((scene) => possibleLists(scene).length > 0);

describe("rules of ours among those of others", () => {
  it("have the declared order and stand where their positions say", ({ expect }) => {
    fc.assert(
      fc.property(possible, (scene) => {
        expect(planOf(scene).holds).toEqual([]);
        expect(possibleLists(scene)).toContainEqual(listAfter(scene));
      }),
      runs,
    );
  });

  it("move as few times as possible", ({ expect }) => {
    fc.assert(
      fc.property(possible, (scene) => {
        const moved = planOf(scene).writes.filter(({ call }) => call === "update-rule");
        const least = Math.min(...possibleLists(scene).map((list) => movesTo(list, scene.live)));
        expect(moved).toHaveLength(least);
      }),
      runs,
    );
  });

  it("stay where a plan put them", ({ expect }) => {
    fc.assert(
      fc.property(possible, ({ live, rules }) => {
        expect(planOf({ live: listAfter({ live, rules }), rules }).writes).toEqual([]);
      }),
      runs,
    );
  });

  it("are moved in the same way by a plan that goes on where another one ended", ({ expect }) => {
    fc.assert(
      fc.property(possible, fc.nat(), (scene, stop) => {
        const { writes } = planOf(scene);
        const done = stop % (writes.length + 1);
        const rest = planOf({ ...scene, live: listAfter(scene, done) }).writes;
        expect(rest.map(({ changes }) => changes)).toEqual(
          writes.slice(done).map(({ changes }) => changes),
        );
      }),
      runs,
    );
  });

  it("are held where the order and the positions contradict each other, and only there", ({
    expect,
  }) => {
    fc.assert(
      fc.property(known, (scene) => {
        const { holds } = planOf(scene);
        expect(holds.length > 0).toBe(possibleLists(scene).length === 0);
        expect(holds.every(({ reason }) => reason === "unplaced")).toBe(true);
      }),
      runs,
    );
  });
});
