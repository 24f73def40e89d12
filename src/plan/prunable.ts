import type { Declared } from "../zone/desired-zone.ts";
import type { Mark } from "../zone/mark.ts";
import type { DeleteReason } from "./change.ts";

/** A live thing that is to go, and why. */
export interface ToPrune<Live, Item> {
  readonly live: Live;
  /** What the change is called by: the declared key it had, else its id, for a key may belong to another that stays. */
  readonly key: string;
  readonly reason: DeleteReason;
  /** What is declared under its mark and stays. */
  readonly stays: Item | undefined;
}

/** What becomes of live things that nothing declared is. */
export interface Prunable<Live, Item> {
  readonly doomed: readonly ToPrune<Live, Item>[];
  readonly unmanaged: readonly Live[];
}

/**
 * The rule by which we delete, of whatever kind: ours go; those of another owner stay; those of nobody go only where
 * the zone says so. Of several with one mark, which a POST that was sent twice leaves (SERVICE.md A.6), one stands for
 * it: the live thing of what is declared, else the first. The others are spare.
 */
export function prunableAmong<
  Live extends { readonly id: string },
  Item extends { readonly key: string },
>(
  idle: readonly Live[],
  { items, unmanaged }: Declared<Item>,
  owner: string,
  markOf: (live: Live) => Mark,
): Prunable<Live, Item> {
  const declared = new Map(items.map((item) => [item.key, item]));
  const seen = new Set(declared.keys());
  const ours: ToPrune<Live, Item>[] = [];
  const unwanted: ToPrune<Live, Item>[] = [];
  const left: Live[] = [];
  for (const live of idle) {
    const mark = markOf(live);
    if (mark.owner === owner) {
      const { key = live.id } = mark;
      const reason = seen.has(key) ? "duplicate" : "undeclared";
      seen.add(key);
      ours.push({
        live,
        key: reason === "undeclared" ? key : live.id,
        reason,
        stays: declared.get(key),
      });
    } else if (mark.owner === undefined && unmanaged === "delete") {
      unwanted.push({ live, key: live.id, reason: "unmanaged", stays: undefined });
    } else if (unmanaged !== "ignore") left.push(live);
  }
  return { doomed: [...ours, ...unwanted], unmanaged: left };
}
