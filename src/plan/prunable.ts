import type { Declared } from "../zone/desired-zone.ts";
import type { Mark } from "../zone/mark.ts";
import type { DeleteReason } from "./change.ts";

/** A live resource to delete, and why. */
export interface ToPrune<Live, Item> {
  readonly live: Live;
  /** The key in the change: the declared key, or the id where another resource that stays has that key. */
  readonly key: string;
  readonly reason: DeleteReason;
  /** The declared resource with the same mark, which stays. */
  readonly stays: Item | undefined;
}

/** The live resources that match no declared one: some are deleted, the others are unmanaged. */
export interface Prunable<Live, Item> {
  readonly toPrune: readonly ToPrune<Live, Item>[];
  readonly unmanaged: readonly Live[];
}

/**
 * Decides what to delete, for any kind of resource. Ours are deleted; those of another owner stay; those without a mark
 * are deleted only with `unmanaged: delete`. A POST that was sent twice leaves several resources with one mark
 * (SERVICE.md A.6): the one that matches the declaration stays, else the first. The others are duplicates.
 *
 * @param isOpen `false`: the declaration says nothing of resources with such a mark
 */
export function prunableAmong<
  Live extends { readonly id: string },
  Item extends { readonly key: string },
>(
  unmatched: readonly Live[],
  { items, unmanaged: unmanagedMode }: Declared<Item>,
  owner: string,
  markOf: (live: Live) => Mark,
  isOpen: (mark: Mark) => boolean = () => true,
): Prunable<Live, Item> {
  const declared = new Map(items.map((item) => [item.key, item]));
  const seen = new Set(declared.keys());
  const ours: ToPrune<Live, Item>[] = [];
  const unmarked: ToPrune<Live, Item>[] = [];
  const unmanaged: Live[] = [];
  for (const live of unmatched) {
    const mark = markOf(live);
    if (!isOpen(mark)) continue;
    if (mark.owner === owner) {
      const { key = live.id } = mark;
      const isDuplicate = seen.has(key);
      seen.add(key);
      ours.push({
        live,
        key: isDuplicate ? live.id : key,
        reason: isDuplicate ? "duplicate" : "undeclared",
        stays: declared.get(key),
      });
    } else if (mark.owner === undefined && unmanagedMode === "delete") {
      unmarked.push({ live, key: live.id, reason: "unmanaged", stays: undefined });
    } else if (unmanagedMode !== "ignore") unmanaged.push(live);
  }
  return { toPrune: [...ours, ...unmarked], unmanaged };
}
