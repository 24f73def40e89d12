import * as fc from "fast-check";
import { describe, it } from "vitest";

import { assignShards, type ShardView } from "../../src/cluster/assign-shards.ts";
import { cases } from "../support/properties.ts";

const members = ["a", "b", "c", "d", "e"];

/** Some replicas, and shards of which some are held: by them, by one that is gone, or by nobody. */
const view = fc
  .record({
    members: fc.uniqueArray(fc.constantFrom(...members), { minLength: 1 }),
    held: fc.array(fc.constantFrom(...members, "gone", ""), { maxLength: 14 }),
  })
  .map((drawn): ShardView => ({
    members: drawn.members,
    holders: new Map(drawn.held.map((holder, nth) => [`shard-${nth}`, holder])),
  }));

function loads({ members: all }: ShardView, assigned: ReadonlyMap<string, string>): number[] {
  return all.map((member) => [...assigned.values()].filter((owner) => owner === member).length);
}

/** How many shards move away from a member that holds them. */
function moves(
  { members: all, holders }: ShardView,
  assigned: ReadonlyMap<string, string>,
): number {
  const held = [...holders].filter(([, holder]) => all.includes(holder));
  return held.filter(([shard, holder]) => assigned.get(shard) !== holder).length;
}

/** The fewest moves with which an even spread can be reached: by trying every distribution of the larger shares. */
function fewestMoves({ members: all, holders }: ShardView): number {
  const counts = all.map(
    (member) => [...holders.values()].filter((each) => each === member).length,
  );
  const [least, larger] = [Math.floor(holders.size / all.length), holders.size % all.length];
  const choices = Array.from({ length: 2 ** all.length }, (_, bits) =>
    all.map((_member, nth) => (bits >> nth) & 1),
  ).filter((choice) => choice.reduce((a, b) => a + b, 0) === larger);
  const cost = (choice: readonly number[]): number =>
    counts.reduce((sum, count, nth) => sum + Math.max(0, count - least - (choice[nth] ?? 0)), 0);
  return Math.min(...choices.map(cost));
}

describe("shards are assigned", () => {
  it("each to one member, and evenly", () => {
    fc.assert(
      fc.property(view, (drawn) => {
        const assigned = assignShards(drawn);
        const counts = loads(drawn, assigned);
        if (assigned.size !== drawn.holders.size) throw new Error("a shard is nobody's");
        if (Math.max(...counts) - Math.min(...counts) > 1) throw new Error(counts.join(" "));
      }),
      cases(2_000),
    );
  });

  it("with no more moves than that needs", () => {
    fc.assert(
      fc.property(view, (drawn) => {
        const moved = moves(drawn, assignShards(drawn));
        const needed = fewestMoves(drawn);
        if (moved !== needed) throw new Error(`${moved} moves, and ${needed} are enough`);
      }),
      cases(2_000),
    );
  });

  it("alike by all who have the same view, in whatever order they have it", () => {
    const shuffled = view.chain((drawn) =>
      fc
        .tuple(
          fc.shuffledSubarray([...drawn.members], { minLength: drawn.members.length }),
          fc.shuffledSubarray([...drawn.holders], { minLength: drawn.holders.size }),
        )
        .map(([all, holders]) => ({ drawn, again: { members: all, holders: new Map(holders) } })),
    );
    fc.assert(
      fc.property(shuffled, ({ drawn, again }) => {
        const [one, other] = [assignShards(drawn), assignShards(again)];
        const differs = [...one].filter(([shard, owner]) => other.get(shard) !== owner);
        if (differs.length > 0) throw new Error(JSON.stringify(differs));
      }),
      cases(2_000),
    );
  });

  it("so that nothing moves once everything is held as assigned", () => {
    fc.assert(
      fc.property(view, (drawn) => {
        const held = { ...drawn, holders: assignShards(drawn) };
        if (moves(held, assignShards(held)) > 0) throw new Error("it moves on");
      }),
      cases(2_000),
    );
  });

  it("to nobody where there is no member", ({ expect }) => {
    const holders = new Map([["one", "gone"]]);
    expect(assignShards({ members: [], holders })).toEqual(new Map());
  });

  it("where nobody holds anything, by rendezvous hashing: always to the same", ({ expect }) => {
    const holders = new Map(["one", "two", "three", "four"].map((name) => [name, ""]));
    const assigned = assignShards({ members: ["a", "b"], holders });
    expect(Object.fromEntries(assigned)).toMatchInlineSnapshot(`
      {
        "four": "a",
        "one": "a",
        "three": "b",
        "two": "b",
      }
    `);
  });
});
