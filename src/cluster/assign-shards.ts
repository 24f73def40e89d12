import { createHash } from "node:crypto";

import { byText } from "../syntax/by-text.ts";

/** What a replica knows when it assigns shards. Replicas with the same view assign them alike. */
export interface ShardView {
  /** The replicas that take part, by their identities. */
  readonly members: readonly string[];
  /** All shards with their holders as they were last seen; "": nobody, or not known. */
  readonly holders: ReadonlyMap<string, string>;
}

interface Pair {
  readonly shard: string;
  readonly member: string;
  readonly score: number;
}

/**
 * Assigns each shard to one member: nobody has more than one shard more than another, and no more shards move than that
 * needs. What moves goes where rendezvous hashing prefers it, among the members that have room. Without members, nothing
 * is assigned.
 */
export function assignShards({ members, holders }: ShardView): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>();
  const room = roomOf(members, holders);
  const assign = ({ shard, member }: Pair): void => {
    const left = room.get(member) ?? 0;
    if (left === 0 || assigned.has(shard)) return;
    assigned.set(shard, member);
    room.set(member, left - 1);
  };
  const pairs = pairsOf(members, [...holders.keys()]);
  // A holder that has more than its share keeps the shards for which it has the highest scores.
  for (const pair of pairs) if (holders.get(pair.shard) === pair.member) assign(pair);
  for (const pair of pairs) assign(pair);
  return assigned;
}

/** How many shards each member has at the end. Where they do not divide evenly, those that hold most have one more. */
function roomOf(
  members: readonly string[],
  holders: ReadonlyMap<string, string>,
): Map<string, number> {
  const held = Map.groupBy(holders.values(), (holder) => holder);
  const count = (member: string): number => held.get(member)?.length ?? 0;
  const ordered = [...new Set(members)]
    .toSorted(byText((member) => member))
    .toSorted((a, b) => count(b) - count(a));
  const least = Math.floor(holders.size / ordered.length);
  const more = holders.size % ordered.length;
  return new Map(ordered.map((member, nth) => [member, least + Number(nth < more)]));
}

/** All pairs, the best first. */
function pairsOf(members: readonly string[], shards: readonly string[]): readonly Pair[] {
  const pairs = shards.flatMap((shard) =>
    members.map((member) => ({ shard, member, score: scoreOf(shard, member) })),
  );
  const name = byText(({ shard, member }: Pair) => `${shard} ${member}`);
  return pairs.toSorted((a, b) => b.score - a.score || name(a, b));
}

/** The score of rendezvous hashing: the same in every process. */
function scoreOf(shard: string, member: string): number {
  return createHash("sha256").update(`${shard} ${member}`).digest().readUIntBE(0, 6);
}
